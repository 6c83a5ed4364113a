import Foundation
import RelationClient

/// A first story with the relation-chain service: friends, a refusal, a block, and a change.
@main struct FirstStory {
    static let (anna, ben, carl) = ("example-anna", "example-ben", "example-carl")
    static let unknown = "example-unknown"  // An id that is not an account.

    let client: Client

    static func main() async {
        let variable = ProcessInfo.processInfo.environment["RELATION_SERVER"]
        let address = CommandLine.arguments.dropFirst().first ?? variable ?? "127.0.0.1:7450"
        do {
            // The errors of an address, of options and of calls say what to do.
            let options = ClientOptions(servers: [try ServerAddress(address)])
            let story = FirstStory(client: try Client(options))
            try await story.makeAccounts()
            try await story.addFriends()
            try await story.listFriends()
            try await story.checkRelations()
            try await story.readRefusal()
            try await story.blockAndWatch()
            await story.client.close()
        } catch {
            fail("\(address): \(error)")
        }
    }

    static func fail(_ words: String) -> Never {
        FileHandle.standardError.write(Data("\(words)\n".utf8))
        exit(1)
    }

    /// An import leaves accounts that exist as they are, so it may be repeated.
    func makeAccounts() async throws {
        let stream = client.stream(AccountMethods.importAccounts)
        for user in [Self.anna, Self.ben, Self.carl] {
            // A long import sends in one task and reads in another: sending may wait for reading.
            try await stream.send(
                ImportAccountsRequest.with { $0.row = .with { $0.userID = user } })
        }
        stream.finishSending()
        var (existed, last) = (0, ImportProgress())
        for try await message in stream {
            switch message.answer {
            // A row has an answer only if it was refused or has something to say.
            case .row(let row): existed += row.reason == .existed ? 1 : 0
            case .progress(let progress): last = progress
            case nil: break
            }
        }
        print("accounts: \(last.accepted) taken, \(existed) existed, \(last.refused) refused")
    }

    /// The call succeeds, and each user has a result code of its own.
    func addFriends() async throws {
        // An earlier run has blocked Carl, and a user on the blacklist cannot be added.
        let unblock = RemoveFromBlacklistRequest.with {
            $0.userID = Self.anna
            $0.userIDs = [Self.carl]
        }
        _ = try await client.call(BlacklistMethods.removeFromBlacklist, unblock)
        let request = AddFriendsRequest.with {
            $0.userID = Self.anna
            $0.items = [Self.ben, Self.carl, Self.unknown].map { person in
                AddFriend.with {
                    $0.userID = person
                    $0.source = "Web"
                }
            }
        }
        for result in try await client.call(FriendMethods.addFriends, request).results {
            let words =
                switch (result.code, result.reason) {
                case (.success, _): "a friend now"
                case (.pending, _): "asked, and waits for an answer"
                case (_, Reason.FriendAdd.friendExist): "a friend already"
                default: result.code?.name ?? "\(result.code?.rawValue ?? 0)"
                }
            print("add \(result.userID): \(words)")
        }
    }

    /// Only a missing token ends a list: a page may be shorter than was asked.
    func listFriends() async throws {
        // Where pages do not matter, `client.friends(of:)` gives one friend after the other.
        let request = ListFriendsRequest.with {
            $0.userID = Self.anna
            $0.pageSize = 1
        }
        for try await page in client.pages(FriendMethods.listFriends, request) {
            print("page:", page.friends.map(\.userID).joined(separator: " "))
        }
    }

    func checkRelations() async throws {
        let request = GetRelationsRequest.with {
            $0.userID = Self.anna
            $0.userIDs = [Self.ben, Self.unknown]
        }
        for card in try await client.call(FriendMethods.getRelations, request).results {
            let name = card.code == .success ? card.relation?.name : card.code?.name
            print("check \(card.userID): \(name ?? "?")")
        }
    }

    /// A call that fails as a whole throws; the client has read the typed details.
    func readRefusal() async throws {
        do {
            let request = ListFriendsRequest.with { $0.userID = Self.unknown }
            _ = try await client.call(FriendMethods.listFriends, request)
        } catch let error as CallError where error.knownReason == .userNotFound {
            print("refused: \(error.reason)")
        }
    }

    /// Takes the place that Anna's changes have come to, blocks Carl, and goes on from there.
    func blockAndWatch() async throws {
        var watch = WatchRequest.with {
            $0.scope = .userID(Self.anna)
            $0.kinds = [.addBlacklist]
        }
        // A stream without a token begins with the present state; the token comes at its end.
        for try await message in client.changes(watch) where !message.resumeToken.isEmpty {
            watch.resumeToken = message.resumeToken
            break
        }
        let block = AddToBlacklistRequest.with {
            $0.userID = Self.anna
            $0.userIDs = [Self.carl]
        }
        for result in try await client.call(BlacklistMethods.addToBlacklist, block).results {
            print("block \(result.userID): \(result.code?.name ?? "?")")
        }
        // No change between the two streams is missed. Keep the last token of every stream.
        for try await message in client.changes(watch) {
            guard let event = message.event else { continue }
            let users = event.items.map(\.userID).joined(separator: " ")
            print("event: \(event.kind.name ?? "?") \(users)")
            break
        }
    }
}
