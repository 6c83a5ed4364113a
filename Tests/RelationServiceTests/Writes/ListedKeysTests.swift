import Protobuf
import RelationAPI
import RelationChanges
import RelationCore
import RelationModel
import RelationRuntime
import RelationSuite
import Storage
import Testing

@testable import RelationCalls
@testable import RelationService

/// A write lists the rows that it reads, so that the engine reads them together.
struct ListedKeysTests {
    /// The rows that a call looks up one by one, because only the last one leads to the next.
    private static let following: [String: Set<String>] = [
        // A number is free if no app has it, here or elsewhere; numbers are tried in their order.
        "CreateApp": ["apps", "appMoves"],
        // Only an app that was being deleted before the call has this row.
        "DeleteApp": ["appDeletions"],
    ]

    /// Every write is sent until it was applied, in apps that make accounts implicitly too.
    @Test func aWriteListsEveryRowThatItReads() throws {
        var run = ListedCalls()
        let writes = Set(ServiceTable.all.filter { $0.access == .write }.map(\.name))
        for seed in UInt64(1)...200 where seed <= 6 || run.applied != writes {
            try run.send(500, seed: seed)
        }
        #expect(run.applied == writes)
        for (name, tables) in run.unlisted.sorted(by: { $0.key < $1.key }) {
            let following = Self.following[name] ?? []
            let text = tables.filter { !following.contains($0.key) }.sorted { $0.key < $1.key }
                .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
            #expect(text.isEmpty, "\(name) reads rows that it has not listed: \(text)")
        }
    }

    @Test func aRowThatWasNotListedIsFound() throws {
        let store = ListingStore()
        let world = try World("ann", "bob", on: store)
        let ann = world.app.partition(of: "ann")
        var keys = KeyList()
        Tables.userRecords.add(ann, OnlyKey(), to: &keys)
        _ = store.take()
        try store.write(touching: []) { (transaction) throws(StorageError) in
            try transaction.prefetch(keys)
            _ = try Tables.userRecords.record(ann, OnlyKey(), in: transaction)
        }
        #expect(store.take() == [:])
        try store.write(touching: []) { (transaction) throws(StorageError) in
            try transaction.prefetch(keys)
            _ = try Tables.userRecords.record(
                world.app.partition(of: "bob"), OnlyKey(), in: transaction)
            _ = try Tables.friends.record(ann, "bob", in: transaction)
        }
        #expect(store.take() == ["heads": 1, "friends": 1])
        #expect(store.take() == [:])
    }

    @Test func aRowThatWasWrittenOrScannedIsListed() throws {
        let store = ListingStore()
        let world = try World("ann", on: store)
        let ann = world.app.partition(of: "ann")
        _ = store.take()
        try store.write(touching: []) { (transaction) throws(StorageError) in
            try Tables.groups.set(GroupRecord(), at: ann, GroupName("work"), in: transaction)
            _ = try Tables.groups.record(ann, GroupName("work"), in: transaction)
            try Tables.userRecords.scan(Tables.userRecords.all(of: ann), limit: 1, in: transaction)
            { _, _ in
                .more
            }
            _ = try Tables.userRecords.record(ann, OnlyKey(), in: transaction)
        }
        #expect(store.take() == [:])
    }
}

/// Random calls of all kinds, and the rows that they read without having listed them.
private struct ListedCalls {
    /// The names of the calls that were applied at least once.
    private(set) var applied: Set<String> = []
    /// For each call, the lookups that it had not listed, by table.
    private(set) var unlisted: [String: [String: Int]] = [:]

    mutating func send(_ count: Int, seed: UInt64) throws {
        var history = ServiceHistory(seed: seed)
        let board = PresenceBoard()
        let store = ListingStore()
        let harness = ServiceHarness(try World(on: store, settings: history.settings))
        try harness.world.create(ServiceHistory.users)
        try harness.register()
        for step in ServiceHistory.beginning { _ = try step.send(to: harness, WriteOptions()) }
        for _ in 0..<count {
            let timedStep = history.next()
            harness.world.advance(milliseconds: timedStep.pauseMs)
            for _ in 0..<timedStep.maintenance { _ = try harness.world.maintenance() }
            _ = store.take()
            try send(timedStep.step, timedStep.options, to: harness, store)
            switch history.number(11) {
            case 0, 1:
                try send(history.administration(board), timedStep.options, to: harness, store)
            case 2: try send(FriendRows.self, history.importedFriend(), to: harness.world, store)
            case 3: try send(AccountRows.self, history.importedAccount(), to: harness.world, store)
            case 4: try send(AppRows.self, history.importedAppRow(), to: harness.world, store)
            case 5:
                try send(
                    BlacklistRows.self, history.importedBlacklistEntry(), to: harness.world, store)
            case 6: try send(FollowRows.self, history.importedFollow(), to: harness.world, store)
            case 7: try send(ProfileRows.self, history.importedProfile(), to: harness.world, store)
            // Few histories reinstate a user before the suspension has ended by itself.
            case 8: try send(history.suspension(), WriteOptions(), to: harness, store)
            default: break
            }
        }
    }

    private mutating func send(
        _ step: ServiceStep, _ options: WriteOptions, to harness: ServiceHarness,
        _ store: ListingStore
    ) throws {
        var isApplied = false
        if case .response(_, applied: true, _) = try step.send(to: harness, options) {
            isApplied = true
        }
        note(String(step.description.prefix { $0 != " " }), isApplied, store)
    }

    /// Writes one row of an import as a stream of one row does.
    private mutating func send<Rows: ImportRows>(
        _ rows: Rows.Type, _ request: Rows.Request, to world: World, _ store: ListingStore
    ) throws {
        guard case .success(let row) = Rows.row(request, world.app)?.value else { return }
        var keys = KeyList()
        Rows.addKeys(row, world.app, to: &keys)
        var outcome = Outcome<Rows.Code>.success
        try store.write(touching: keys.partitions) { (transaction) throws(StorageError) in
            try transaction.prefetch(keys)
            let ledger = Ledger(
                app: world.app, now: world.now, origin: Origin(user: nil),
                transaction: transaction)
            var trail = ImportTrail()
            outcome = try Rows.apply(row, Rows.setup(request), &trail, in: ledger)
            try ledger.close()
        }
        note(Rows.name, outcome.code == .success, store)
    }

    private mutating func note(_ name: String, _ isApplied: Bool, _ store: ListingStore) {
        if isApplied { applied.insert(name) }
        unlisted[name, default: [:]].merge(store.take(), uniquingKeysWith: +)
    }
}
