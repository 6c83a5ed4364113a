import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCore

/// The users that have a user as a friend, and that it does not have.
@Suite struct ReverseFriendsTests {
    private func page(
        of user: UserID, after last: UserID? = nil, limit: Int = 10, in world: World
    ) throws -> ReverseFriends.Page {
        try world.read { (transaction) throws(StorageError) in
            try ReverseFriends.page(
                of: user, after: last, limit: limit, app: world.app, in: transaction)
        }
    }

    private func count(of user: UserID, in world: World) throws -> Int {
        try world.read { (transaction) throws(StorageError) in
            try ReverseFriends.count(of: user, app: world.app, in: transaction)
        }
    }

    @Test func theyAreThoseOfTheRelationOtherUni() throws {
        let world = try World("A", "B", "C", "D")
        #expect(try page(of: "A", in: world) == ReverseFriends.Page())
        #expect(try world.add("A", to: "B", .single) == .success)
        #expect(try world.add("A", to: "C", .single) == .success)
        #expect(try world.add("D", to: "A", .single) == .success)
        #expect(try page(of: "A", in: world).users == ["B", "C"])
        #expect(try page(of: "D", in: world).users == ["A"])
        #expect(try world.add("B", to: "A", .single) == .success)
        #expect(try page(of: "A", in: world).users == ["C"], "B is a mutual friend now")
        #expect(try page(of: "B", in: world).users == [])
        #expect(try world.delete("B", from: "A") == .success)
        #expect(try page(of: "A", in: world).users == ["B", "C"])
        #expect(try world.block("C", by: "A") == .success)
        #expect(try page(of: "A", in: world).users == ["B"], "a block ends the friendship")
        #expect(try count(of: "A", in: world) == 1)
    }

    @Test func aBlacklistThatKeepsFriendshipsHidesNoUser() throws {
        let world = try World("A", "B")
        world.settings.keepsFriendshipOnBlacklist = true
        #expect(try world.add("A", to: "B", .single) == .success)
        #expect(try world.block("B", by: "A") == .success)
        #expect(try world.block("A", by: "B") == .success)
        #expect(try page(of: "A", in: world).users == ["B"], "as in CheckFriends")
    }

