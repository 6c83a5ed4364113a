import GRPC
import RPC
import RelationAPI
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime
import Storage

/// Rows of an import on their way through the committer.
///
/// `@unchecked Sendable`: a loop makes it and hands it to the committer, which hands it back to the
/// same loop. Both hand-overs are queues that order memory, and no two threads hold it at once.
final class ImportJob<Rows: ImportRows>: Job, @unchecked Sendable {
    let handle: CallHandle
    let deadline: Deadline?
    let epoch: Int64
    let rows: [ImportRow<Rows.Row, Rows.Code>]
    /// The number of the first row.
    let firstRow: Int64
    /// The outcome of each row; nil for a row that an earlier stream of the import wrote.
    private(set) var outcomes: [Outcome<Rows.Code>?] = []
    /// More about the outcomes of rows, by their indices in `rows`.
    private(set) var details: [Int: ImportRowDetail] = [:]
    private(set) var trail: ImportTrail
    private let trailBefore: ImportTrail
    /// The app with what the rows of a dry run have defined.
    private(set) var app: App
    /// The progress of the import with these rows.
    private(set) var state = ImportRecord()
    private let stateBefore: ImportRecord
    private(set) var error: ImportError?
    private let appBefore: App
    private let apps: Apps
    private let now: Timestamp
    private let wake: @Sendable () -> Void
    private let setup: ImportSetup
    private let done: (ImportJob, ServerCall) -> Void

    init(
        _ rows: [ImportRow<Rows.Row, Rows.Code>], from firstRow: Int64,
        after progress: ImportProgress,
        _ trail: ImportTrail, _ setup: ImportSetup, app: App, apps: Apps, now: Timestamp,
        wake: @escaping @Sendable () -> Void, handle: CallHandle,
        deadline: Deadline?, epoch: Int64, done: @escaping (ImportJob, ServerCall) -> Void
    ) {
        self.epoch = epoch
        self.rows = rows
        self.firstRow = firstRow
        var state = ImportRecord()
        state.lastRow = progress.lastDurableRow
        state.written = progress.accepted
        state.refused = progress.refused
        stateBefore = state
        self.trail = trail
        trailBefore = trail
        self.app = app
        appBefore = app
        self.apps = apps
        self.now = now
        self.wake = wake
        self.setup = setup
        self.handle = handle
        self.deadline = deadline
        self.done = done
    }

    var owner: WorkOwner { WorkOwner(app: app.id, isImport: true) }
    var cost: Int { max(1, rows.count) }

    var writes: Int { max(1, rows.count) }

    private var key: ImportKey? {
        setup.hasProgress ? ImportKey(Rows.name, setup.importID) : nil
    }

    var keys: KeyList {
        var keys = KeyList()
        if let key { Tables.imports.add(app.maintenance, key, to: &keys) }
        if stateBefore.lastRow == 0 { Rows.addOpeningKeys(app, to: &keys) }
        for case .success(let row) in rows.lazy.map(\.value) {
            Rows.addKeys(row, app, to: &keys)
        }
        return keys
    }

    func run(in transaction: any WriteTransaction) throws(StorageError) {
        // A store may run the body again after it lost a race.
        outcomes = []
        details = [:]
        error = nil
        (trail, app) = (trailBefore, appBefore)
        guard let known = apps.inTransaction(app.id) else {
            error = .unknownApp(app.id)
            return
        }
        if !setup.isDryRun { app = known }
        var ledger = ledger(in: transaction)
        state = stateBefore
        if let key {
            state = try Imports.record(key, in: ledger) ?? ImportRecord()
            trail.position = state.position
        }
        if state.lastRow == 0, let refusal = try Rows.refusal(in: ledger) {
            error = .refused(refusal)
            return
        }
        for index in rows.indices {
            let number = firstRow + Int64(index)
            // The state is read in this transaction, so no stream writes a row twice.
            guard number > state.lastRow else {
                outcomes.append(nil)
                continue
            }
            trail.detail = nil
            let outcome = try apply(rows[index], in: ledger)
            outcomes.append(outcome)
            if let detail = trail.detail { details[index] = detail }
            state.lastRow = number
            if outcome.code == .success { state.written += 1 } else { state.refused += 1 }
            guard let change = ledger.appChange, let changed = change.app else { continue }
            // The rows after a definition are read by it.
            if !setup.isDryRun { try close(ledger) }
            app = changed
            ledger = self.ledger(in: transaction)
        }
        guard !setup.isDryRun else { return }
        state.position = trail.position
        if let key, !rows.isEmpty { try Imports.store(state, at: key, in: ledger) }
        try close(ledger)
    }

    private func ledger(in transaction: any WriteTransaction) -> Ledger {
        Ledger(app: app, now: now, origin: setup.origin, transaction: transaction)
    }

    private func close(_ ledger: Ledger) throws(StorageError) {
        try ledger.close()
        if let endMs = ledger.soonestEndMs { apps.ends.lower(app.id, to: endMs) }
        if let change = ledger.appChange {
            apps.stage(change)
            // The index of names is made or removed in the background, as after UpdateApp.
            if change.app?.settings.findEpoch != ledger.app.settings.findEpoch { wake() }
        }
        for change in ledger.credentialChanges { apps.stage(change) }
        for change in ledger.sessionChanges { apps.stage(change) }
    }

    private func apply(
        _ row: ImportRow<Rows.Row, Rows.Code>, in ledger: Ledger
    ) throws(StorageError) -> Outcome<Rows.Code> {
        switch row.value {
        case .success(let value): try Rows.apply(value, setup, &trail, in: ledger)
        case .failure(let refusal): refusal.outcome
        }
    }

    func fail(_ error: StorageError) {
        self.error = .store(error)
    }

    func finish(_ call: ServerCall) {
        done(self, call)
    }
}

/// The reason why rows were not written.
enum ImportError {
    case unknownApp(UInt32)
    case refused(RPCError)
    case store(StorageError)
}
