package import GRPC
package import Protobuf
import RPC
import RelationAPI
package import RelationAdmission
package import RelationCalls
import RelationCore
import RelationModel
package import RelationRuntime
import Storage

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
