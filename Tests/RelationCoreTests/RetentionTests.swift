import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

/// Retention of events: which are trimmed, when, and what is left to tell of them.
@Suite struct RetentionTests {
    private let users: [UserID] = ["A", "B", "C"]
    private let lifetime: Int64 = 60_000

    private func world(events: Int = 10_000) throws -> World {
        var settings = AppSettings.tim
        settings.logLifetimeMs = lifetime
        settings.logEvents = events
        return try World("A", "B", "C", settings: settings)
    }

    /// Sweeps until there is nothing left to do, and returns the number of steps.
    private func sweep(_ world: World, _ others: [UserID] = []) throws -> Int {
        var steps = 1
        while try world.maintenance() {
            steps += 1
            try #require(steps < 1_000, "the sweeps do not end")
        }
        #expect(try Audit(world, users + others).findings == [])
        #expect(try world.integrity() == [])
        return steps
    }

    /// Gives A's friend B `count` new remarks.
    private func rename(_ count: Int, in world: World) throws {
        for _ in 0..<count {
            let remark = "remark \(try world.userRecord(of: "A")?.sequence ?? 0)"
            #expect(try world.update("B", of: "A") { $0.remark = remark } == .success)
        }
    }

    private func length(_ world: World, _ user: UserID = "A") throws -> Int64 {
        let userRecord = try #require(try world.userRecord(of: user))
        return userRecord.sequence - userRecord.logFloor
    }

    // MARK: By age

    @Test func eventsGoWhenTheyAreAsOldAsTheAppAllows() throws {
        let world = try world()
        #expect(try world.add("B", to: "A") == .success)
        world.advance(milliseconds: 1_000)
        #expect(try world.add("C", to: "A") == .success)
        let userRecords = try users.map { try world.userRecord(of: $0) }
        world.advance(milliseconds: lifetime - 1_001)
        _ = try sweep(world)
        #expect(try world.log(of: "A").map(\.sequence) == [1, 2], "no event is too old yet")

        world.advance(milliseconds: 1)
        _ = try sweep(world)
        #expect(try world.log(of: "A").map(\.sequence) == [2])
        #expect(try world.log(of: "B").map(\.sequence) == [])
        #expect(try world.log(of: "C").map(\.sequence) == [1])
        for (user, old) in zip(users, userRecords) {
            var userRecord = try #require(try world.userRecord(of: user))
            #expect(userRecord.logFloorPosition <= (try world.feedState().trimmedTo))
            (userRecord.logFloor, userRecord.logFloorPosition) = (0, 0)
            #expect(userRecord == old, "nothing of a head but its floor has changed")
        }
        world.advance(milliseconds: 1_000)
        _ = try sweep(world)
        #expect(try users.map { try world.log(of: $0).count } == [0, 0, 0])
        #expect(try world.rows(of: Tables.feed, in: world.app.feed).isEmpty)
        // The lists are as they were, and the next event goes on.
        #expect(try world.friends(of: "A") == ["B", "C"])
        #expect(try world.delete("C", from: "A") == .success)
        #expect(try world.log(of: "A").map(\.sequence) == [3])
        #expect(try Audit(world, users).findings == [])
    }

    @Test func theFeedTellsHowFarItWasTrimmed() throws {
        let world = try world()
        #expect(try world.add("B", to: "A") == .success)
        let before = try world.feedState()
        #expect(before.position == 5, "three accounts, and an event of A and of B")
        #expect((before.trimmedTo, before.feedFloor) == (0, 0))
        world.advance(milliseconds: lifetime)
        #expect(try world.update("B", of: "A") { $0.remark = "new" } == .success)
        _ = try sweep(world)
        let after = try world.feedState()
        #expect((after.trimmedTo, after.feedFloor, after.position) == (5, 5, 6))
        let userRecord = try #require(try world.userRecord(of: "A"))
        #expect((userRecord.logFloor, userRecord.logFloorPosition) == (1, 4))
        #expect(try world.log(of: "A").map(\.1.feedPosition) == [6])
    }

    @Test func aShorterLifetimeHoldsFromThenOn() throws {
        let world = try world()
        world.settings.logLifetimeMs = 10 * lifetime
        #expect(try world.add("B", to: "A") == .success)
        world.advance(milliseconds: lifetime)
        _ = try sweep(world)
        #expect(try length(world) == 1)
        world.settings.logLifetimeMs = lifetime
        _ = try sweep(world)
        #expect(try length(world) == 0)
    }

