import Memory
import Protobuf
import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

@testable import RelationCore

/// DismissSuggestions, RestoreSuggestions, and the suggestions after them.
@Suite struct DismissalTests {
    /// A has the friend f, whose other friends are p, q and r.
    private func world(
        _ change: (inout AppSettings) -> Void = { _ in }
    ) throws -> World {
        var settings = AppSettings.tim
        change(&settings)
        let world = try World(settings: settings)
        try world.create(["A", "f", "p", "q", "r"])
        world.makeFriends("A", "f")
        for user in ["p", "q", "r"] as [UserID] { world.makeFriends("f", user) }
        return world
    }

    /// The users that are suggested, by rows and by adjacency lists.
    private func suggested(
        _ owner: UserID, limit: Int = 200, in world: World
    ) throws -> [UserID] {
        let asked = CacheLookup(world.memory, loadingFriendsOf: owner, world.app)
        let found = try world.read { (transaction) throws(StorageError) in
            _ = try Accounts.record(of: owner, app: world.app, in: transaction)
            return try [nil, asked].map { (asked) throws(StorageError) in
                try FriendSuggestions(
                    to: owner, isAdmin: false, limit: limit, at: world.now, app: world.app,
                    asking: asked, in: transaction
                ).suggestions.map(\.user)
            }
        }
        #expect(found[0] == found[1])
        return found[0]
    }

