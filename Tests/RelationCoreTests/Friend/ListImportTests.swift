import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The rows of ImportBlacklists and ImportFollows.
@Suite struct ListImportTests {
    private static let users: [UserID] = ["A", "B", "C", "D"]

    private func world(_ edit: (inout AppSettings) -> Void = { _ in }) throws -> World {
        var settings = AppSettings.tim
        edit(&settings)
        let world = try World(settings: settings)
        try world.create(Self.users)
        return world
    }

    private func block(
        _ rows: [BlacklistImport.Row], notify: Bool = false, in world: World
    ) throws -> [FriendOutcome] {
        try world.call(by: nil) { (ledger) throws(StorageError) in
            var outcomes: [FriendOutcome] = []
            for row in rows {
                outcomes.append(try BlacklistImport.write(row, notify: notify, in: ledger))
            }
            return outcomes
        }
    }

    private func follow(
        _ rows: [FollowImport.Row], notify: Bool = false, in world: World
    ) throws -> [FollowOutcome] {
        try world.call(by: nil) { (ledger) throws(StorageError) in
            var outcomes: [FollowOutcome] = []
            for row in rows {
                outcomes.append(try FollowImport.write(row, notify: notify, in: ledger))
            }
            return outcomes
        }
    }

    /// - Parameter beside: The findings about rows beside a blacklist, as only an import has them.
    private func expectWhole(_ world: World, beside: [String] = []) throws {
        #expect(try Audit(world, Self.users).findings == beside)
        #expect(try world.integrity() == [])
    }

    // MARK: Blacklists

    @Test func aRowOfABlacklistChangesNothingElseAndKeepsItsTime() throws {
        let world = try world()
        for user in Self.users { try world.allow(.needConfirm, for: user) }
        #expect(try world.importFriend("B", of: "A", bothWays: true) == .success)
        #expect(try world.follow("A", "B") == .success)
        #expect(try world.add("C", to: "A", .single).code == .pending)
        let rows = [
            BlacklistImport.Row(owner: "A", user: "B", addTimeMs: 1_234),
            BlacklistImport.Row(owner: "A", user: "C"),
        ]
        #expect(try block(rows, in: world) == [.success, .success])
        #expect(try world.relation(of: "A", to: "B") == .bothWay)
        #expect(try world.follows(.following, of: "A").map(\.user) == ["B"])
        #expect(try world.pendency(.sendOut, with: "C", of: "A") != nil)
        #expect(try world.blocks("B", by: "A") && world.blocks("C", by: "A"))
        let notified = try world.events(of: "A").flatMap(\.items).compactMap(\.blacklistEntry)
        #expect(notified.map(\.addTimeMs) == [1_234, World.start])
        // A row that is there stays as it is, and no device hears of it.
        let sequence = try world.userRecord(of: "A")?.sequence
        let later = BlacklistImport.Row(owner: "A", user: "B", addTimeMs: 9)
        #expect(try block([later], in: world) == [.unchanged])
        #expect(try world.userRecord(of: "A")?.sequence == sequence)
        try expectWhole(
            world,
            beside: ["A: blocks its friend B", "A: has an application with C, whom it blocks"])
    }

