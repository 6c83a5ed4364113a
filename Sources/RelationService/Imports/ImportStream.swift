package import GRPC
package import Protobuf
package import RPC
package import RelationAPI
package import RelationAdmission
package import RelationCalls
package import RelationCore
import RelationModel
package import RelationRuntime
import Storage

/// The rows of one kind of import: how its messages become rows, and its rows become writes.
package protocol ImportRows: SendableMetatype {
    associatedtype Request: CodedMessage
    associatedtype Response: CodedMessage
    associatedtype Row
    /// The table of codes in which rows are answered.
    associatedtype Code: OutcomeCode

    /// The name of the call.
    static var name: String { get }

    /// Returns what the message sets for the import as a whole.
    static func setup(_ request: Request) -> ImportSetup

    /// Returns the row of a message, checked by itself; nil if it has none.
    static func row(_ request: Request, _ app: App) -> ImportRow<Row, Code>?

    static func addKeys(_ row: Row, _ app: App, to keys: inout KeyList)

    /// Writes the row, or refuses it and changes nothing; a dry run only checks it.
    static func apply(
        _ row: Row, _ setup: ImportSetup, _ trail: inout ImportTrail, in ledger: Ledger
    ) throws(StorageError) -> Outcome<Code>

    static func response(_ row: ImportRowOutcome<Code>) -> Response
    static func response(_ progress: ImportProgress) -> Response

    /// Whether an import of this kind may be a dry run.
    static var takesDryRuns: Bool { get }

    /// Returns the error with which the row of number 1 ends the import before anything is written.
    static func refusal(ofFirst row: Row) -> RPCError?

    /// Adds the rows that ``refusal(in:)`` reads.
    static func addOpeningKeys(_ app: App, to keys: inout KeyList)

    /// Returns the error with which an import ends that has written nothing yet.
    static func refusal(in ledger: Ledger) throws(StorageError) -> RPCError?
}

extension ImportRows {
    package static var takesDryRuns: Bool { false }

    package static func refusal(ofFirst row: Row) -> RPCError? { nil }

    package static func addOpeningKeys(_ app: App, to keys: inout KeyList) {}

    package static func refusal(in ledger: Ledger) throws(StorageError) -> RPCError? { nil }
}

/// The settings of an import, which its first message carries.
package struct ImportSetup {
    var options: WriteOptions?
    /// Whether each owner gets an event for each new friend; otherwise one event says that the list
    /// changed.
    package var notify = false
    /// Names the import, so that another stream can continue it; empty if none can.
    var importID = ""
    /// The number of the stream's first row; 0 means 1.
    var firstRow: Int64 = 0
    /// Whether the caller is an operator.
    package var isOperator = false
    /// The origin of the rows; the stream sets it.
    var origin = Origin(user: nil)
    /// Whether rows are only checked.
    package var isDryRun: Bool { options?.dryRun ?? false }
    /// Whether the import can be continued.
    var hasProgress: Bool { !importID.isEmpty && !isDryRun }

    package init(
        options: WriteOptions? = nil,
        notify: Bool = false,
        importID: String = "",
        firstRow: Int64 = 0
    ) {
        self.options = options
        self.notify = notify
        self.importID = importID
        self.firstRow = firstRow
    }

    /// Returns the errors of these settings.
    ///
    /// An import is many writes, so options that apply to one write have no meaning here.
    func check(isFirst: Bool, hasRow: Bool, takesDryRuns: Bool) -> Violations {
        var violations = Violations()
        guard isFirst else {
            let rule = "may be given in the first message only"
            if options != nil { violations.add("options", rule) }
            if notify { violations.add("notify", rule) }
            if !importID.isEmpty { violations.add("import_id", rule) }
            if firstRow != 0 { violations.add("first_row", rule) }
            if !hasRow { violations.add("row", "must be given") }
            return violations
        }
        violations.length(importID, "import_id", atMost: Limits.importIDBytes)
        if !(0...Limits.importRows).contains(firstRow) {
            violations.add("first_row", "is \(firstRow); 0 to \(Limits.importRows) may be sent")
        } else if firstRow > 1, importID.isEmpty {
            violations.add("first_row", "must be 1 without an import_id: nothing came before")
        }
        guard let options else { return violations }
        let meaningless = [
            ("request_id", !options.requestID.isEmpty),
            ("dry_run", options.dryRun && !takesDryRuns),
            ("all_or_nothing", options.allOrNothing),
            ("expected_sequence", options.expectedSequence != nil),
            ("list_effects", options.listEffects),
        ]
        for (name, isSet) in meaningless where isSet {
            violations.add("options.\(name)", "has no meaning for an import")
        }
        violations.length(options.deviceID, "options.device_id", atMost: Limits.deviceIDBytes)
        return violations
    }
}

