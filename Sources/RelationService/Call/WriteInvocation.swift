package import GRPC
import Memory
package import Protobuf
package import RPC
package import RelationAPI
package import RelationAdmission
package import RelationCalls
package import RelationCore
import RelationModel
package import RelationRuntime

/// One write in flight: a request that has been understood and, after ``run(in:)``, its answer.
///
/// `@unchecked Sendable`: a loop makes it and hands it to the committer, which hands it back to the
/// same loop. Both hand-overs are queues that order memory, and no two threads hold it at once.
package final class WriteInvocation<Response: WriteResponse>: Job, @unchecked Sendable {
    package let handle: CallHandle
    package let deadline: Deadline?
    package let epoch: Int64
    private let call: Call
    private let options: WriteOptions
    /// The list whose sequence the options may expect.
    private let list: WrittenList
    private let apps: Apps
    /// The app at the time of the write: it may have changed since the call was admitted.
    private var app: App
    /// The digest of the request, if it has a request id.
    private let digest: [UInt8]
    private let work: Work<Response>
    private let coder: Coder<Response>
    /// The threads that encode a long answer; nil if its loop does.
    private let encoders: Readers?
    /// The clock of deadlines.
    private let clock: @Sendable () -> UInt64
    /// The record of the call; nil if the server keeps no audit.
    private let audit: AuditedWrite?
    /// The administrator of TIM's REST API who made the call; empty without one.
    private let administrator: String
    /// The source that a history keeps of the call; nil in an app without one.
    private let source: CallSource?
    /// Notes the rows of a dry run that lists them; nil in all other writes.
    private var recorder: EffectRecorder?
    /// The rows of that dry run, once it has run.
    private var effects: WriteEffects?
    /// Whether the transaction has a record of the call.
    private var isRecorded = false
    /// The answer, once the write has run or failed.
    ///
    /// It is not an optional: this class is generic at run time, and each look at an optional of a
    /// generic type looks up its metadata, which costs some 500 instructions.
    private(set) var answer = Result<Response, RPCError>.failure(.notRun)

    package init(
        _ work: Work<Response>, _ call: Call, _ options: WriteOptions, on list: WrittenList,
        apps: Apps, digest: [UInt8], coder: Coder<Response>, encoders: Readers? = nil,
        handle: CallHandle, deadline: Deadline?, epoch: Int64 = 0, audit: AuditedWrite? = nil,
        administrator: String = "", source: CallSource? = nil,
        clock: @escaping @Sendable () -> UInt64 = { Deadline.clock }
    ) {
        self.clock = clock
        self.epoch = epoch
        self.audit = audit
        self.administrator = administrator
        self.source = source
        self.work = work
        self.call = call
        self.options = options
        self.list = list
        self.apps = apps
        app = call.app
        self.digest = digest
        self.coder = coder
        self.encoders = encoders
        self.handle = handle
        self.deadline = deadline
    }

    package var owner: WorkOwner { WorkOwner(app: call.app.id) }
    package var cost: Int { work.cost }

    package var keys: KeyList { work.keys }

    /// Adds the keys that every write reads to those of its work.
    ///
    /// The maker of a write calls it before, so that its keys are one list.
    package static func addKeys(_ call: Call, _ options: WriteOptions, to keys: inout KeyList) {
        if call.actor == nil {
            Accounts.keysForActing(call.user, app: call.app, into: &keys)
        } else {
            Accounts.keysForNaming(call.user, app: call.app, into: &keys)
        }
        guard !options.requestID.isEmpty else { return }
        Answers.keysForKnowing(
            RequestID(options.requestID), of: call.user, app: call.app, into: &keys)
    }

    package func run(in transaction: any WriteTransaction) throws(StorageError) {
        if let deadline, deadline.nanoseconds <= clock() {
            answer = .failure(.tooLate)
            return
        }
        guard !listsEffects else {
            let recorder = EffectRecorder(over: transaction)
            self.recorder = recorder
            try decide(in: recorder)
            if let audit, audit.isOfEvery { try record(audit, in: transaction) }
            return
        }
        try decide(in: transaction)
        // A credential that is gone may be one whose revocation had no answer.
        if call.actor == nil, case .failure(let error) = answer,
            error.reason == UInt16(clamping: ErrorReason.credentialNotFound.rawValue)
        {
            apps.noteEarlierChange()
        }
        if let audit, audit.isCall { try record(audit, in: transaction) }
    }

    /// Whether the call is a dry run that lists the rows of the write, and its caller may see them.
    private var listsEffects: Bool {
        options.listEffects && options.dryRun && !call.isOwn && (call.isAdmin || call.isOperator)
    }

    /// Records the call in the audit of its app, together with what it has changed.
    ///
    /// A dry run changes nothing, and an answer from before was recorded with its write. Both are
    /// recorded only where every call is.
    private func record(
        _ audit: AuditedWrite, in transaction: any WriteTransaction
    ) throws(StorageError) {
        guard !options.dryRun || audit.isOfEvery else { return }
        switch answer {
        case .success(let response):
            guard !response.replayed || audit.isOfEvery else { return }
            let applied = response.applied && !response.replayed
            try record(audit, applied: applied, nil, in: transaction)
        case .failure(let failure):
            try record(audit, applied: false, failure, in: transaction)
        }
        isRecorded = true
    }

    private func record(
        _ audit: AuditedWrite, applied: Bool, _ error: RPCError?,
        in transaction: any WriteTransaction
    ) throws(StorageError) {
        // An app that is gone has no audit.
        guard let app = apps.inTransaction(call.app.id) else { return }
        let row = audit.row(
            for: call.actor, requestID: options.requestID, applied: applied, error, at: call.now)
        let sealed = apps.audit.sealed(row)
        // A write that changes something is for an account.
        let rows = applied ? [sealed] : try AuditedUsers.checked([sealed], of: app, in: transaction)
        for row in rows { try AuditChain.append(row, to: app, in: transaction) }
    }

    /// Runs the write, and makes its answer.
    private func decide(in transaction: any WriteTransaction) throws(StorageError) {
        guard let app = apps.inTransaction(call.app.id) else {
            answer = .failure(apps.missing(call.app.id))
            return
        }
        self.app = app
        let ledger = ledger(in: transaction)
        let isImplicit = app.settings.makesAccountsImplicitly
        if call.actor != nil, !work.makesUser, !isImplicit,
            try ledger.userRecord(of: call.user) == nil
        {
            answer = .failure(.unknownUser(call.user))
            return
        }
        if let requestID {
            let known = try Answers.known(
                requestID, digest: digest, of: call.user, in: ledger)
            switch known {
            case .none: break
            case .answer(let bytes): return try replay(bytes, ledger.arena)
            case .otherRequest:
                var violations = Violations()
                violations.add(
                    "options.request_id", "was sent before, with another request",
                    reason: .requestIDReused)
                answer = .failure(violations.error)
                return
            }
        }
        if let level = try forbidding(in: ledger) {
            let endMs = try ledger.userRecord(of: call.user)?.suspensionEndMs ?? 0
            answer = .failure(.suspended(level, until: endMs))
            return
        }
        if let expected = options.expectedSequence {
            let userRecord = try ledger.userRecord(of: call.user) ?? UserRecord()
            guard userRecord.isUnchanged(list, since: expected, in: app.history) else {
                answer = .failure(.sequenceStale(userRecord.lastChange(of: list)))
                return
            }
        }
        switch work.body {
        case .items(let items): try run(items, ledger)
        case .one(let body): try run(body, ledger)
        }
    }

    /// The level of the acting user's suspension, if that forbids the call; nil otherwise.
    private func forbidding(in ledger: Ledger) throws(StorageError) -> SuspensionLevel? {
        guard let actor = call.actor else { return nil }
        return try Suspensions.level(
            forbidding: work.action, by: actor, isAdmin: call.isAdmin, in: ledger)
    }

    package func fail(_ error: StorageError) {
        isRecorded = false
        answer = .failure(RPCError(error))
    }

    package func finish(_ call: ServerCall) {
        call.notes?.requestID = options.requestID
        if let beforeAnswer = work.beforeAnswer, waits(call, for: beforeAnswer) { return }
        answer(call)
    }

    /// Lets the answer wait for something that comes after the commit.
    ///
    /// - Returns: Whether it waits; it goes out by itself then.
    private func waits(
        _ call: ServerCall,
        for begin: (CallHandle, Deadline?, @escaping Work<Response>.Completion) -> Bool
    ) -> Bool {
        guard case .success = answer else { return false }
        let handle = call.beginWork()
        let begins = begin(handle, deadline) { error in
            handle.resume { call in
                if let error { self.fail(error) }
                self.completeAnswer()
                self.answer(call)
            }
        }
        if !begins { call.withdrawWork() }
        return begins
    }

    private func completeAnswer() {
        guard let complete = work.atAnswer, case .success(var response) = answer else { return }
        complete(&response)
        answer = .success(response)
    }

    private func answer(_ call: ServerCall) {
        switch answer {
        case .success(let response):
            if work.cost > RuntimeLimits.rowsOnLoop, isEncoded(response, for: call) { return }
            call.respond(response, coder)
        case .failure(let error):
            noteRefusal(error)
            call.fail(error)
        }
    }

    /// Counts the call for the audit if its user lacks the right, unless a record of its write says
    /// so.
    private func noteRefusal(_ error: RPCError) {
        guard let audit, !isRecorded else { return }
        if options.dryRun || !audit.isCall, let row = audit.refusal(error) {
            apps.noteRefusal(row, of: call.app.id, at: call.now)
        }
        if let row = audit.failure(error) {
            apps.audit.calls.noteFailure(row, app: call.app.id, at: call.now)
        }
    }

    /// Has a long answer encoded by another thread, which then sends it.
    ///
    /// - Returns: Whether a thread does so; a committed write is answered even if too much waits
    ///   for one.
    private func isEncoded(_ response: Response, for call: ServerCall) -> Bool {
        guard let encoders else { return false }
        let handle = call.beginWork()
        let coder = coder
        let taken = encoders.submit(of: self.call.app.id, for: handle) { arena in
            let answer = Result { () throws(CodecError) in try coder.bytes(response, arena) }
            handle.resume { call in
                switch answer {
                case .success(let bytes): call.respond { output in output.append(bytes) }
                case .failure(let error):
                    call.fail(
                        RPCError(.internalError, "the answer does not encode", cause: error))
                }
            }
        }
        if taken == nil { call.withdrawWork() }
        return taken != nil
    }

    // MARK: The two forms of work

    private func run(_ items: ItemsWork<Response>, _ ledger: Ledger) throws(StorageError) {
        let transaction = ledger.transaction
        let savepoint = ledger.savepoint()
        guard try admitsActor(to: ledger) else { return }
        let pass = ItemsPass(
            ledger: ledger, savepoint: savepoint, allOrNothing: options.allOrNothing,
            isDryRun: options.dryRun, listsEffects: recorder != nil)
        try items.run(pass) { () throws(StorageError) in
            let ledger = self.ledger(in: transaction)
            return try admitsActor(to: ledger) ? ledger : nil
        } _: { (response, end) throws(StorageError) in
            switch end {
            case .stands(let changed):
                try close(response, applied: changed, ledger, from: savepoint)
            case .tried(let changed):
                try listEffects(of: response, applied: changed, ledger)
            case .heldBack:
                try rollBack(response, in: transaction)
            }
        }
    }

    private func run(
        _ body: (Ledger) throws(StorageError) -> Result<WriteResult<Response>, RPCError>,
        _ ledger: Ledger
    ) throws(StorageError) {
        let savepoint = ledger.savepoint()
        guard try admitsActor(to: ledger) else { return }
        switch try body(ledger) {
        case .success(let single) where options.allOrNothing && single.isRefused:
            // The write is held back, and so is an account that was made for it.
            ledger.rollback(to: savepoint)
            try rollBack(
                single.response(ifItStands: false), keeping: single.kept, in: ledger.transaction)
        case .success(let single):
            if recorder != nil {
                try listEffects(
                    of: single.response(ifItStands: true), keeping: single.kept,
                    applied: single.applied, ledger)
            }
            try close(
                single.response(ifItStands: !options.dryRun), keeping: single.kept,
                applied: single.applied, ledger, from: savepoint)
        case .failure(let error):
            ledger.rollback(to: savepoint)
            answer = .failure(error)
        }
    }

    /// Ends a call with `all_or_nothing` of which an item was refused.
    private func rollBack(
        _ response: Response, keeping kept: Response? = nil, in transaction: any WriteTransaction
    ) throws(StorageError) {
        if recorder != nil {
            try listEffects(
                of: response, keeping: kept, applied: false, ledger(in: transaction))
        }
        try close(response, keeping: kept, applied: false, ledger(in: transaction))
    }

    /// Writes the rest of what a dry run stands for, takes everything back, and keeps which rows
    /// differed.
    private func listEffects(
        of response: Response, keeping kept: Response? = nil, applied: Bool, _ ledger: Ledger
    ) throws(StorageError) {
        guard let recorder else { return }
        var response = response
        try store(&response, keeping: kept, applied: applied, ledger)
        try ledger.close()
        if let audit, audit.isCall {
            try record(audit, applied: applied, nil, in: recorder)
        }
        effects = WriteEffects(try recorder.revert())
    }

    /// Whether the acting user has an account, or needs none before the work begins.
    ///
    /// An account that is made here is undone together with the work.
    private func admitsActor(to ledger: Ledger) throws(StorageError) -> Bool {
        guard let actor = call.actor, !work.makesUser else { return true }
        guard try Accounts.ensureExists(actor, in: ledger) else {
            answer = .failure(.unknownUser(actor))
            return false
        }
        return true
    }

    /// Ends the call: keeps the answer under its request id, and writes events and user records.
    ///
    /// For a dry run it takes everything back instead.
    private func close(
        _ response: Response, keeping kept: Response? = nil, applied: Bool, _ ledger: Ledger,
        from savepoint: Savepoint? = nil
    ) throws(StorageError) {
        var response = response
        if options.dryRun {
            if let savepoint { ledger.rollback(to: savepoint) }
            response.applied = false
            response.sequence =
                try self.ledger(in: ledger.transaction).userRecord(of: call.user)?.sequence ?? 0
            response.effects = effects
            answer = .success(response)
            return
        }
        try store(&response, keeping: kept, applied: applied, ledger)
        try ledger.close()
        if let endMs = ledger.soonestEndMs { apps.ends.lower(app.id, to: endMs) }
        if let change = ledger.appChange { apps.stage(change) }
        for change in ledger.credentialChanges { apps.stage(change) }
        for change in ledger.sessionChanges { apps.stage(change) }
        answer = .success(response)
    }

    /// Completes the answer of a write that is kept, and stores it under its request id.
    private func store(
        _ response: inout Response, keeping kept: Response?, applied: Bool, _ ledger: Ledger
    ) throws(StorageError) {
        response.applied = applied
        response.sequence = try ledger.userRecord(of: call.user)?.sequence ?? 0
        // Without an account there is no row for a refusal, and the next attempt is refused the
        // same way.
        let isKept = call.actor == nil ? true : try ledger.userRecord(of: call.user) != nil
        guard let requestID, isKept else { return }
        var kept = kept ?? response
        kept.applied = response.applied
        kept.sequence = response.sequence
        let bytes: [UInt8]
        do throws(CodecError) {
            bytes = try coder.bytes(kept, ledger.arena)
        } catch {
            throw StorageError.unanswerable("an answer does not encode: \(error)")
        }
        try Answers.store(bytes, under: requestID, digest: digest, of: call.user, in: ledger)
    }

    private func replay(_ bytes: [UInt8], _ arena: Arena) throws(StorageError) {
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        do throws(CodecError) {
            var response = try coder.message(bytes, arena)
            response.replayed = true
            answer = .success(response)
            // The first answer may have been lost before every server knew of a revocation.
            if call.actor == nil { apps.noteEarlierChange() }
        } catch {
            throw StorageError.damaged("a kept answer does not decode: \(error)")
        }
    }

    private var requestID: RequestID? {
        options.requestID.isEmpty ? nil : RequestID(options.requestID)
    }

    private func ledger(in transaction: any WriteTransaction) -> Ledger {
        let origin = Origin(
            user: call.actor, deviceID: options.deviceID, requestID: options.requestID,
            caller: call.kind, administrator: administrator, source: source)
        let ledger = Ledger(app: app, now: call.now, origin: origin, transaction: transaction)
        if call.isOwn { ledger.blocks = options.dryRun || options.allOrNothing ? .never : .last }
        return ledger
    }
}

extension RPCError {
    /// The answer of a write that has not run; it is never sent.
    fileprivate static let notRun = RPCError(.internalError, "the write has not run")

    /// The acting user is suspended until `endMs`, or without an end if that is 0.
    fileprivate static func suspended(_ level: SuspensionLevel, until endMs: Int64) -> RPCError {
        RPCError(
            .permissionDenied, .accountSuspended, "user_id: the user is suspended",
            metadata: ["level": "\(level.rawValue)", "end_time_ms": "\(endMs)"])
    }

    /// The list that the write is about, which has `sequence`, is not as the caller knows it.
    fileprivate static func sequenceStale(_ sequence: Int64) -> RPCError {
        RPCError(
            .aborted, .sequenceStale,
            "options.expected_sequence: the list that the call writes has sequence \(sequence)",
            metadata: ["sequence": "\(sequence)"])
    }
}