    @Test func aPageGoesOnAfterAnyUser() throws {
        let world = try World("A", "~", "a", "a b", "ab", "b")
        let users: [UserID] = ["a", "a b", "ab", "b", "~"]
        for user in users { #expect(try world.add("A", to: user, .single) == .success) }
        for limit in 1...6 {
            var found: [UserID] = []
            var last: UserID?
            repeat {
                let page = try page(of: "A", after: last, limit: limit, in: world)
                found += page.users
                last = page.last
            } while last != nil
            #expect(found == users)
        }
        // The user of the token may have left the list.
        #expect(try world.delete("A", from: "ab") == .success)
        #expect(try page(of: "A", after: "ab", in: world).users == ["b", "~"])
    }

    @Test func anAccountThatIsBeingDeletedIsLeftOut() throws {
        let world = try World("A", "B", "C", "D")
        for user in ["B", "C", "D"] as [UserID] {
            #expect(try world.add("A", to: user, .single) == .success)
        }
        try world.deleteAccount("C")
        var found = try page(of: "A", limit: 2, in: world)
        #expect(found == ReverseFriends.Page(users: ["B"], last: "C"))
        found = try page(of: "A", after: found.last, limit: 2, in: world)
        #expect(found == ReverseFriends.Page(users: ["D"], last: nil))
    }

    @Test func manyAreCountedUpToABound() throws {
        let world = try World("A")
        let most = Limits.reverseFriendsCounted
        for (number, wanted) in [(most, most), (most + 2, most + 1)] {
            try world.write { (transaction) throws(StorageError) in
                for index in 0..<number {
                    try Tables.mentions.set(
                        EmptyRecord(), at: world.app.partition(of: "A"),
                        Mention(.friends, UserID(stored: "u\(index)".utf8)), in: transaction)
                }
            }
            #expect(try count(of: "A", in: world) == wanted)
        }
    }

    // MARK: Where the app reports them

    private func reporting(_ users: UserID...) throws -> World {
        var settings = AppSettings.tim
        settings.reportsReverseFriends = true
        let world = try World(settings: settings)
        try world.create(users)
        return world
    }

    private func counted(of user: UserID, in world: World) throws -> Int? {
        try world.read { (transaction) throws(StorageError) in
            try ReverseCounts.counted(of: user, app: world.app, in: transaction)
        }
    }

    /// The changes of the list that the user's log has, each as the user with + or -.
    private func notified(_ user: UserID, in world: World) throws -> [String] {
        try world.events(of: user).filter { $0.kind == .reverseFriendsChanged }
            .map { event in
                event.items.map { ($0.reverseFriend ? "+" : "-") + $0.userID }
                    .joined(separator: " ")
            }
    }

    @Test func eachChangeIsReportedAndCounted() throws {
        let world = try reporting("A", "B", "C", "D")
        #expect(try world.add("A", to: "B", .single) == .success)
        #expect(try world.add("A", to: "C", .single) == .success)
        #expect(try counted(of: "A", in: world) == 2)
        // A mutual friend is none of them, and a new friendship of both sides never was one.
        #expect(try world.add("B", to: "A", .single) == .success)
        world.makeFriends("A", "D")
        #expect(try counted(of: "A", in: world) == 1)
        #expect(try world.delete("B", from: "A") == .success)
        #expect(try world.delete("D", from: "A", .both) == .success)
        #expect(try world.block("C", by: "A") == .success)
        #expect(try notified("A", in: world) == ["+B", "+C", "-B", "+B", "-C"])
        #expect(try notified("B", in: world) == [])
        #expect(try counted(of: "A", in: world) == 1)
        #expect(try page(of: "A", in: world).users == ["B"])
        #expect(try Audit(world, ["A", "B", "C", "D"]).findings == [])
    }

    @Test func theDeletionOfOneThatHasTheUserIsReported() throws {
        let world = try reporting("A", "B", "C")
        #expect(try world.add("A", to: "B", .single) == .success)
        #expect(try world.add("A", to: "C", .single) == .success)
        #expect(try world.add("C", to: "A", .single) == .success)
        try world.deleteAccount("B")
        try world.deleteAccount("C")
        try world.runJobs()
        #expect(try notified("A", in: world) == ["+B", "+C", "-C", "-B"])
        #expect(try counted(of: "A", in: world) == 0)
        #expect(try Audit(world, ["A", "B", "C"]).findings == [])
    }

    @Test func noUserIsNotifiedOrCountedUnlessTheAppWantsIt() throws {
        let world = try World("A", "B")
        #expect(try world.add("A", to: "B", .single) == .success)
        #expect(try notified("A", in: world) == [] && counted(of: "A", in: world) == nil)
        #expect(try world.rows(of: Tables.reverseCounts, of: "A").isEmpty)
        #expect(try world.userRecord(of: "A")?.reverseFriendsSequence == 0)
    }

    /// While the setting is off no write keeps the counter, so the one of before does not count.
    @Test func aCountOfBeforeIsMadeAnew() throws {
        let world = try reporting("A", "B", "C", "D")
        #expect(try world.add("A", to: "B", .single) == .success)
        world.settings.reportsReverseFriends = false
        world.settings.reverseEpoch += 1
        #expect(try world.add("A", to: "C", .single) == .success)
        world.settings.reportsReverseFriends = true
        world.settings.reverseEpoch += 1
        #expect(try counted(of: "A", in: world) == nil)
        #expect(try world.add("A", to: "D", .single) == .success)
        #expect(try counted(of: "A", in: world) == 3)
    }

    @Test func tooManyAreCountedByACheck() throws {
        let world = try reporting("A", "B")
        let most = Limits.reverseFriendsCounted
        let fans = (0..<most).map { UserID(stored: "u\($0)".utf8) }
        // They have had A since before; the writes have counted nothing.
        try world.write { (transaction) throws(StorageError) in
            for fan in fans {
                var row = FriendRecord()
                row.userID = "A"
                try Tables.friends.set(row, at: world.app.partition(of: fan), "A", in: transaction)
                try Tables.mentions.set(
                    EmptyRecord(), at: world.app.partition(of: "A"), Mention(.friends, fan),
                    in: transaction)
            }
        }
        #expect(try world.add("A", to: "B", .single) == .success)
        #expect(try counted(of: "A", in: world) == nil)
        func check() throws -> [Integrity.Finding] {
            var check = MentionsCheck("A", world.app)
            var findings: [Integrity.Finding] = []
            while !check.isDone {
                let part = try world.read { (transaction) throws(StorageError) in
                    try check.next(in: transaction)
                }
                findings += try world.call(by: nil) { (ledger) throws(StorageError) in
                    try MentionsCheck.repair(part, of: "A", in: ledger)
                }
            }
            return findings
        }
        #expect(try check().map(\.subject) == ["reverse_friend_count"])
        #expect(try counted(of: "A", in: world) == most + 1)
        #expect(try world.delete("A", from: "B") == .success)
        #expect(try counted(of: "A", in: world) == most)
        #expect(try check().isEmpty)
    }
}
