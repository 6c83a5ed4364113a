import PeerSupport
import RelationAPI
import RelationClientTesting
import RelationModel
import Testing

@testable import RelationClient

/// Writes, events and requests for one chain, in each order.
@Suite(.endsWhenHung)
struct ChainRaceTests {
    private let server = ChainServer()

    // MARK: Own writes

    @Test func aWriteWithoutItsEventLetsTheNextQuestionAskOnce() async throws {
        let client = try server.client()
        _ = try await client.chain(of: "ann")
        try await client.add("ben", to: "ann")
        #expect(try await client.friendIDs("ann") == ["ben"])
        #expect(try await client.friendIDs("ann") == ["ben"])
        #expect(server.asked == [0, 0] && server.loads == 1)
        let needed = server.double.requests(of: ChangeMethods.listChanges).last?.options
        #expect(needed?.minSequence?.sequence == 1)
    }

    @Test func theEventOfAWriteMayComeAfterItsAnswer() async throws {
        let client = try server.client()
        let changes = client.changes(.with { $0.scope = .userID("ann") }).makeAsyncIterator()
        _ = try await client.chain(of: "ann")
        try await client.add("ben", to: "ann")
        // The event that the server made.
        let event = ChangeEvent.with {
            $0.kind = .addFriend
            $0.userID = "ann"
            $0.sequence = 1
            $0.items = [.with { $0.friendEntry = .with { $0.userID = "ben" } }]
        }
        server.notify(event)
        _ = try await changes.next()
        #expect(try await client.friendIDs("ann") == ["ben"])
        // It may come once more, after a stream that went on from before.
        server.notify(event)
        _ = try await changes.next()
        #expect(try await client.chain(of: "ann").sequence == 1)
        #expect(server.asked == [0] && client.chainCache.counts.events == 1)
    }

    @Test func theEventOfAWriteMayComeBeforeItsAnswer() async throws {
        let client = try server.client()
        _ = try await client.chain(of: "ann")
        server.double.answer(FriendMethods.addFriends) { [server] request in
            let event = server.add("ben", to: request.userID)
            client.chainCache.apply(event)
            return .with {
                $0.sequence = event.sequence
                $0.applied = true
            }
        }
        try await client.add("ben", to: "ann")
        #expect(try await client.friendIDs("ann") == ["ben"])
        #expect(server.asked == [0])
    }

    @Test func aDeletionIsAppliedFromItsAnswer() async throws {
        for friend in ["ben", "cat"] { server.add(friend, to: "ann") }
        server.block("eve", by: "ann")
        let client = try server.client()
        _ = try await client.chain(of: "ann")
        try await client.remove("ben", from: "ann")
        _ = try await client.call(
            BlacklistMethods.removeFromBlacklist,
            .with {
                $0.userID = "ann"
                $0.userIDs = ["eve"]
            })
        let chain = try await client.chain(of: "ann")
        #expect(chain.friends.map(\.userID) == ["cat"] && chain.blacklistCount == 0)
        #expect(chain.sequence == 5 && server.asked == [3])
        #expect(client.chainCache.counts.rows == 1)
        // With another change in between, its answer does not say all.
        server.add("dan", to: "ann")
        try await client.remove("cat", from: "ann")
        #expect(try await client.friendIDs("ann") == ["dan"])
        #expect(server.asked == [3, 5])
    }

    @Test func anAnswerThatIsReplayedIsNotApplied() async throws {
        server.add("ben", to: "ann")
        let client = try server.client()
        _ = try await client.chain(of: "ann")
        server.double.answer(FriendMethods.deleteFriends) { _ in
            .with {
                $0.sequence = 2
                $0.applied = true
                $0.replayed = true
                $0.results = [
                    .with {
                        $0.userID = "ben"
                        $0.changed = true
                    }
                ]
            }
        }
        server.rename("ann")
        try await client.remove("ben", from: "ann")
        #expect(try await client.friendIDs("ann") == ["ben"])
        #expect(server.asked == [1, 1])
    }

    @Test func aWriteThatFailedMayHaveBeenDone() async throws {
        let client = try server.client()
        _ = try await client.chain(of: "ann")
        server.add("ben", to: "ann")
        server.double.fail(
            FriendMethods.addFriends, times: 1, CallError(code: .unavailable, message: "away"))
        #expect(await failure { try await client.add("ben", to: "ann") } != nil)
        #expect(try await client.friendIDs("ann") == ["ben"])
        #expect(server.asked == [0, 0])
    }

    @Test func aWriteConcernsTheOthersThatItNames() async throws {
        let client = try server.client()
        _ = try await client.chain(of: "ben")
        _ = try await client.chain(of: "eve")
        try await client.add("ben", to: "ann", .both)
        #expect(try await client.friendIDs("ben") == ["ann"])
        #expect(server.asked == [0, 0, 0])
        // Eve's chain has nothing to do with it.
        #expect(try await client.friendIDs("eve") == [])
        #expect(server.asked.count == 3)
    }

