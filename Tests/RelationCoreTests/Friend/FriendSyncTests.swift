import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// Copies of friend lists that are kept by the changes since their last request.
@Suite struct FriendSyncTests {
    private static let day: Int64 = 86_400_000

    private static func names(_ count: Int) -> [UserID] {
        (0..<count).map { UserID(stored: "u\($0)".utf8) }
    }

    // MARK: The contents of a delta

    @Test func aDeltaHoldsWhatCameWhatChangedAndWhatWent() throws {
        let world = try World("A", "B", "C", "D", "E")
        for user in ["B", "C", "D"] as [UserID] {
            #expect(try world.add(user, to: "A") == .success)
        }
        var copy = FriendCopy(of: "A")
        try copy.sync(world, limit: 10)
        #expect(copy.received == ["B", "C", "D"])
        #expect(copy.removed == [])
        #expect(try world.update("C", of: "A") { $0.remark = "x" } == .success)
        #expect(try world.delete("B", from: "A") == .success)
        #expect(try world.add("E", to: "A") == .success)
        try copy.sync(world, limit: 10)
        #expect(copy.received == ["C", "E"])
        #expect(copy.removed == ["B"])
        #expect(try copy.isExact(world))
        try copy.sync(world, limit: 10)
        #expect(copy.received == [] && copy.removed == [] && copy.resyncs == 0)
        #expect(try Audit(world, ["A", "B", "C", "D", "E"]).findings == [])
    }

    @Test func whoCameBackIsAFriendAndNotARemoval() throws {
        let world = try World("A", "B", "C")
        #expect(try world.add("B", to: "A") == .success)
        #expect(try world.add("C", to: "A") == .success)
        var copy = FriendCopy(of: "A")
        try copy.sync(world, limit: 1)
        for _ in 0..<3 {
            #expect(try world.delete("B", from: "A") == .success)
            #expect(try world.add("B", to: "A") == .success)
        }
        try copy.sync(world, limit: 1)
        #expect(copy.received == ["B"] && copy.removed == [])
        #expect(try world.delete("B", from: "A") == .success)
        try copy.sync(world, limit: 1)
        #expect(copy.received == [] && copy.removed == ["B"])
        #expect(try world.rows(of: Tables.tombstones, of: "A").map(\.key) == ["B"])
        #expect(try Audit(world, ["A", "B", "C"]).findings == [])
    }

    @Test func anEmptyCopyGetsNoRemovalsThatItNeverMissed() throws {
        let world = try World("A", "B", "C")
        #expect(try world.add("B", to: "A") == .success)
        #expect(try world.add("C", to: "A") == .success)
        #expect(try world.delete("B", from: "A") == .success)
        var copy = FriendCopy(of: "A")
        try copy.sync(world, limit: 1)
        #expect(copy.received == ["C"] && copy.removed == [] && copy.resyncs == 0)
        // A removal while the first pages are read is reported too.
        var other = FriendCopy(of: "A")
        #expect(try world.add("B", to: "A") == .success)
        var isGone = false
        try other.sync(world, limit: 1) { () throws(StorageError) in
            if !isGone { isGone = try world.delete("C", from: "A") == .success }
        }
        #expect(other.received == ["C", "B"] && other.removed == ["C"])
        #expect(try other.isExact(world))
    }

    @Test func aDeltaAfterAnImportContainsTheImportedFriends() throws {
        let world = try World("A", "B", "C")
        #expect(try world.importFriend("B", of: "A") == .success)
        var copy = FriendCopy(of: "A")
        try copy.sync(world, limit: 10)
        let answer = try world.importFriend("C", of: "A", bothWays: true)
        #expect(answer == .success)
        #expect(try world.importFriend("B", of: "A") { $0.remark = "dear" } == .success)
        try copy.sync(world, limit: 10)
        #expect(copy.received == ["C", "B"])
        #expect(try copy.isExact(world))
        var theirs = FriendCopy(of: "C")
        try theirs.sync(world, limit: 10)
        #expect(theirs.received == ["A"])
    }

