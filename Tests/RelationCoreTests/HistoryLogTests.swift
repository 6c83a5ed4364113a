import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

/// The history of an app's relations: what is kept, for whom, and for how long.
@Suite struct HistoryLogTests {
    private static let users: [UserID] = ["A", "B", "C"]

    private func world(days: Int = 30, bytes: Int64 = 1 << 30) throws -> World {
        var settings = AppSettings.tim
        (settings.historyDays, settings.historyBytes) = (days, bytes)
        return try World("A", "B", "C", settings: settings)
    }

    private func expectWhole(_ world: World) throws {
        #expect(try Audit(world, Self.users).findings == [])
        #expect(try world.integrity() == [])
    }

    // MARK: Writing

    @Test func eachChangeOfTwoUsersIsAnEntryWithItsRows() throws {
        let world = try world()
        #expect(try world.add("B", to: "A") { $0.remark = "Bobby" } == .success)
        #expect(try world.lastChanges() == ["A addFriend B", "B addFriend A"])
        #expect(try world.update("B", of: "A") { $0.remark = "Rob" } == .success)
        #expect(try world.lastChanges() == ["A friendChange B"])
        #expect(try world.block("B", by: "A") == .success)
        #expect(
            try world.lastChanges()
                == ["A deleteFriend B", "B deleteFriend A", "A addBlacklist B"])
        #expect(try world.unblock("B", by: "A") == .success)
        #expect(try world.lastChanges() == ["A deleteBlacklist B"])
        let entries = try world.history().entries
        #expect(entries.map(\.position) == [4, 3, 2, 1])
        let change = try #require(entries.first { $0.position == 2 })
        let rows = try world.read { (transaction) throws(StorageError) in
            try change.record.rows(in: transaction)
        }
        guard case .friend(let before?, let after?) = rows.first?.content else {
            Issue.record("no row of a friend")
            return
        }
        #expect(before.remark == "Bobby" && after.remark == "Rob")
        try expectWhole(world)
    }

    @Test func anEntryTellsWhoseCallItWas() throws {
        let world = try world()
        try world.call(by: "A", device: "phone", requestID: "r1") {
            (ledger) throws(StorageError) in
            _ = try FriendRules.add(FriendItem(user: "B"), to: "A", .both, force: true, in: ledger)
        }
        let record = try #require(try world.history().entries.first?.record)
        #expect(record.actorUserID == "A" && record.deviceID == "phone")
        #expect(record.requestID == "r1" && record.caller == .server)
        #expect(record.timeMs == world.now.milliseconds)
    }

    @Test func eachEntryOfACallTellsItsCredentialItsAddressAndTheAnswerOfTheHook() throws {
        let world = try world()
        let source = CallSource(
            credential: "key:6f1c09d2a4b8e355", address: "private", hookAnswer: .changed)
        try world.call(by: "A", source: source) { (ledger) throws(StorageError) in
            for friend: UserID in ["B", "C"] {
                _ = try FriendRules.add(
                    FriendItem(user: friend), to: "A", .both, force: true, in: ledger)
            }
        }
        let records = try world.history().entries.map(\.record)
        #expect(records.map(\.credential) == ["key:6f1c09d2a4b8e355", "key:6f1c09d2a4b8e355"])
        #expect(records.map(\.address) == ["private", "private"])
        #expect(records.map(\.hookAnswer) == [.changed, .changed])
        try expectWhole(world)
    }

    /// An entry of an older server has none of them either.
    @Test func anEntryOfACallWithoutASourceIsAsShortAsBefore() throws {
        let world = try world()
        try world.call(by: "A") { (ledger) throws(StorageError) in
            _ = try FriendRules.add(FriendItem(user: "B"), to: "A", .both, force: true, in: ledger)
        }
        let bare = try world.historyState().bytes
        let record = try #require(try world.history().entries.first?.record)
        #expect(record.credential == "" && record.address == "")
        #expect(record.hookAnswer == .unspecified)
        let source = CallSource(credential: "user", address: "public").judged(.silent)
        try world.call(by: "A", source: source) { (ledger) throws(StorageError) in
            _ = try FriendRules.add(FriendItem(user: "C"), to: "A", .both, force: true, in: ledger)
        }
        // Each field has a number of two bytes, and each text a length of one.
        let texts = "user".utf8.count + "public".utf8.count
        let more = Int64(texts + 3 + 3 + 2 + 1)
        let bytes = try world.historyState().bytes
        #expect(bytes == 2 * bare + more)
    }

    @Test func anAppWithoutAHistoryKeepsNoSource() throws {
        let world = try world(days: 0)
        let source = CallSource(credential: "user", address: "loopback")
        try world.call(by: "A", source: source) { (ledger) throws(StorageError) in
            _ = try FriendRules.add(FriendItem(user: "B"), to: "A", .both, force: true, in: ledger)
        }
        #expect(try world.history().entries.isEmpty)
    }

    @Test func applicationsThatWaitAreInIt() throws {
        let world = try world()
        world.settings.defaultAllowType = .needConfirm
        #expect(try world.add("B", to: "A").code == .pending)
        #expect(try world.lastChanges() == ["A addFriendRequest B", "B addFriendRequest A"])
        #expect(try world.respond(to: "A", of: "B", .agreeAndAdd) == .success)
        #expect(
            try Set(world.lastChanges()) == [
                "A addFriend B", "B addFriend A", "A deleteFriendRequest B",
                "B deleteFriendRequest A",
            ])
        try expectWhole(world)
    }

    @Test func aCallThatChangesNothingOrIsTakenBackLeavesNoEntry() throws {
        let world = try world()
        func ledger(in transaction: any WriteTransaction) -> Ledger {
            Ledger(
                app: world.app, now: world.now, origin: Origin(user: "A"), transaction: transaction)
        }
        try world.commit { (transaction) throws(StorageError) in
            let first = ledger(in: transaction)
            let savepoint = first.savepoint()
            _ = try FriendRules.add(FriendItem(user: "B"), to: "A", .both, force: true, in: first)
            first.rollback(to: savepoint)
            let next = ledger(in: first.transaction)
            _ = try FriendRules.add(FriendItem(user: "C"), to: "A", .both, force: true, in: next)
            try next.close()
        }
        #expect(try world.history().entries.map(\.record.otherUserID) == ["C"])
        #expect(try world.delete("B", from: "A").code != .success)
        #expect(try world.historyState().count == 1)
    }

    @Test func anAppWithoutDaysKeepsNothing() throws {
        let world = try world(days: 0)
        #expect(try world.add("B", to: "A") == .success)
        #expect(try world.history().entries.isEmpty)
        #expect(try world.rows(of: Tables.historyStates, in: world.app.historyPartition).isEmpty)
    }

    // MARK: Reading

    @Test func aQueryFindsUsersPairsKindsActorsAndTimes() throws {
        let world = try world()
        let start = world.now.milliseconds
        #expect(try world.add("B", to: "A") == .success)
        world.advance(milliseconds: 10)
        #expect(try world.add("C", to: "A") == .success)
        world.advance(milliseconds: 10)
        #expect(try world.block("B", by: "C") == .success)
        func found(_ edit: (inout HistoryLog.Query) -> Void) throws -> [UInt64] {
            try world.history(edit).entries.map(\.position)
        }
        #expect(try found { $0.user = "A" } == [2, 1])
        #expect(try found { $0.user = "B" } == [3, 1])
        #expect(try found { ($0.user, $0.other) = ("B", "C") } == [3])
        #expect(try found { ($0.user, $0.other) = ("C", "B") } == [3])
        #expect(try found { $0.kinds = [.addBlacklist] } == [3])
        #expect(try found { $0.actor = "A" } == [2, 1])
        #expect(try found { ($0.sinceMs, $0.untilMs) = (start + 10, start + 20) } == [2])
        let first = try world.history(limit: 2)
        #expect(first.entries.map(\.position) == [3, 2] && first.next == 2)
        let second = try world.history(below: 2, limit: 2)
        #expect(second.entries.map(\.position) == [1] && second.next == nil)
    }

    // MARK: Removal

    @Test func entriesGoWhenTheyAreTooOld() throws {
        let world = try world(days: 1)
        #expect(try world.add("B", to: "A") == .success)
        world.advance(milliseconds: 1_000)
        #expect(try world.add("C", to: "A") == .success)
        world.advance(milliseconds: 86_400_000 - 1_001)
        while try world.maintenance() {}
        #expect(try world.historyState().count == 2)
        world.advance(milliseconds: 1)
        while try world.maintenance() {}
        #expect(try world.history().entries.map(\.position) == [2])
        try expectWhole(world)
        world.settings.historyDays = 0
        while try world.maintenance() {}
        #expect(try world.historyState().count == 0)
        // Positions go on.
        world.settings.historyDays = 1
        #expect(try world.delete("B", from: "A") == .success)
        #expect(try world.history().entries.map(\.position) == [3])
        try expectWhole(world)
    }

    @Test func theOldestEntriesGoWhenTheBytesAreTooMany() throws {
        let world = try world()
        for number in 0..<20 {
            world.advance(milliseconds: 1)
            #expect(try world.update(number, of: "A", in: world))
        }
        let bytes = try world.historyState().bytes
        world.settings.historyBytes = bytes / 2
        while try world.maintenance() {}
        let state = try world.historyState()
        #expect(state.bytes <= bytes / 2 && state.count >= 8 && state.count <= 12)
        #expect(try world.history().entries.first?.position == 20)
        try expectWhole(world)
    }

    @Test func aDeletedAccountTakesItsEntriesAlong() throws {
        let world = try world()
        #expect(try world.add("B", to: "A") == .success)
        #expect(try world.add("C", to: "A") == .success)
        #expect(try world.block("B", by: "C") == .success)
        try world.deleteAccount("B")
        try world.runJobs()
        let entries = try world.history().entries
        #expect(entries.map(\.position) == [2], "the deletion itself adds none")
        #expect(!entries.contains { $0.record.names("B") })
        #expect(try world.kinds(of: "B") == [Tables.departed.kind])
        #expect(try world.undo(1) == FriendOutcome(.invalidParameter, Reason.ChangeUndo.notExist))
        try expectWhole(world)
    }
}

extension World {
    /// Gives `user` the friend B with another remark.
    fileprivate func update(_ number: Int, of user: UserID, in world: World) throws -> Bool {
        guard number > 0 else { return try add("B", to: user) == .success }
        return try update("B", of: user) { $0.remark = "remark \(number)" } == .success
    }
}