    @Test func aWriteThatTouchesNoListAsksNothing() async throws {
        let client = try server.client()
        _ = try await client.chain(of: "ann")
        _ = await failure {
            _ = try await client.call(ProfileMethods.updateProfile, .with { $0.userID = "ann" })
        }
        _ = try await client.chain(of: "ann")
        #expect(server.asked == [0])
        // The others of this one are not known.
        _ = await failure {
            _ = try await client.call(FriendMethods.deleteAllFriends, .with { $0.userID = "ben" })
        }
        _ = try await client.chain(of: "ann")
        #expect(server.asked == [0, 0])
        // A field that is gone has no event.
        _ = await failure { _ = try await client.call(AppMethods.updateApp, .with { _ in }) }
        _ = try await client.chain(of: "ann")
        #expect(server.loads == 2)
    }

    @Test func aRequestFromBeforeAWriteDoesNotAnswerAQuestionFromAfter() async throws {
        let client = try server.client { $0.maxAge = .seconds(10) }
        _ = try await client.chain(of: "ann")
        server.clock.advance(by: .seconds(10))
        server.changesGate.shut()
        let early = Task { try await client.friendIDs("ann") }
        await server.changesGate.waiting(1)
        try await client.add("ben", to: "ann")
        let late = Task { try await client.friendIDs("ann") }
        await server.changesGate.waiting(2)
        server.changesGate.open()
        #expect(try await late.value == ["ben"])
        _ = try await early.value
        #expect(try await client.friendIDs("ann") == ["ben"])
        #expect(server.asked.count == 3)
    }

    @Test func aRequestFromBeforeAnEventDoesNotTakeItBack() async throws {
        let client = try server.client { $0.maxAge = .seconds(10) }
        _ = try await client.chain(of: "ann")
        server.clock.advance(by: .seconds(10))
        server.changesGate.shut()
        let early = Task { try await client.friendIDs("ann") }
        await server.changesGate.waiting(1)
        client.chainCache.apply(server.add("ben", to: "ann"))
        server.changesGate.open()
        #expect(try await early.value == ["ben"])
        #expect(try await client.friendIDs("ann") == ["ben"])
        #expect(server.asked == [0, 0])
    }

    // MARK: Reading while lists change

    @Test func changesWhileTheListsAreReadAreInTheChain() async throws {
        for friend in ["ben", "cat", "dan"] { server.add(friend, to: "ann") }
        let client = try server.client()
        server.friendsGate.shut()
        let question = Task { try await client.chain(of: "ann") }
        await server.friendsGate.waiting(1)
        // The first page has ben and cat; cat leaves, and eve comes onto the second page.
        server.remove("cat", from: "ann")
        server.add("eve", to: "ann")
        server.block("fay", by: "ann")
        server.friendsGate.open()
        let chain = try await question.value
        #expect(chain.friends.map(\.userID) == ["ben", "dan", "eve"])
        #expect(chain.blacklist.map(\.userID) == ["fay"] && chain.sequence == 6)
        #expect(server.loads == 1)
    }

    @Test func aListThatChangesInBulkIsReadAgain() async throws {
        let client = try server.client()
        _ = try await client.chain(of: "ann")
        server.importFriends("ben", "cat", of: "ann")
        #expect(try await client.chain(of: "ann", forceUpdate: true).friendCount == 2)
        #expect(server.loads == 2)
        client.chainCache.apply(server.change("ann", .with { $0.kind = .listChanged }))
        #expect(client.chainCache.counts.users == 0)
    }

    @Test func aListThatChangesInBulkWithoutEndIsAnError() async throws {
        let client = try server.client()
        server.double.answer(FriendMethods.listFriends) { [server] request in
            server.importFriends("ben", of: request.userID)
            return .with { _ in }
        }
        #expect(await failure { _ = try await client.chain(of: "ann") }?.code == .aborted)
        #expect(server.loads == ChainReader.mostTries)
    }

    @Test func aLogThatDoesNotReachBackLetsTheListsBeReadAgain() async throws {
        let client = try server.client()
        _ = try await client.chain(of: "ann")
        server.add("ben", to: "ann")
        server.trim("ann")
        #expect(try await client.chain(of: "ann", forceUpdate: true).isFriend("ben"))
        #expect(server.loads == 2)
    }

    @Test func aServerOfAnotherHistoryIsReadAnew() async throws {
        for friend in ["ben", "cat"] { server.add(friend, to: "ann") }
        let client = try server.client()
        _ = try await client.chain(of: "ann")
        try await client.add("dan", to: "ann")
        server.beginAnew()
        server.add("eve", to: "ann")
        // The sequence of the write was never issued there.
        for _ in 0..<2 { #expect(try await client.friendIDs("ann") == ["eve"]) }
        #expect(try await client.chain(of: "ann").sequence == 1)
        #expect(client.chainCache.counts.hits == 1)
    }
}
