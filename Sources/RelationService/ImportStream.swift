import GRPC
package import Protobuf
package import RelationAPI
package import RelationCore
import RelationModel
package import Storage

/// What an import is made of: how its messages become rows, and rows become writes.
package protocol ImportRows: SendableMetatype {
    associatedtype Request: Message
    associatedtype Response: Message
    associatedtype Row

    /// What the message says of the import as a whole.
    static func setup(_ request: Request) -> ImportSetup

    /// The row of a message, looked at by itself; nil if it has none.
    static func row(_ request: Request, _ app: App) -> ImportRow<Row>?

    static func addKeys(_ row: Row, _ app: App, to keys: inout KeyList)

    /// Writes the row, or refuses it and changes nothing.
    static func apply(
        _ row: Row, _ setup: ImportSetup, in ledger: Ledger
    ) throws(StorageError) -> Outcome

    static func response(_ result: ImportRowResult) -> Response
    static func response(_ progress: ImportProgress) -> Response
}

/// One row of an import: whom it is about, and what is to be written or why not.
package struct ImportRow<Row> {
    let userID: String
    let value: Result<Row, Refusal>
}

/// What an import says once, with its first message.
package struct ImportSetup {
    var options: WriteOptions?
    /// Whether each owner is told of each new friend, or once that the list changed.
    var notify = false

    /// What is wrong with it.
    ///
    /// An import is many writes, so what one write may ask means nothing.
    func check(isFirst: Bool, hasRow: Bool) -> Violations {
        var faults = Violations()
        guard isFirst else {
            if options != nil { faults.add("options", "may be given in the first message only") }
            if notify { faults.add("notify", "may be given in the first message only") }
            if !hasRow { faults.add("row", "must be given") }
            return faults
        }
        guard let options else { return faults }
        let meaningless = [
            ("request_id", !options.requestID.isEmpty), ("dry_run", options.dryRun),
            ("all_or_nothing", options.allOrNothing),
        ]
        for (name, isSet) in meaningless where isSet {
            faults.add("options.\(name)", "has no meaning for an import")
        }
        faults.length(options.deviceID, "options.device_id", atMost: Limits.deviceIDBytes)
        return faults
    }
}

/// One import: rows come in, are written in transactions of many, and those that have something to
/// tell are answered by their number.
///
/// While one transaction is under way the rows that come wait for the next, so that the import goes
/// as fast as the store, and a slow one writes each row as it comes.
final class ImportStream<Rows: ImportRows>: StreamHandler {
    private let app: App
    private let apps: Apps
    private let committer: Committer
    private let clock: Clock
    private let requests: Coder<Rows.Request>
    private let responses: Coder<Rows.Response>

    private var waiting: [ImportRow<Rows.Row>] = []
    private var isCommitting = false
    private var isAtEnd = false
    private var isPaused = false
    /// Whether the client takes no answers now: then nothing more is written that has some.
    private var isBlocked = false
    /// Nil until the first message has come.
    private var setup: ImportSetup?
    private var progress = ImportProgress()
    private var reported = ImportProgress()
    private var reportedAt: Timestamp

    init(
        app: App, apps: Apps, committer: Committer, clock: Clock,
        requests: Coder<Rows.Request>, responses: Coder<Rows.Response>
    ) {
        self.app = app
        self.apps = apps
        self.committer = committer
        self.clock = clock
        self.requests = requests
        self.responses = responses
        reportedAt = clock.now()
    }

    // MARK: Rows come in

    func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {
        do throws(RPCError) {
            let request = try Router.decode(message, requests, call.arena)
            let row = Rows.row(request, app)
            let said = Rows.setup(request)
            let faults = said.check(isFirst: setup == nil, hasRow: row != nil)
            guard faults.isEmpty else { throw faults.error }
            if setup == nil { setup = said }
            guard let row else { return }
            progress.received += 1
            waiting.append(row)
        } catch {
            return call.fail(error)
        }
        if waiting.count >= ServiceLimits.waitingImportRows && !isPaused {
            isPaused = true
            call.pauseRequests()
        }
        commit(call)
    }

