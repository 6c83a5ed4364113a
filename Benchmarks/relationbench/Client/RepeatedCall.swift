import ArgumentParser
import GRPCClient
import Memory
import Protobuf
import RPC
import RelationAPI
import RelationClient
import RelationModel

/// Makes the same call many times, so that a tool can count what a client costs.
///
/// The work before the calls is the same for any number of them. So the difference between two runs
/// comes from the calls alone.
struct RepeatedCall: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Make a call again and again, for a tool that counts instructions.",
        shouldDisplay: false)

    /// The layers that a call goes through.
    enum Way: String, ExpressibleByArgument {
        /// The public client: messages in, messages out.
        case client
        /// The channel, with requests and answers as messages.
        case codec
        /// The channel alone: bytes in, bytes out.
        case channel
    }

    enum Read: String, ExpressibleByArgument {
        /// CheckFriends of one user.
        case check
        /// ListFriends of a hundred friends.
        case friends
        /// CheckFriends of a hundred users.
        case checks
    }

    @Option(help: "The server.", transform: { try ServerTarget($0) })
    var server: ServerTarget

    @Option(help: "The layers: client, codec, channel.")
    var through: Way

    @Option(help: "The call: check, friends, checks.")
    var read: Read

    @Option(help: "How many calls.")
    var calls: Int

    @Flag(help: "First make the user with a hundred friends that the calls read.")
    var prepare = false
    /// The friends of the user whose friends are read.
    static let friends = 100

    func run() throws {
        try Blocking.wait { [self] in
            if prepare { try await fill() }
            let checks = read == .check ? 1 : Self.friends
            switch read {
            case .check, .checks:
                let request = CheckFriendsRequest.with {
                    ($0.userID, $0.userIDs) = (Self.owner, Self.users(checks))
                }
                try await make(FriendMethods.checkFriends, request) { $0.results.count == checks }
            case .friends:
                let request = ListFriendsRequest.with {
                    ($0.userID, $0.pageSize) = (Self.owner, Int32(Self.friends))
                }
                try await make(FriendMethods.listFriends, request) {
                    $0.friends.count == Self.friends
                }
            }
        }
    }

    private static let owner = "owner"
    private static func users(_ count: Int) -> [String] { (0..<count).map { "friend\($0)" } }

    private func make<Request, Response>(
        _ method: Method<Request, Response>, _ request: Request,
        _ isRight: (Response) -> Bool
    ) async throws {
        let arena = Arena()
        defer { arena.free() }
        switch through {
        case .client:
            let client = try Client(ClientOptions(servers: [ServerAddress(server.description)]))
            for _ in 0..<calls {
                let message = try await client.call(method, request)
                precondition(isRight(message), "another answer")
            }
            await client.close()
        case .codec, .channel:
            let channel = Channel(ClientConfiguration(servers: [server]))
            var bytes = try method.requestCoder.bytes(request, arena)
            for _ in 0..<calls {
                if through == .codec { bytes = try method.requestCoder.bytes(request, arena) }
                let answer = try await channel.unary(
                    method.path, bytes, deadline: .after(.seconds(30)))
                if through == .codec {
                    let message = try method.responseCoder.message(answer, arena)
                    precondition(isRight(message), "another answer")
                    arena.reset()
                } else {
                    precondition(!answer.isEmpty, "another answer")
                }
            }
            await channel.close()
        }
    }

    private func fill() async throws {
        let client = try Client(ClientOptions(servers: [ServerAddress(server.description)]))
        let stream = client.stream(AccountMethods.importAccounts)
        let users = Self.users(Self.friends)
        for user in [Self.owner] + users {
            try await stream.send(
                ImportAccountsRequest.with { $0.row = .with { $0.userID = user } })
        }
        stream.finishSending()
        while try await stream.next() != nil {}
        for user in users {
            let item = AddFriend.with {
                ($0.userID, $0.remark) = (user, "met at sea")
                $0.source = "AddSource_Type_Bench"
            }
            let request = AddFriendsRequest.with { ($0.userID, $0.items) = (Self.owner, [item]) }
            _ = try await client.call(FriendMethods.addFriends, request)
        }
        await client.close()
    }
}
