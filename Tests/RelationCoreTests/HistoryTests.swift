import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

/// The numbers that an app gives out in another history: none of an earlier one, known or lost.
@Suite struct HistoryTests {
    private let users: [UserID] = ["A", "B", "C"]
    /// A moment before the one at which a restore is made.
    private static let floor = World.start * 1_000

    /// A world with some events, as it was at the moment of a backup.
    private func world() throws -> World {
        var settings = AppSettings.tim
        settings.logLifetimeMs = 60_000
        let world = try World("A", "B", "C", settings: settings)
        #expect(try world.add("B", to: "A") == .success)
        #expect(try world.update("B", of: "A") { $0.remark = "bob" } == .success)
        _ = try setNick("bob", of: "B", world)
        return world
    }

    private func restore(_ world: World) {
        world.settings.history = world.settings.history.renewed(at: world.now)
    }

    private func setNick(_ nick: String, of user: UserID, _ world: World) throws -> Int64 {
        var values = ProfileRecord()
        values.nick = nick
        let result = try world.call(by: user) { (ledger) throws(StorageError) in
            try Profiles.update(
                user, values, fields: [.nick], expectedVersion: nil, in: ledger)
        }
        guard case .done(let version, true) = result else { preconditionFailure("\(result)") }
        return version
    }

    private func userRecord(_ user: UserID, _ world: World) throws -> UserRecord {
        try #require(try world.userRecord(of: user))
    }

    private func check(_ world: World, _ all: [UserID]) throws {
        #expect(try Audit(world, all).findings == [])
        #expect(try world.integrity() == [])
    }

    // MARK: Numbers

    @Test func aFloorIsAboveTheOneBeforeEvenIfTheClockWasSetBack() {
        let now = Timestamp(milliseconds: World.start)
        let first = History().renewed(at: now)
        #expect((Self.floor..<Self.floor + 1_000).contains(first.floor))
        #expect(first.floor < 1 << 53, "a number that clients may keep as floating point")
        let second = first.renewed(at: Timestamp(milliseconds: 0))
        #expect(second.floor == first.floor + CoreLimits.leastFloorStep)
        #expect(Set([History().id, first.id, second.id]).count == 3)
        let never = History().renewed(at: Timestamp(milliseconds: .max))
        #expect(never.floor == CoreLimits.leastFloorStep)
    }

    @Test func aSequenceThatWasLostIsNotGivenOutAgain() throws {
        let (world, lost) = (try world(), try world())
        let before = try userRecord("A", world)
        #expect(try lost.add("C", to: "A") == .success)
        let known = try userRecord("A", lost).sequence
        restore(world)
        let floor = world.settings.history.floor
        #expect(try userRecord("A", world) == before, "nothing is written before the user changes")
        #expect(FriendSync.next(since: known, after: nil, before).isWhole)
        #expect(!ChangeLog.reachesBack(to: known, before))

        #expect(try world.update("B", of: "A") { $0.remark = "Bob" } == .success)
        let after = try userRecord("A", world)
        #expect((after.sequence, after.friendsSequence) == (floor + 1, floor + 1))
        #expect(try world.log(of: "A").map(\.sequence).last == floor + 1)
        for kept in [1, before.sequence, known] {
            #expect(FriendSync.next(since: kept, after: nil, after).isWhole)
            #expect(!ChangeLog.reachesBack(to: kept, after))
        }
        #expect(!FriendSync.next(since: after.sequence, after: nil, after).isWhole)
        #expect(ChangeLog.reachesBack(to: floor, after))
        #expect(try world.update("B", of: "A") { $0.remark = "Rob" } == .success)
        #expect(try userRecord("A", world).sequence == floor + 2)
        try check(world, users)
    }