    @Test func theFirstRefusalOfARowOfABlacklistIsTheAnswer() throws {
        let world = try world { $0.limits.blacklistedUsers = 1 }
        let rows = [
            BlacklistImport.Row(owner: "A", user: "A"),
            BlacklistImport.Row(owner: "ghost", user: "B"),
            BlacklistImport.Row(owner: "A", user: "ghost"),
            BlacklistImport.Row(owner: "A", user: "B"),
            BlacklistImport.Row(owner: "A", user: "C"),
            BlacklistImport.Row(owner: "A", user: "B"),
        ]
        #expect(
            try block(rows, in: world) == [
                Outcome(.invalidParameter, Reason.ListImport.oneself),
                Outcome(.accountNotFound, Reason.ListImport.accountNotExist),
                Outcome(.accountNotFound, Reason.ListImport.accountNotExist),
                .success,
                Outcome(.blacklistFull, Reason.ListImport.blacklistFull),
                .unchanged,
            ])
        try expectWhole(world)
    }

    @Test func anOwnerHearsOnceOfManyRowsOrOfEachByItself() throws {
        for notify in [false, true] {
            let world = try world()
            let rows = ["B", "C", "D"].map { BlacklistImport.Row(owner: "A", user: $0) }
            #expect(
                try block(rows, notify: notify, in: world) == [.success, .success, .success])
            let events = try world.events(of: "A")
            #expect(events.allSatisfy { $0.kind == .addBlacklist })
            #expect(events.map(\.items.count) == (notify ? [1, 1, 1] : [3]))
            #expect(events.flatMap(\.items).map(\.userID) == ["B", "C", "D"])
            for user in ["B", "C", "D"] as [UserID] {
                #expect(try world.events(of: user).isEmpty)
            }
            try expectWhole(world)
        }
    }

    // MARK: Follows

    @Test func aFollowIsWrittenWithItsTimeBesideABlacklistAndASuspension() throws {
        let world = try world()
        #expect(try world.block("B", by: "A") == .success)
        let rows = [
            FollowImport.Row(owner: "A", user: "B", followTimeMs: 1_234),
            FollowImport.Row(owner: "B", user: "A"),
        ]
        #expect(try follow(rows, in: world) == [.success, .success])
        #expect(try world.follows(.following, of: "A").map(\.timeMs) == [1_234])
        #expect(try world.follows(.mutual, of: "A").map(\.user) == ["B"])
        #expect(
            try follow([FollowImport.Row(owner: "A", user: "B", followTimeMs: 9)], in: world)
                == [.unchanged])
        #expect(try world.blocks("B", by: "A"))
        try expectWhole(world)
    }

    @Test func theFirstRefusalOfAFollowIsTheAnswer() throws {
        let world = try world {
            $0.limits.followings = 2
            $0.limits.followers = 2
            $0.limits.mutualFollows = 1
        }
        func row(_ owner: UserID, _ user: UserID) -> FollowImport.Row {
            FollowImport.Row(owner: owner, user: user)
        }
        let rows = [
            row("A", "A"), row("ghost", "A"), row("A", "ghost"), row("A", "B"), row("A", "C"),
            row("A", "D"), row("B", "A"), row("C", "A"), row("D", "B"), row("B", "D"),
            row("C", "B"), row("A", "B"),
        ]
        #expect(
            try follow(rows, in: world) == [
                Outcome(.invalidParameter, Reason.ListImport.oneself),
                Outcome(.accountNotFound, Reason.ListImport.accountNotExist),
                Outcome(.accountNotFound, Reason.ListImport.accountNotExist),
                .success, .success,
                Outcome(.followingFull, Reason.ListImport.followingFull),
                .success,
                Outcome(.theirMutualFull, Reason.ListImport.theirMutualFull),
                .success,
                Outcome(.selfMutualFull, Reason.ListImport.selfMutualFull),
                Outcome(.followersFull, Reason.ListImport.followersFull),
                .unchanged,
            ])
        try expectWhole(world)
    }

    @Test func bothUsersOfAFollowHearOnceOfManyRowsOrOfEachByItself() throws {
        for notify in [false, true] {
            let world = try world()
            let rows = ["B", "C"].map { FollowImport.Row(owner: $0, user: "A") }
            #expect(try follow(rows, notify: notify, in: world) == [.success, .success])
            let events = try world.events(of: "A")
            #expect(events.allSatisfy { $0.kind == .followersChanged })
            #expect(events.map(\.items.count) == (notify ? [1, 1] : [2]))
            #expect(try world.events(of: "B").map(\.kind) == [.followingChanged])
            try expectWhole(world)
        }
    }
}
