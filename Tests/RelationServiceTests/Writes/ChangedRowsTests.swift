import Foundation
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

/// Random histories of all writes: `applied` is true exactly if a row differs after the call, and
/// exactly if some result says that it changed something.
///
/// `RELATION_SEED=n` runs that history alone. Otherwise one of the seeds is new each time and is
/// printed.
@Suite struct ChangedRowsTests {
    private static let chosen = ProcessInfo.processInfo.environment["RELATION_SEED"].map {
        UInt64($0) ?? 0
    }

    static let seeds: [UInt64] = {
        if let chosen { return [chosen] }
        let new = UInt64.random(in: 1000..<1_000_000_000)
        print("changed rows: RELATION_SEED=\(new) repeats the new history of this run")
        return [new]
    }()

    /// The writes that refuse a call as a whole instead of answering that nothing changed.
    private static let neverIdle: Set<String> = [
        "CreateApp", "CreateCredential", "RevokeCredential", "RotateAppSecret",
        "CreateOperatorKey", "RevokeOperatorKey", "AcquireConsumer", "CreateHook", "DeleteHook",
        "RotateHookSecret",
        "ReplayHook", "TestHook",
    ]

    /// Known histories, until each write was seen to change something and to change nothing.
    @Test(.enabled(if: chosen == nil))
    func everyWriteSaysWhetherARowDiffers() throws {
        let writes = Set(ServiceTable.all.filter { $0.access == .write }.map(\.name))
        let idle = writes.subtracting(Self.neverIdle)
        var run = ChangedRows()
        for seed in UInt64(1)...200
        where seed <= 6 || run.applied != writes || !run.idle.isSuperset(of: idle) {
            try run.send(400, seed: seed)
        }
        #expect(run.applied == writes)
        #expect(idle.subtracting(run.idle).isEmpty)
    }

    @Test(arguments: seeds)
    func aNewHistorySaysSoToo(_ seed: UInt64) throws {
        var run = ChangedRows()
        try run.send(600, seed: seed)
    }

    /// The test sees what it looks for.
    @Test func aRowThatDiffersIsFoundAndOneThatIsWrittenAgainIsNot() throws {
        let store = ComparingStore()
        let world = try World("A", "B", on: store)
        _ = store.take()
        try world.set(Tables.groups, GroupRecord(), of: "A", GroupName("work"))
        #expect(store.take().map(\.kind) == [Tables.groups.kind])
        try world.set(Tables.groups, GroupRecord(), of: "A", GroupName("work"))
        #expect(store.take() == [])
        try store.write(touching: []) { (transaction) throws(StorageError) in
            let savepoint = transaction.savepoint()
            Tables.groups.remove(
                world.app.partition(of: "A"), GroupName("work"), in: transaction)
            transaction.rollback(to: savepoint)
        }
        #expect(store.take() == [])
        try world.set(Tables.groups, nil, of: "A", GroupName("work"))
        #expect(store.take().map(\.isNew) == [false])
    }
}

/// Random calls of all kinds, each compared with the rows that differ after it.
private struct ChangedRows {
    /// The names of the writes that changed something, and of those that answered that nothing
    /// changed.
    private(set) var applied: Set<String> = []
    private(set) var idle: Set<String> = []

    mutating func send(_ count: Int, seed: UInt64) throws {
        var history = ServiceHistory(seed: seed)
        let board = PresenceBoard()
        let store = ComparingStore()
        let harness = ServiceHarness(try World(on: store, settings: history.settings))
        try harness.world.create(ServiceHistory.users)
        try harness.register()
        for step in ServiceHistory.beginning { _ = try step.send(to: harness, WriteOptions()) }
        for number in 0..<count {
            let timedStep = history.next()
            harness.world.advance(milliseconds: timedStep.pauseMs)
            for _ in 0..<timedStep.maintenance { _ = try harness.world.maintenance() }
            var options = timedStep.options
            // An answer that is kept is a row too.
            options.requestID = ""
            let stepName = "RELATION_SEED=\(seed), step \(number)"
            try send(timedStep.step, options, to: harness, store, stepName)
            switch history.number(12) {
            case 0, 1, 8:
                try send(history.administration(board), options, to: harness, store, stepName)
            case 2:
                try send(FriendRows.self, history.importedFriend(), to: harness, store, stepName)
            case 3:
                try send(AccountRows.self, history.importedAccount(), to: harness, store, stepName)
            case 4:
                try send(AppRows.self, history.importedAppRow(), to: harness, store, stepName)
            case 5:
                try send(
                    BlacklistRows.self, history.importedBlacklistEntry(), to: harness, store,
                    stepName)
            case 6:
                try send(FollowRows.self, history.importedFollow(), to: harness, store, stepName)
            case 7:
                try send(ProfileRows.self, history.importedProfile(), to: harness, store, stepName)
            default: break
            }
        }
    }