    @Test func aDeltaOfThousandsOfChangesComesInPagesAndIsExact() throws {
        let world = try World("A")
        let users = Self.names(2_500)
        try world.create(users)
        try world.call(by: nil) { (ledger) throws(StorageError) in
            for user in users {
                _ = try FriendImport.write(
                    FriendImport.Row(owner: "A", friend: user), notify: false, in: ledger)
            }
        }
        var copy = FriendCopy(of: "A")
        try copy.sync(world, limit: 1_000)
        #expect(copy.rows.count == 2_500 && copy.pages == 3)
        try world.call(by: "A") { (ledger) throws(StorageError) in
            for (number, user) in users.enumerated() {
                if number.isMultiple(of: 2) {
                    _ = try FriendRules.delete(user, from: "A", .single, in: ledger)
                } else {
                    var change = FriendItem(user: user)
                    change.values.remark = "r\(number)"
                    _ = try FriendRules.update(change, of: "A", in: ledger)
                }
            }
        }
        try copy.sync(world, limit: 200)
        #expect(copy.received.count == 1_250 && copy.removed.count == 1_250)
        #expect(copy.resyncs == 0 && copy.pages == 3 + 13)
        #expect(try copy.isExact(world))
    }

    // MARK: How far it reaches

    @Test func tombstonesAreKeptAsLongAsTheLogAndThenTheCopyIsDropped() throws {
        let world = try World("A", "B", "C", "D")
        for user in ["B", "C", "D"] as [UserID] {
            #expect(try world.add(user, to: "A") == .success)
        }
        var early = FriendCopy(of: "A")
        try early.sync(world, limit: 10)
        #expect(try world.delete("B", from: "A") == .success)
        var late = FriendCopy(of: "A")
        try late.sync(world, limit: 10)
        let removal = try #require(try world.userRecord(of: "A")?.sequence)

        world.advance(milliseconds: world.settings.logLifetimeMs - 1)
        #expect(try world.update("C", of: "A") { $0.remark = "1" } == .success)
        #expect(try world.rows(of: Tables.tombstones, of: "A").map(\.key) == ["B"])
        world.advance(milliseconds: 1)
        #expect(try world.update("C", of: "A") { $0.remark = "2" } == .success)
        #expect(try world.rows(of: Tables.tombstones, of: "A").isEmpty)
        #expect(try world.userRecord(of: "A")?.friendsTrimmedTo == removal)

        try late.sync(world, limit: 1)
        #expect(late.resyncs == 0 && late.received == ["C"])
        try early.sync(world, limit: 1)
        #expect(early.resyncs == 1 && early.received == ["D", "C"])
        #expect(try early.isExact(world) && late.isExact(world))
        try early.sync(world, limit: 1)
        #expect(early.resyncs == 1)
        #expect(try Audit(world, ["A", "B", "C", "D"]).findings == [])
    }