    @Test func aSuspendedUserIsNotSuggestedUntilThatEnds() throws {
        let world = try world()
        // Memory knows the accounts before they are suspended, and notes them anew after that.
        for _ in 0..<3 { #expect(try suggested("A", in: world) == ["p", "q", "r"]) }
        let end = world.now.milliseconds + 1_000
        #expect(try world.suspend("p", .suspended, until: end) == .success)
        #expect(try world.suspend("q", .limited) == .success)
        #expect(try world.suspend("r", .banned) == .success)
        for _ in 0..<3 { #expect(try suggested("A", in: world) == ["q"]) }
        #expect(try suggested("A", limit: 1, in: world) == ["q"])
        #expect(try world.reinstate("r") == .success)
        for _ in 0..<3 { #expect(try suggested("A", in: world) == ["q", "r"]) }
        world.advance(milliseconds: 1_000)
        for _ in 0..<3 { #expect(try suggested("A", in: world) == ["p", "q", "r"]) }
        #expect(try world.suspend("p", .suspended, until: end + 1_000) == .success)
        for _ in 0..<3 { #expect(try suggested("A", in: world) == ["q", "r"]) }
    }

    /// A note that says only that the account exists, as a check of friends does, is too little.
    @Test func aSuspendedUserThatMemoryKnowsAsAnAccountIsNotSuggested() throws {
        let store = CountingStore()
        let world = try World("A", "f", "p", "q", on: store)
        world.makeFriends("A", "f")
        for user in ["p", "q"] as [UserID] { world.makeFriends("f", user) }
        #expect(try world.suspend("p", .suspended) == .success)
        func learn(_ names: [UserID]) throws {
            let arena = Arena()
            defer { arena.free() }
            let names = names.compactMap { arena.text($0.text) }
            names.withUnsafeBufferPointer {
                world.adjacency.insertAccounts(
                    $0, of: world.app.id, at: world.adjacency.readVersion())
            }
        }
        try learn(["p", "q"])
        // The lists of the caller and its friend are loaded meanwhile.
        for _ in 0..<3 { #expect(try suggested("A", in: world) == ["q"]) }
        #expect(try world.reinstate("p") == .success)
        try learn(["p"])
        for _ in 0..<2 { #expect(try suggested("A", in: world) == ["p", "q"]) }
        // From then on no row of a suggested user is read.
        let asked = CacheLookup(world.memory, loadingFriendsOf: "A", world.app)
        _ = store.take()
        let users = try world.read { (transaction) throws(StorageError) in
            _ = try Accounts.record(of: "A", app: world.app, in: transaction)
            return try FriendSuggestions(
                to: "A", isAdmin: false, at: world.now, app: world.app, asking: asked,
                in: transaction
            ).suggestions.map(\.user)
        }
        #expect(users == ["p", "q"])
        #expect(store.take().keys[Tables.pendencies.kind] == nil)
    }

    private func page(
        _ owner: UserID, after last: UserID? = nil, limit: Int = 9, in world: World
    ) throws -> [String] {
        try world.read { (transaction) throws(StorageError) in
            try Dismissals.page(
                of: owner, after: last, limit: limit, app: world.app, in: transaction
            ).map(\.userID)
        }
    }

    @Test func aDismissedUserIsNotSuggestedUntilItIsRestored() throws {
        let world = try world()
        #expect(try suggested("A", in: world) == ["p", "q", "r"])
        #expect(try world.dismiss("q", for: "A") == .success)
        #expect(try suggested("A", in: world) == ["p", "r"])
        // The next one takes the place, also if fewer are asked for.
        #expect(try world.dismiss("p", for: "A") == .success)
        #expect(try suggested("A", limit: 1, in: world) == ["r"])
        // The other user does not notice.
        #expect(try suggested("q", in: world) == ["A", "p", "r"])
        #expect(try world.restore("q", for: "A") == .success)
        #expect(try suggested("A", in: world) == ["q", "r"])
        #expect(try Audit(world, ["A", "f", "p", "q", "r"]).findings == [])
    }

    @Test func aRepeatedCallChangesNothing() throws {
        let world = try world()
        #expect(try world.restore("p", for: "A") == .unchanged)
        #expect(try world.dismiss("p", for: "A") == .success)
        let time = try world.rows(of: Tables.dismissals, of: "A").first?.record.dismissTimeMs
        world.advance(milliseconds: 5)
        #expect(try world.dismiss("p", for: "A") == .unchanged)
        #expect(
            try world.rows(of: Tables.dismissals, of: "A").first?.record.dismissTimeMs == time)
        #expect(try world.restore("p", for: "A") == .success)
        #expect(try world.restore("p", for: "A") == .unchanged)
        #expect(try world.userRecord(of: "A")?.dismissalCount == 0)
    }

    @Test func refusalsComeInTheirOrder() throws {
        let world = try world { $0.limits.dismissedSuggestions = 1 }
        #expect(
            try world.dismiss("A", for: "A")
                == Outcome(.invalidParameter, Reason.SuggestionDismiss.oneself))
        #expect(
            try world.dismiss("ghost", for: "A")
                == Outcome(.accountNotFound, Reason.SuggestionDismiss.accountNotExist))
        #expect(try world.dismiss("p", for: "A") == .success)
        #expect(
            try world.dismiss("ghost", for: "A")
                == Outcome(.accountNotFound, Reason.SuggestionDismiss.accountNotExist))
        #expect(
            try world.dismiss("q", for: "A")
                == Outcome(.invalidParameter, Reason.SuggestionDismiss.full))
        // One that is there needs no room, and each user has room of its own.
        #expect(try world.dismiss("p", for: "A") == .unchanged)
        #expect(try world.dismiss("q", for: "f") == .success)
        #expect(try world.restore("ghost", for: "A") == .unchanged)
    }

    @Test func onlyTheOwnersLogReportsADismissal() throws {
        let world = try world()
        let begin = try #require(try world.userRecord(of: "A")).sequence
        let other = try world.userRecord(of: "p")?.sequence
        #expect(try world.dismiss("p", for: "A") == .success)
        #expect(try world.dismiss("p", for: "A") == .unchanged)
        #expect(try world.restore("p", for: "A") == .success)
        #expect(try world.restore("p", for: "A") == .unchanged)
        let events = try world.events(of: "A", after: begin)
        #expect(events.map(\.kind) == [.dismissalsChanged, .dismissalsChanged])
        #expect(events.flatMap(\.items).map(\.userID) == ["p", "p"])
        #expect(events.flatMap(\.items).map { $0.dismissedSuggestion?.userID } == ["p", nil])
        #expect(try world.userRecord(of: "A")?.dismissalsSequence == begin + 2)
        #expect(try world.userRecord(of: "p")?.sequence == other)
    }

    @Test func aFriendshipAndABlacklistLeaveTheDismissal() throws {
        let world = try world()
        #expect(try world.dismiss("p", for: "A") == .success)
        world.makeFriends("A", "p")
        #expect(try world.delete("p", from: "A", .both) == .success)
        #expect(try world.block("p", by: "A") == .success)
        #expect(try world.unblock("p", by: "A") == .success)
        #expect(try suggested("A", in: world) == ["q", "r"])
    }

    @Test func pagesAreInTheOrderOfTheIDs() throws {
        let world = try world()
        for user in ["r", "p", "q"] as [UserID] {
            #expect(try world.dismiss(user, for: "A") == .success)
        }
        #expect(try page("A", in: world) == ["p", "q", "r"])
        #expect(try page("A", limit: 2, in: world) == ["p", "q"])
        #expect(try page("A", after: "p", in: world) == ["q", "r"])
        // A page begins behind an id that is no longer there.
        #expect(try world.restore("q", for: "A") == .success)
        #expect(try page("A", after: "q", in: world) == ["r"])
        #expect(try page("f", in: world) == [])
    }
}