    private mutating func send(
        _ step: ServiceStep, _ options: WriteOptions, to harness: ServiceHarness,
        _ store: ComparingStore, _ stepName: String
    ) throws {
        let stepName = "\(stepName): \(step) \(options)"
        let name = String(step.description.prefix { $0 != " " })
        _ = store.take()
        let answer = try step.send(to: harness, options)
        let all = store.take()
        guard case .response(_, let isApplied, let changed) = answer else {
            try #require(all == [], "\(stepName): \(answer)")
            return
        }
        try #require(changed == nil || changed == isApplied, "\(stepName): \(answer)")
        if options.dryRun {
            try #require(!isApplied && all == [], "\(stepName): \(answer)")
            return
        }
        let differ = withoutAccounts(all, harness.world.app)
        switch name {
        case "ReportPresence":
            // Presence is in memory, and each report that was taken counts. Rows of the user have
            // when it and its devices were last seen, which is not written each time.
            let kinds = [Tables.userRecords.kind, Tables.seenDevices.kind]
            try #require(
                differ.allSatisfy { isApplied && kinds.contains($0.kind) }, "\(stepName)")
        case "UpdateProfile" where differ.count < all.count:
            // The account is what the update made, or was made for the acting user.
            try #require(isApplied || differ == [], "\(stepName): \(answer), \(all)")
        default:
            try #require(isApplied != differ.isEmpty, "\(stepName): \(answer), \(all)")
        }
        note(name, isApplied)
    }

    private mutating func note(_ name: String, _ isApplied: Bool) {
        if isApplied { applied.insert(name) } else { idle.insert(name) }
    }

    /// Writes one row of an import as a stream of one row does.
    private mutating func send<Rows: ImportRows>(
        _ rows: Rows.Type, _ request: Rows.Request, to harness: ServiceHarness,
        _ store: ComparingStore, _ stepName: String
    ) throws {
        let world = harness.world
        guard case .success(let row) = Rows.row(request, world.app)?.value else { return }
        var keys = KeyList()
        Rows.addKeys(row, world.app, to: &keys)
        var outcome = Outcome<Rows.Code>.success
        _ = store.take()
        try store.write(touching: keys.partitions) { (transaction) throws(StorageError) in
            try transaction.prefetch(keys)
            let ledger = Ledger(
                app: world.app, now: world.now, origin: Origin(user: nil),
                transaction: transaction)
            var trail = ImportTrail()
            outcome = try Rows.apply(row, Rows.setup(request), &trail, in: ledger)
            try ledger.close()
        }
        let all = store.take()
        // An account is what a row of ImportAccounts or ImportApp asks for.
        let asksForAccount = rows == AccountRows.self || rows == AppRows.self
        let differ = asksForAccount ? all : withoutAccounts(all, world.app)
        try #require(
            outcome.changed != differ.isEmpty, "\(stepName): \(request), \(outcome), \(all)")
        note(Rows.name, outcome.changed)
    }

    /// The differences without the accounts that a call made because it named their users: these
    /// are not a change of an item.
    private func withoutAccounts(
        _ all: [ComparingStore.Difference], _ app: App
    ) -> [ComparingStore.Difference] {
        let made = Set(
            all.filter { $0.kind == Tables.userRecords.kind && $0.isNew }.map(\.partition))
        guard !made.isEmpty else { return all }
        let own: Set<UInt8> = [
            Tables.userRecords.kind, Tables.departed.kind, Tables.profiles.kind,
        ]
        let shared: Set<UInt8> = [
            Tables.directory.kind, Tables.feedStates.kind, Tables.feed.kind,
        ]
        return all.filter { difference in
            !(own.contains(difference.kind) && made.contains(difference.partition))
                && !shared.contains(difference.kind)
        }
    }
}