    @Test func oneWriteTakesAwayOnlyAFewTombstones() throws {
        let world = try World("A", "Z")
        let users = Self.names(9)
        try world.create(users)
        for user in users { #expect(try world.add(user, to: "A") == .success) }
        #expect(try world.add("Z", to: "A") == .success)
        var copy = FriendCopy(of: "A")
        try copy.sync(world, limit: 100)
        try world.call(by: "A") { (ledger) throws(StorageError) in
            for user in users { _ = try FriendRules.delete(user, from: "A", .single, in: ledger) }
        }
        world.advance(milliseconds: world.settings.logLifetimeMs)
        for left in [7, 5, 3, 1, 0] {
            #expect(try world.update("Z", of: "A") { $0.remark = "\(left)" } == .success)
            #expect(try world.rows(of: Tables.tombstones, of: "A").count == left)
            #expect(try Audit(world, ["A", "Z"] + users).findings == [])
            var old = copy
            try old.sync(world, limit: 2)
            #expect(old.resyncs == 1)
            #expect(try old.isExact(world))
        }
    }

    @Test func aTombstoneThatGoesWhilePagesAreReadDropsTheCopy() throws {
        let world = try World("A", "Z")
        let users = Self.names(6)
        try world.create(users)
        for user in users { #expect(try world.add(user, to: "A") == .success) }
        #expect(try world.add("Z", to: "A") == .success)
        var copy = FriendCopy(of: "A")
        try copy.sync(world, limit: 100)
        #expect(try world.deleteAll(of: "A").mine == 7)
        #expect(try world.add("Z", to: "A") == .success)
        world.advance(milliseconds: world.settings.logLifetimeMs)
        // All removals share one sequence, and the first four tombstones are trimmed after the
        // first page.
        var writes = 0
        try copy.sync(world, limit: 1) { () throws(StorageError) in
            guard writes < 2 else { return }
            writes += 1
            _ = try world.update("Z", of: "A") { $0.remark = "\(writes)" }
        }
        #expect(copy.resyncs == 1)
        try copy.sync(world, limit: 1)
        #expect(copy.resyncs == 1)
        #expect(try copy.isExact(world))
    }

    @Test func aCopyFromAFutureThatNeverWasIsDropped() throws {
        let world = try World("A", "B")
        #expect(try world.add("B", to: "A") == .success)
        let userRecord = try #require(try world.userRecord(of: "A"))
        #expect(!FriendSync.next(since: userRecord.sequence, after: nil, userRecord).isWhole)
        #expect(FriendSync.next(since: userRecord.sequence + 1, after: nil, userRecord).isWhole)
        #expect(!FriendSync.next(since: 0, after: nil, UserRecord()).isWhole)
        let ahead = FriendSync.Point(
            base: 1, position: SequencedUser(sequence: userRecord.sequence + 1, user: "B"))
        #expect(FriendSync.next(since: 1, after: ahead, userRecord).isWhole)
    }

    // MARK: Random histories

    /// Every user's copy follows at its own pace, in small pages, between which calls go on.
    @Test(arguments: 0..<4)
    func aCopyKeptByDeltasIsTheListWhateverHappens(_ run: Int) throws {
        // The first seed is known to leave copies behind the log; the others are new each time.
        let seed = run == 0 ? 1 : UInt64.random(in: 0..<1_000_000)
        var settings = RelationHistory.settings(
            defaultAllowType: run < 2 ? .allowAny : .needConfirm)
        settings.applicationsPerDay = 0
        settings.limits.friends = 5
        // The lifetime is so short that some copies fall behind the log.
        settings.logLifetimeMs = run.isMultiple(of: 2) ? 5_000 : 7 * Self.day
        let world = try World(settings: settings)
        let users = RelationHistory.users
        try world.create(users)
        var history = RelationHistory(seed: seed)
        var copies = users.map { FriendCopy(of: $0) }
        for step in 0..<1_500 {
            _ = try world.apply(history.next())
            let number = step % 31
            guard number < copies.count else { continue }
            try copies[number].sync(world, limit: 1 + step % 3) { () throws(StorageError) in
                if step % 4 == 0 { _ = try world.apply(history.next()) }
            }
            // A call may have written after the last page: then the next sync brings the change.
            if step % 4 != 0 {
                let isExact = try copies[number].isExact(world)
                #expect(isExact, "seed \(seed), step \(step), \(copies[number].owner)")
                guard isExact else { return }
            }
        }
        let resyncs = copies.map(\.resyncs).reduce(0, +)
        if run == 0 { #expect(resyncs > 0) }
        if !run.isMultiple(of: 2) { #expect(resyncs == 0, "seed \(seed)") }
        #expect(try Audit(world, users, sharp: false).findings == [], "seed \(seed)")
    }
}