    @Test func whatIsLeftOfADeletedAccountGoesWithAge() throws {
        let world = try world()
        #expect(try world.add("B", to: "A") == .success)
        _ = try world.call(by: nil) { (ledger) throws(StorageError) in
            try AccountDeletion.start("B", in: ledger)
        }
        try world.runJobs()
        #expect(try world.make("B") == .made)
        #expect(try world.add("B", to: "A") == .success)
        let userRecord = try #require(try world.userRecord(of: "B"))
        let position = try world.feedState().position
        #expect(
            userRecord.logFloorPosition == position - 2,
            "no reader goes on from before the new account")
        world.advance(milliseconds: lifetime)
        _ = try sweep(world)
        #expect(try world.log(of: "B").count == 0)
        #expect(try world.userRecord(of: "B")?.sequence == userRecord.sequence)
        #expect(try world.rows(of: Tables.feed, in: world.app.feed).isEmpty)
    }

    /// An older server kept in field 2 how far it had come with a part of the events.
    @Test func aRowOfAnOlderServerIsRead() throws {
        let world = try world()
        #expect(try world.add("B", to: "A") == .success)
        world.advance(milliseconds: lifetime)
        let row: [UInt8] = [0x08, 1, 0x10, 3, 0x18, 2]
        try world.write { (transaction) throws(StorageError) in
            try row.withUnsafeBufferPointer { (bytes) throws(StorageError) in
                try Tables.retention.set(
                    encoded: UnsafeRawBufferPointer(bytes), at: world.app.maintenance, OnlyKey(),
                    in: transaction)
            }
        }
        _ = try sweep(world)
        #expect(try world.feedState().feedFloor == 5, "all events were too old")
        let records = try world.rows(of: Tables.retention, in: world.app.maintenance)
        #expect(records.map(\.record.oldestMs) == [world.now.milliseconds])
    }

    // MARK: By count

    @Test func aLogThatGrewByTheSlackIsShortened() throws {
        let world = try world(events: 10)
        #expect(try sweep(world) == 1, "once all users are looked at")
        #expect(try world.add("B", to: "A") == .success)
        try rename(8 + Int(Limits.logSlack), in: world)
        _ = try sweep(world)
        #expect(try length(world) == 9 + Limits.logSlack, "one short of the slack")
        try rename(1, in: world)
        _ = try sweep(world)
        let userRecord = try #require(try world.userRecord(of: "A"))
        #expect(
            userRecord.sequence == 10 + Limits.logSlack && userRecord.logFloor == Limits.logSlack)
        #expect(try world.log(of: "A").count == 10)
        let feed = try world.feedState()
        #expect(feed.trimmedTo == userRecord.logFloorPosition && feed.feedFloor == 0)
        #expect(try world.log(of: "A").first?.1.feedPosition == userRecord.logFloorPosition + 1)
        // Nothing is left to do until the log has grown by the slack again.
        let rows = try world.everything()
        #expect(try sweep(world) == 1)
        #expect(try world.everything() == rows)
        // Rows that the feed still has are trimmed by age, and that removes nothing from the log.
        world.advance(milliseconds: lifetime - 1)
        try rename(1, in: world)
        world.advance(milliseconds: 1)
        _ = try sweep(world)
        #expect(try world.log(of: "A").map(\.sequence) == [userRecord.sequence + 1])
    }

    @Test func aSmallerNumberHoldsFromThenOn() throws {
        let world = try world()
        for friend: UserID in ["B", "C"] { #expect(try world.add(friend, to: "A") == .success) }
        try rename(50, in: world)
        _ = try sweep(world)
        #expect(try length(world) == 52)
        world.settings.logEvents = 7
        _ = try sweep(world)
        #expect(try length(world) == 7 && length(world, "B") == 1)
        // A higher limit brings no events back, and a lower one is noticed again.
        world.settings.logEvents = 20
        _ = try sweep(world)
        try rename(5, in: world)
        _ = try sweep(world)
        #expect(try length(world) == 12)
        world.settings.logEvents = 11
        _ = try sweep(world)
        #expect(try length(world) == 11)
    }

    @Test func everybodyIsLookedAtWhenLessIsAllowed() throws {
        let many = (0..<300).map { UserID(stored: "user\($0)".utf8) }
        let world = try world()
        try world.create(many)
        for user in many {
            for other: UserID in ["A", "B"] {
                _ = try world.call(by: user) { (ledger) throws(StorageError) in
                    try Blacklist.add(other, to: user, in: ledger)
                }
            }
        }
        _ = try sweep(world, many)
        world.settings.logEvents = 1
        #expect(try sweep(world, many) > 2, "in steps")
        for user in many { #expect(try length(world, user) == 1) }
    }

    // MARK: In steps

    @Test(arguments: [true, false])
    func aStepWritesABoundedNumberOfRows(_ byAge: Bool) throws {
        let world = try world(events: byAge ? 10_000 : 1)
        #expect(try world.add("B", to: "A") == .success)
        try rename(999, in: world)
        if byAge { world.advance(milliseconds: lifetime) }
        var steps = 0
        var rows = try count(world)
        while try world.maintenance() {
            let left = try count(world)
            #expect(rows - left <= Limits.rowsPerMaintenanceStep)
            rows = left
            steps += 1
            try #require(steps < 100)
            if steps % 3 == 0 { #expect(try Audit(world, users).findings == []) }
        }
        #expect(try length(world) == (byAge ? 0 : 1))
        #expect(steps >= 999 / Limits.rowsPerMaintenanceStep)
    }

    private func count(_ world: World) throws -> Int {
        try world.everything().joined().count
    }

    @Test func whereNothingIsTooOldNothingIsWritten() throws {
        let world = try world()
        #expect(try world.add("B", to: "A") == .success)
        _ = try sweep(world)
        let rows = try world.everything()
        world.advance(milliseconds: lifetime - 1)
        #expect(try sweep(world) == 1)
        #expect(try world.everything() == rows)
    }

    @Test func aClientThatIsTooFarBackLearnsIt() throws {
        let world = try world()
        #expect(try world.add("B", to: "A") == .success)
        try rename(4, in: world)
        world.advance(milliseconds: lifetime)
        try rename(3, in: world)
        _ = try sweep(world)
        let userRecord = try #require(try world.userRecord(of: "A"))
        let reached = (-1...10).filter { ChangeLog.reachesBack(to: $0, userRecord) }
        #expect(reached == [5, 6, 7, 8])
    }
}