    @Test func aVersionThatWasLostIsNotGivenOutAgain() throws {
        let (world, lost) = (try world(), try world())
        let kept = try world.read { (transaction) throws(StorageError) in
            try Profiles.record(of: "B", app: world.app, in: transaction).version
        }
        let known = try setNick("lost", of: "B", lost)
        restore(world)
        let version = try setNick("other", of: "B", world)
        #expect(kept < known && known < version)
        #expect(try setNick("next", of: "B", world) == version + 1)
        let chosen = try world.call(by: "C") { (ledger) throws(StorageError) in
            try Profiles.setVisibility(.friends, of: "C", expectedVersion: 0, in: ledger)
        }
        let next = world.settings.history.floor + 1
        #expect(chosen == .done(version: next, changed: true))
        for lost in [known, known + 1, 1] {
            #expect(
                try world.setProfile(of: "B", [.nick], expecting: lost) { $0.nick = "stale" }
                    == .stale(version: version + 1), "a version of the history before")
        }
        let choice = try world.call(by: "C") { (ledger) throws(StorageError) in
            try Profiles.setVisibility(.everyone, of: "C", expectedVersion: 1, in: ledger)
        }
        #expect(choice == .stale(version: next))
        try check(world, users)
    }

    @Test func anAccountThatIsMadeAgainCountsOn() throws {
        let world = try world()
        try world.deleteAccount("C")
        try world.runJobs()
        restore(world)
        let floor = world.settings.history.floor
        #expect(try world.make("C") == .made)
        #expect(try world.make("D") == .made)
        for user: UserID in ["C", "D"] {
            let userRecord = try userRecord(user, world)
            #expect((userRecord.sequence, userRecord.logFloor) == (floor, floor))
            #expect(FriendSync.next(since: 1, after: nil, userRecord).isWhole)
        }
        _ = try world.call(by: nil) { (ledger) throws(StorageError) in
            try Accounts.create("E", nick: "Eve", faceURL: "", in: ledger)
        }
        let eve = try world.read { (transaction) throws(StorageError) in
            try Profiles.record(of: "E", app: world.app, in: transaction)
        }
        #expect(
            (eve.version, eve.openVersion, eve.cardVersion) == (floor + 1, floor + 1, floor + 1))
        // The deletion of an account that has not changed since counts on as well.
        try world.deleteAccount("B")
        try world.runJobs()
        #expect(try world.make("B") == .made)
        #expect(try userRecord("B", world).sequence == floor + 1)
        try check(world, users + ["D", "E"])
    }

    @Test func theEventsOfTheHistoryBeforeLeaveWithTheFeed() throws {
        let world = try world()
        restore(world)
        #expect(try world.update("B", of: "A") { $0.remark = "Bob" } == .success)
        #expect(try world.log(of: "A").count == 3)
        try check(world, users)
        world.advance(milliseconds: 60_000)
        while try world.maintenance() {}
        #expect(try users.map { try world.log(of: $0).count } == [0, 0, 0])
        try check(world, users)
        let userRecord = try userRecord("A", world)
        #expect(userRecord.logFloor == userRecord.sequence)
    }

    // MARK: The registry

    private let store = MemoryStore()
    private let now = Timestamp(milliseconds: World.start)

    private func call<Result>(
        _ body: (Ledger) throws(StorageError) -> Result
    ) throws -> Result {
        try store.write(touching: []) { (transaction) throws(StorageError) in
            let ledger = Ledger(
                app: .registry, now: now, origin: Origin(user: nil), transaction: transaction)
            let result = try body(ledger)
            try ledger.close()
            return result
        }
    }

    private func make(_ id: UInt32) throws -> AppRecord {
        var making = AppRules.Making()
        making.id = id
        let result = try call { (ledger) throws(StorageError) in
            try AppRules.create(making, in: ledger)
        }
        guard case .done(_, let record) = result else { preconditionFailure("\(result)") }
        return record
    }

    private func record(_ id: UInt32) throws -> AppRecord {
        try #require(
            try store.read { (transaction) throws(StorageError) in
                try AppRules.record(of: id, in: transaction)
            })
    }

    @Test func appsOfOneNumberHaveHistoriesOfTheirOwn() throws {
        let first = try make(5)
        #expect(first.history.id != 0 && first.version == 1)
        _ = try call { (ledger) throws(StorageError) in try AppRules.delete(5, in: ledger) }
        _ = try call { (ledger) throws(StorageError) in
            try AppRules.removed(0, of: 5, isLast: true, in: ledger)
        }
        #expect(try make(5).history.id != first.history.id)
    }

    @Test func aStoreThatLostDataGivesAllAppsAndThoseToComeAFloor() throws {
        let first = try make(5)
        try Identity.beginHistory(in: store, at: now)
        let renewed = try record(5)
        #expect(renewed.history.id != first.history.id && renewed.floor >= Self.floor)
        #expect(renewed.version == first.version, "it has not changed")
        var change = AppRules.Change()
        change.name = "other"
        let result = try call { (ledger) throws(StorageError) in
            try AppRules.update(5, change, in: ledger)
        }
        guard case .done(let changed, true) = result else { preconditionFailure("\(result)") }
        #expect(changed.version == renewed.floor + 1)
        let later = try make(6)
        #expect(later.floor >= Self.floor && later.version == later.floor + 1)
        // To begin another one twice is as good as once.
        try Identity.beginHistory(in: store, at: now)
        #expect(try record(6).floor > later.floor)
    }

    @Test func theStoreHasAHistoryOfItsOwnWhichEndsWithThatOfItsApps() throws {
        func history(of store: any Store) throws -> History {
            try store.read { (transaction) throws(StorageError) in
                try Identity.registry(in: transaction).settings.history
            }
        }
        #expect(try history(of: store) == History())
        try Identity.settleHistories(in: store)
        let first = try history(of: store)
        #expect(first.id != 0 && first.floor == 0)
        try Identity.settleHistories(in: store)
        #expect(try history(of: store) == first)
        try Identity.beginHistory(in: store, at: now)
        let second = try history(of: store)
        #expect(second.id != first.id && second.floor >= Self.floor)
        let other = MemoryStore()
        try Identity.settleHistories(in: other)
        #expect(try history(of: other).id != first.id)
    }

    @Test func anAppOfAServerWithoutHistoriesGetsOneAndKeepsItsTokens() throws {
        let made = try make(5)
        try store.write(touching: []) { (transaction) throws(StorageError) in
            var old = made
            old.history = History()
            old.eras = [3]
            try Tables.apps.set(
                old, at: App.registry.partition, AppNumber(5), in: transaction)
        }
        try Identity.settleHistories(in: store)
        let settled = try record(5).history
        #expect(settled.id != 0 && settled.floor == 0)
        #expect(settled.keepsOlderTokens && settled.eras == [3])
        try Identity.settleHistories(in: store)
        #expect(try record(5).history == settled)
        try Identity.beginHistory(in: store, at: now)
        #expect(try !record(5).keepsOlderTokens)
    }
}
