import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCore

/// The check of an app's history: its users, the rows that lead to entries, and its counts.
@Suite struct HistoryCheckTests {
    private static let users: [UserID] = ["A", "B", "C"]

    private func world() throws -> World {
        var settings = AppSettings.tim
        settings.historyDays = 30
        let world = try World("A", "B", "C", settings: settings)
        try world.call(by: "A", requestID: "r1") { (ledger) throws(StorageError) in
            for friend: UserID in ["B", "C"] {
                _ = try FriendRules.add(
                    FriendItem(user: friend), to: "A", .both, force: true, in: ledger)
            }
        }
        return world
    }

    /// The parts of a check that looks at one row at a time.
    private func check(_ world: World) throws -> [HistoryCheck.Part] {
        try world.read { (transaction) throws(StorageError) in
            var check = HistoryCheck(world.app, limit: 1)
            var parts: [HistoryCheck.Part] = []
            while !check.isDone { parts.append(try check.next(in: transaction)) }
            return parts
        }
    }

    private func findings(_ world: World) throws -> [Integrity.Finding] {
        try check(world).flatMap(\.findings)
    }

    /// Changes rows behind the back of the history.
    private func damage(
        _ world: World, _ body: (any WriteTransaction) throws(StorageError) -> Void
    ) throws {
        try world.commit { (transaction) throws(StorageError) in try body(transaction) }
    }

    private func repair(_ world: World) throws {
        for part in try check(world) {
            try world.call(by: nil) { (ledger) throws(StorageError) in
                try HistoryCheck.repair(part, in: ledger)
            }
        }
        #expect(try findings(world) == [])
        #expect(try Audit(world, Self.users).findings == [])
    }

    @Test func aHistoryThatIsWholeHasNoFinding() throws {
        #expect(try findings(world()) == [])
    }

    @Test func countsAreRepairedByTheirDifference() throws {
        let world = try world()
        let state = try world.historyState()
        try damage(world) { (transaction) throws(StorageError) in
            var wrong = state
            (wrong.last, wrong.count, wrong.bytes) = (1, 5, 7)
            try Tables.historyStates.set(
                wrong, at: world.app.historyPartition, OnlyKey(), in: transaction)
        }
        #expect(
            try findings(world)
                == [Integrity.Finding(user: nil, fault: .wrongCounter, subject: "history")])
        try repair(world)
        #expect(try world.historyState() == state)
    }

    @Test func rowsThatLeadToAnEntryComeBack() throws {
        let world = try world()
        try damage(world) { (transaction) throws(StorageError) in
            Tables.historyOfUsers.remove(world.app.partition(of: "B"), 1, in: transaction)
            Tables.historyOfRequests.remove(
                world.app.historyRequests, RequestPosition(id: RequestID("r1"), position: 2),
                in: transaction)
        }
        #expect(
            try findings(world) == [
                Integrity.Finding(user: "A", fault: .rowWithoutIndex, subject: "history"),
                Integrity.Finding(user: "A", fault: .rowWithoutIndex, subject: "history"),
            ])
        try repair(world)
    }

    @Test func rowsThatLeadNowhereGo() throws {
        let world = try world()
        try damage(world) { (transaction) throws(StorageError) in
            try Tables.historyOfUsers.set(
                EmptyRecord(), at: world.app.partition(of: "B"), 9, in: transaction)
            // The entry is about A and C.
            try Tables.historyOfUsers.set(
                EmptyRecord(), at: world.app.partition(of: "B"), 2, in: transaction)
            for key in [(id: "r1", position: UInt64(9)), (id: "r2", position: 1)] {
                try Tables.historyOfRequests.set(
                    EmptyRecord(), at: world.app.historyRequests,
                    RequestPosition(id: RequestID(key.id), position: key.position),
                    in: transaction)
            }
        }
        let stray = Integrity.Finding(
            user: nil, fault: .indexWithoutRow, subject: "history_of_requests")
        #expect(try findings(world) == [stray, stray])
        let own = try world.call(by: nil) { (ledger) throws(StorageError) in
            try Integrity.repairOwn("B", in: ledger)
        }
        let row = Integrity.Finding(
            user: "B", fault: .indexWithoutRow, subject: "history_of_users")
        #expect(own == [row, row])
        try repair(world)
    }

    @Test func anEntryAboutNoAccountGoes() throws {
        let world = try world()
        try damage(world) { (transaction) throws(StorageError) in
            let (table, partition) = (Tables.history, world.app.historyPartition)
            var record = HistoryRecord()
            record.userID = "A"
            record.otherUserID = "unknown"
            try table.set(record, at: partition, 3, in: transaction)
        }
        let found = try findings(world)
        #expect(
            found == [
                Integrity.Finding(user: "unknown", fault: .halfPair, subject: "history"),
                Integrity.Finding(user: nil, fault: .wrongCounter, subject: "history"),
            ])
        try repair(world)
        #expect(try world.history().entries.map(\.position) == [2, 1])
    }

    @Test func theEntriesOfADeletionThatGoesOnAreNoError() throws {
        let world = try world()
        try world.deleteAccount("B")
        #expect(try findings(world) == [])
        try world.runJobs()
        #expect(try findings(world) == [])
    }
}
