import ArgumentParser
import GRPC
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
struct Call: ParsableCommand {
    static let configuration = CommandConfiguration(
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

    @Option(help: "The server.", transform: { try ServerAddress($0) })
    var server: ServerAddress

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
            switch read {
            case .check: try await make(FriendMethods.checkFriends, check(1)) { $0.results.count }
            case .checks:
                try await make(FriendMethods.checkFriends, check(Self.friends)) {
                    $0.results.count
                }
            case .friends:
                let request = ListFriendsRequest.with {
                    $0.userID = "owner"
                    $0.pageSize = Int32(Self.friends)
                }
                try await make(FriendMethods.listFriends, request) { $0.friends.count }
            }
        }
    }

    private func check(_ count: Int) -> CheckFriendsRequest {
        CheckFriendsRequest.with {
            $0.userID = "owner"
            $0.userIDs = (0..<count).map { "friend\($0)" }
        }
    }

    private func make<Request, Response>(
        _ method: Method<Request, Response>, _ request: Request,
        _ count: (Response) -> Int
    ) async throws {
        let expected = read == .check ? 1 : Self.friends
        let arena = Arena()
        defer { arena.free() }
        switch through {
        case .client:
            let client = try Client(ClientOptions(servers: [server]))
            for _ in 0..<calls {
                let answer = try await client.call(method, request)
                precondition(count(answer) == expected, "the answer is another one")
            }
            await client.close()
        case .codec, .channel:
            let target = try ServerTarget(server)
            let channel = Channel(ClientConfiguration(servers: [target]))
            var bytes = try method.requestCoder.bytes(request, arena)
            for _ in 0..<calls {
                if through == .codec { bytes = try method.requestCoder.bytes(request, arena) }
                let answer = try await channel.unary(
                    method.path, bytes, deadline: .after(.seconds(30)))
                if through == .codec {
                    let message = try method.responseCoder.message(answer, arena)
                    precondition(count(message) == expected, "the answer is another one")
                    arena.reset()
                } else {
                    precondition(!answer.isEmpty, "the answer is another one")
                }
            }
            await channel.close()
        }
    }

    private func fill() async throws {
        let client = try Client(ClientOptions(servers: [server]))
        let stream = client.stream(AccountMethods.importAccounts)
        let users = (0..<Self.friends).map { "friend\($0)" }
        for user in ["owner"] + users {
            try await stream.send(
                ImportAccountsRequest.with { $0.row = .with { $0.userID = user } })
        }
        stream.finishSending()
        while try await stream.next() != nil {}
        for user in users {
            let item = AddFriend.with {
                $0.userID = user
                $0.remark = "met at sea"
                $0.source = "AddSource_Type_Bench"
            }
            _ = try await client.call(
                FriendMethods.addFriends,
                AddFriendsRequest.with {
                    $0.userID = "owner"
                    $0.items = [item]
                })
        }
        await client.close()
    }
}

extension ServerTarget {
    fileprivate init(_ address: ServerAddress) throws {
        let words = address.description
        guard !words.hasPrefix("unix:") else {
            self = .unixSocket(path: String(words.dropFirst("unix:".count)))
            return
        }
        guard let colon = words.lastIndex(of: ":"),
            let port = Int(words[words.index(after: colon)...])
        else { throw ValidationError("\(words) is no host with a port") }
        self = .host(String(words[..<colon]), port: port)
    }
}