    func endOfRequests(_ call: ServerCall) {
        isAtEnd = true
        commit(call)
    }

    func writable(_ call: ServerCall) {
        isBlocked = false
        commit(call)
    }

    /// Hands the rows that wait to the committer, unless it has some already.
    private func commit(_ call: ServerCall) {
        guard !isCommitting, !isBlocked else { return }
        guard !waiting.isEmpty else {
            if isAtEnd { finish(call) }
            return
        }
        let count = min(waiting.count, ServiceLimits.importRowsPerCommit)
        let job = ImportJob<Rows>(
            Array(waiting[..<count]), setup ?? ImportSetup(), app: app, apps: apps,
            now: clock.now(), handle: call.handle
        ) { [self] job, call in committed(job, call) }
        guard committer.submit(job) else { return call.fail(.overloaded) }
        waiting.removeFirst(count)
        isCommitting = true
        if isPaused && waiting.count < ServiceLimits.waitingImportRows / 2 {
            isPaused = false
            call.resumeRequests()
        }
    }

    // MARK: Answers go out

    private func committed(_ job: ImportJob<Rows>, _ call: ServerCall) {
        isCommitting = false
        if let error = job.error { return call.fail(error) }
        for (row, outcome) in zip(job.rows, job.outcomes) {
            progress.lastDurableRow += 1
            if outcome.code == .success { progress.written += 1 } else { progress.refused += 1 }
            guard outcome != .success else { continue }
            var result = ImportRowResult()
            result.row = progress.lastDurableRow
            result.userID = row.userID
            result.code = outcome.code
            result.info = outcome.reason.description
            send(Rows.response(result), call)
        }
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

/// Rows of an import on their way through the committer.
///
/// `@unchecked Sendable`: a loop makes it and hands it to the committer, which hands it back to the
/// same loop; both hand-overs are queues that order memory, and no two threads hold it at once.
private final class ImportJob<Rows: ImportRows>: Job, @unchecked Sendable {
    let handle: CallHandle
    let rows: [ImportRow<Rows.Row>]
    private(set) var outcomes: [Outcome] = []
    private(set) var error: RPCError?
    private let app: App
    private let apps: Apps
    private let now: Timestamp
    private let setup: ImportSetup
    private let done: (ImportJob, ServerCall) -> Void

    init(
        _ rows: [ImportRow<Rows.Row>], _ setup: ImportSetup, app: App, apps: Apps, now: Timestamp,
        handle: CallHandle, done: @escaping (ImportJob, ServerCall) -> Void
    ) {
        self.rows = rows
        self.app = app
        self.apps = apps
        self.now = now
        self.setup = setup
        self.handle = handle
        self.done = done
    }

    var cost: Int { rows.count }

    func addKeys(to keys: inout KeyList) {
        for case .success(let row) in rows.lazy.map(\.value) {
            Rows.addKeys(row, app, to: &keys)
        }
    }

    func run(in transaction: any WriteTransaction) throws(StorageError) {
        // A store may run the body again after a lost race.
        outcomes = []
        error = nil
        guard let app = apps.inTransaction(app.id) else {
            error = .unknownApp(app.id)
            return
        }
        let ledger = Ledger(
            app: app, now: now,
            origin: Origin(user: nil, deviceID: setup.options?.deviceID ?? ""),
            transaction: transaction)
        for row in rows {
            switch row.value {
            case .success(let value): outcomes.append(try Rows.apply(value, setup, in: ledger))
            case .failure(let refusal): outcomes.append(refusal.outcome)
            }
        }
        try ledger.close()
    }

    func fail(_ error: StorageError) {
        self.error = RPCError(error)
    }

    func finish(_ call: ServerCall) {
        done(self, call)
    }
}