/// One import: it takes rows in, writes many in each transaction, and answers rows that have
/// something to report by their number.
///
/// While one transaction is under way, new rows wait for the next. So a fast import goes as fast as
/// the store, and a slow import writes each row as it comes.
///
/// It stands in the target that names the kinds of rows, so that the compiler makes one copy for
/// each. In another target one copy served all, and asked at run time how to move each row.
package final class ImportStream<Rows: ImportRows>: StreamHandler {
    private let caller: Caller
    private let authenticator: Authenticator
    /// The generation that the last check of the caller's credential found.
    private var checkedGeneration: UInt64 = 0
    private let committer: Committer
    private let clock: ServiceClock
    private let wake: @Sendable () -> Void
    private let requests: Coder<Rows.Request>
    private let responses: Coder<Rows.Response>

    private var waiting: [ImportRow<Rows.Row, Rows.Code>] = []
    /// The number of the first row of `waiting`.
    private var nextRow: Int64 = 1
    /// Whether the stream knows how far the import had come before it.
    private var isTakenUp = false
    private var isCommitting = false
    private var isAtEnd = false
    private var isPaused = false
    /// Whether the server is stopping: the rows with the committer are written, and no others.
    private var isStopping = false
    /// Whether the client takes no answers now.
    ///
    /// If so, no more rows are written, since rows may have answers.
    private var isBlocked = false
    /// Nil until the first message has come.
    private var setup: ImportSetup?
    private var progress = ImportProgress()
    private var trail = ImportTrail()
    /// The app as a dry run has left it; nil if it changed nothing.
    private var dryApp: App?
    private var reported = ImportProgress()
    private var reportedAt: Timestamp

    /// - Parameter wake: Called if the background has something to do for the app.
    package init(
        _ caller: Caller, _ authenticator: Authenticator, committer: Committer, clock: ServiceClock,
        wake: @escaping @Sendable () -> Void, requests: Coder<Rows.Request>,
        responses: Coder<Rows.Response>
    ) {
        self.caller = caller
        self.wake = wake
        self.authenticator = authenticator
        self.committer = committer
        self.clock = clock
        self.requests = requests
        self.responses = responses
        reportedAt = clock.now()
    }

    // MARK: Rows come in

    package func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {
        let isFirst = setup == nil
        do throws(RPCError) {
            let request = try requests.request(message, call.arena)
            let row = Rows.row(request, caller.app)
            let said = Rows.setup(request)
            let violations = said.check(
                isFirst: isFirst, hasRow: row != nil, takesDryRuns: Rows.takesDryRuns)
            guard violations.isEmpty else { throw violations.error }
            if isFirst { begin(said, call) }
            if let row {
                waiting.append(row)
                let number = nextRow + Int64(waiting.count) - 1
                if number == 1, case .success(let value) = row.value,
                    let error = Rows.refusal(ofFirst: value)
                {
                    waiting = []
                    throw error
                }
                progress.received = max(progress.received, number)
            }
            if isFirst { try noteBegin(call) }
        } catch {
            if isFirst { authenticator.noteStream(call, of: caller, refusedWith: error) }
            return call.fail(error)
        }
        if waiting.count >= RuntimeLimits.waitingImportRows && !isPaused {
            isPaused = true
            call.pauseRequests()
        }
        commit(call)
    }

    /// Records the stream; a row does not stay if there is no room for the record.
    private func noteBegin(_ call: ServerCall) throws(RPCError) {
        do throws(RPCError) {
            try authenticator.noteStream(call, of: caller)
        } catch {
            waiting = []
            throw error
        }
    }

    private func begin(_ said: ImportSetup, _ call: ServerCall) {
        var said = said
        said.isOperator = caller.scopes.contains(ScopeSet(.operator))
        said.origin = Origin(
            user: nil, deviceID: said.options?.deviceID ?? "", requestID: said.importID,
            caller: said.isOperator ? .operator : .administrator,
            source: CallSource.of(caller, from: call), isImport: true)
        setup = said
        call.setAlarm(milliseconds: Limits.progressMilliseconds)
        nextRow = max(1, said.firstRow)
        isTakenUp = !said.hasProgress
    }

    package func endOfRequests(_ call: ServerCall) {
        isAtEnd = true
        commit(call)
    }

    package func writable(_ call: ServerCall) {
        isBlocked = false
        commit(call)
    }

    /// Rows with the committer are still written, without an answer; rows that wait are dropped.
    package func ended(_ call: ServerCall) {
        waiting = []
    }

    /// Hands the waiting rows to the committer, unless it still has some.
    private func commit(_ call: ServerCall) {
        guard call.isOpen, !isCommitting, !isBlocked else { return }
        let isTakingUp = setup != nil && !isTakenUp
        guard isTakingUp || !waiting.isEmpty else {
            if isAtEnd { finish(call) }
            return
        }
        let epoch = authenticator.epoch
        do throws(RPCError) {
            try authenticator.checkLease(epoch)
            try authenticator.reauthorise(caller, since: &checkedGeneration)
        } catch {
            // The written rows stay, and the client learns the number of the last one.
            if setup != nil { report(call) }
            return authenticator.fail(call, of: caller, with: error)
        }
        let count = isTakingUp ? 0 : min(waiting.count, rowsPerCommit)
        let job = ImportJob<Rows>(
            Array(waiting[..<count]), from: nextRow, after: progress, trail,
            setup ?? ImportSetup(), app: dryApp ?? caller.app, apps: authenticator.apps,
            now: clock.now(), wake: wake, handle: call.beginWork(),
            deadline: call.deadline, epoch: epoch
        ) { [self] job, call in
            if isTakingUp { foundProgress(job, call) } else { committed(job, call) }
        }
        guard committer.submit(job) else {
            call.withdrawWork()
            // The client learns which of its rows are written.
            if isTakenUp { report(call) }
            return call.fail(.overloaded)
        }
        waiting.removeFirst(count)
        nextRow += Int64(count)
        isCommitting = true
        if isPaused && waiting.count < RuntimeLimits.waitingImportRows / 2 {
            isPaused = false
            call.resumeRequests()
        }
    }

    /// The most rows that the next transaction takes: it ends where a report is due.
    private var rowsPerCommit: Int {
        let unreported = Int(progress.lastDurableRow - reported.lastDurableRow)
        return min(RuntimeLimits.importRowsPerCommit, max(1, Int(Limits.progressRows) - unreported))
    }

    /// Ends the import for a stop of the server.
    ///
    /// Rows with the committer are answered first. Waiting rows are not written, and the client
    /// learns which row is the next.
    package func stopping(_ call: ServerCall) {
        isStopping = true
        waiting = []
        if !isCommitting { endForStop(call) }
    }

    private func endForStop(_ call: ServerCall) {
        // Only the first message names the import. Before it, the progress is not known.
        guard setup != nil else { return call.fail(.serverStops(call)) }
        call.fail(
            .serverStops(
                call, "; every row up to \(progress.lastDurableRow) is durable, and none after it",
                metadata: reportAtEnd(call)))
    }

    /// Ends the call: the committer's rows were not written, or the result is not known.
    private func fail(_ failure: ImportError, _ call: ServerCall) {
        switch failure {
        case .unknownApp(let app): call.fail(authenticator.apps.missing(app))
        case .refused(let error): authenticator.fail(call, of: caller, with: error)
        // The import has not been looked up yet, so its progress is not known.
        case .store(let error) where !isTakenUp: call.fail(RPCError(error))
        case .store(let error) where error.code == .outcomeUnknown:
            call.fail(.outcomeUnknown(error, metadata: reportAtEnd(call)))
        case .store(let error) where error.code == .stopped:
            call.fail(.stopping(metadata: reportAtEnd(call)))
        case .store(let error):
            report(call)
            call.fail(RPCError(error))
        }
    }

    /// Reports the progress once more, also in the trailers for a client that reads only the end.
    private func reportAtEnd(_ call: ServerCall) -> [String: String] {
        report(call)
        return ["last_durable_row": "\(progress.lastDurableRow)"]
    }

    // MARK: Answers go out

    /// A second has passed, or the rest of one.
    ///
    /// The client learns that the import lives and how far it is, even when no more rows come.
    package func alarmed(_ call: ServerCall) {
        let passed = clock.now().milliseconds - reportedAt.milliseconds
        // If the clock was set back, the time that has passed is not known.
        let left = passed < 0 ? 0 : Limits.progressMilliseconds - passed
        if left <= 0, isTakenUp, !isBlocked, !isStopping { report(call) }
        call.setAlarm(milliseconds: left > 0 ? left : Limits.progressMilliseconds)
    }

    /// The progress that the import had before this stream is known now.
    private func foundProgress(_ job: ImportJob<Rows>, _ call: ServerCall) {
        isCommitting = false
        if let error = job.error { return fail(error, call) }
        isTakenUp = true
        guard nextRow <= job.state.lastRow + 1 else {
            var violations = Violations()
            violations.add("first_row", "must be at most \(job.state.lastRow + 1), the next row")
            return call.fail(violations.error)
        }
        if job.state.lastRow > 0 {
            progress.apply(job.state)
            if !isStopping { report(call) }
        }
        if isStopping { endForStop(call) } else { commit(call) }
    }

    private func committed(_ job: ImportJob<Rows>, _ call: ServerCall) {
        isCommitting = false
        if let error = job.error { return fail(error, call) }
        progress.apply(job.state)
        trail = job.trail
        if setup?.isDryRun ?? false { dryApp = job.app }
        for (index, row) in job.rows.enumerated() {
            // A row from an earlier stream has no outcome here.
            guard let outcome = job.outcomes[index], outcome.isReported else { continue }
            let result = ImportRowOutcome(
                number: job.firstRow + Int64(index), userID: row.userID, outcome: outcome,
                detail: job.details[index])
            send(Rows.response(result), call)
        }
        guard !isStopping else { return endForStop(call) }
        let rows = progress.lastDurableRow - reported.lastDurableRow
        let time = clock.now().milliseconds - reportedAt.milliseconds
        if rows >= Limits.progressRows || time >= Limits.progressMilliseconds { report(call) }
        commit(call)
    }

    private func report(_ call: ServerCall) {
        send(Rows.response(progress), call)
        reported = progress
        reportedAt = clock.now()
    }

    private func finish(_ call: ServerCall) {
        report(call)
        call.finish(.ok)
    }

    private func send(_ response: Rows.Response, _ call: ServerCall) {
        let coder = responses
        let takesMore = call.send { (output) throws(RPCError) in
            do throws(CodecError) {
                try coder.write(response, call.arena, output)
            } catch {
                throw RPCError(.internalError, "the answer does not encode", cause: error)
            }
        }
        if !takesMore { isBlocked = true }
    }
}

extension Outcome {
    /// Whether an import reports it: a row that is done and has no reason has no result.
    fileprivate var isReported: Bool { code != .success || reason != .none }
}

extension ImportProgress {
    fileprivate mutating func apply(_ state: ImportRecord) {
        received = max(received, state.lastRow)
        lastDurableRow = state.lastRow
        accepted = state.written
        refused = state.refused
    }
}

/// The reason why rows were not written.
private enum ImportError {
    case unknownApp(UInt32)
    case refused(RPCError)
    case store(StorageError)
}

/// Rows of an import on their way through the committer.
///
/// `@unchecked Sendable`: a loop makes it and hands it to the committer, which hands it back to the
/// same loop. Both hand-overs are queues that order memory, and no two threads hold it at once.
private final class ImportJob<Rows: ImportRows>: Job, @unchecked Sendable {
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
            trail.position = state.place
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
        state.place = trail.position
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
