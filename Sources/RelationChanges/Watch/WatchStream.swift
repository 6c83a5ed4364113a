package import GRPC
import Protobuf
import RPC
import RelationAPI
package import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel

/// One stream of changes.
///
/// It first reads the earlier changes, in batches and as the client takes them, and keeps the live
/// events that come meanwhile. Then it is live, and sends the events that the hub hands it. No
/// event is lost or sent twice between the two, because every event has a position in the feed. The
/// reading ends at a position, and of the kept events those after it are sent.
///
/// ``AppWatch`` says why properties are `@exclusivity(unchecked)`.
///
/// `@unchecked Sendable`: its loop alone touches it, but for what is marked as the hub's, which
/// only the hub's thread does, and for the plan, which is set before the hub gets the stream.
package final class WatchStream: StreamHandler, @unchecked Sendable {
    private enum Phase {
        /// The request has not come. The plan takes the caller over: a stream keeps one copy of an
        /// app's settings.
        indirect case asked(Caller)
        /// Reads what came before, or waits to.
        case opening(Opening)
        /// Sends what the hub hands it. It is ahead if it has seen more of the feed than the hub
        /// had when it made its next message: tokens are then the stream's own.
        case live(isAhead: Bool)
        case ended
    }

    /// The state of a stream that opens; a live stream has none of it.
    private final class Opening {
        /// Where the first source begins, until there is one.
        var start: WatchStart?
        var source: (any WatchSource)?
        /// Cancels the batch that was asked for and has not come back.
        var withdrawal: WatchReaders.Withdrawal?
        /// Whether the client has still to take what was read.
        var isBlocked = false
        /// Where reading ended, while the client has still to take what was read.
        var end: Int64?
        private(set) var kept: [WatchMessage] = []
        /// How long these are together.
        private var keptBytes = 0
        private(set) var hasLost = false
        var rounds = 0

        init(at start: WatchStart? = nil) {
            self.start = start
        }

        /// Keeps a message of the hub until the stream is live, if there is room.
        func buffer(_ message: WatchMessage) {
            // A heartbeat of a time when nothing was sent says nothing later.
            guard !hasLost, !message.isHeartbeat else { return }
            keptBytes += message.answer.count
            guard kept.count < WatchLimits.keptEvents, keptBytes <= WatchLimits.queuedBytes else {
                return overflow()
            }
            kept.append(message.alone)
        }

        /// Events are missing: the stream reads them, and all that come meanwhile, from the store.
        func overflow() {
            forgetKept()
            hasLost = true
        }

        /// The next reading finds all events that were lost.
        func readAnew() {
            forgetKept()
            hasLost = false
        }

        func closeSource() {
            source?.close()
            source = nil
        }

        private func forgetKept() {
            kept = []
            keptBytes = 0
        }
    }

    private let hub: ChangeHub
    private let authenticator: Authenticator
    /// The generation that the last check of the caller's credential found.
    @exclusivity(unchecked) private var checkedGeneration: UInt64 = 0
    /// The authenticator's epoch before the last batch of reads began.
    @exclusivity(unchecked) private var epoch: Int64 = 0
    /// When the caller's credential ends.
    @exclusivity(unchecked) private var expiresMs: Int64 = 0
    @exclusivity(unchecked) private var phase: Phase
    @exclusivity(unchecked) private(set) var plan: WatchPlan?
    /// ``plan`` for a reader that does not keep it: it lives as long as the stream.
    var heldPlan: Unmanaged<WatchPlan>? { plan.map(Unmanaged.passUnretained) }
    /// The app that it follows; 0 before there is a plan.
    var app: UInt32 { plan?.app.id ?? 0 }
    /// The way back to its call; nil before there is a plan.
    @exclusivity(unchecked) private(set) var ticket: CallTicket?
    @exclusivity(unchecked) private(set) var loop: ServerLoop?
    /// The loop, by which the hub distinguishes it from others without counting who has it.
    @exclusivity(unchecked) private(set) var loopID: ObjectIdentifier?

    /// Where the client stands when it has taken all that was sent; nil before its first token, and
    /// so throughout a present state: who loses that starts over.
    @exclusivity(unchecked) private var position: Int64?
    /// Whether the hub knows that its consumer is its own.
    @exclusivity(unchecked) private var isClaimed = false
    /// Whether a single event may be all that waits for the client.
    @exclusivity(unchecked) private var isTakingLong = false

    // MARK: The hub's

    /// When the hub last handed it a message.
    @exclusivity(unchecked) var lastSentMs: Int64 = 0
    /// In which pass of the hub's outbox that was, and its index among the deliveries to the
    /// stream's loop.
    @exclusivity(unchecked) var lastDelivery = (pass: 0, index: 0)
    /// Its slot among those that wait to read; -1 if it is none of them.
    var waitingSlot = -1

    package init(_ hub: ChangeHub, _ caller: Caller, _ authenticator: Authenticator) {
        self.hub = hub
        phase = .asked(caller)
        self.authenticator = authenticator
    }

    // MARK: The call

    package func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {
        guard case .asked(let caller) = phase else { return }
        let start: WatchStart
        do throws(RPCError) {
            let request = try ChangeMethods.watchView.requestCoder.request(message, call.arena)
            let (plan, asked) = try WatchPlan.read(
                request, caller, authenticator, at: hub.now, call.arena)
            self.plan = plan
            expiresMs = plan.caller.expiresMs
            start = asked
            position = asked.position
            try authenticator.noteWatch(call, of: caller)
        } catch {
            phase = .ended
            return authenticator.failWatch(call, of: caller, with: error)
        }
        let handle = call.handle
        (ticket, loop) = (handle.ticket, handle.loop)
        loopID = ObjectIdentifier(handle.loop)
        phase = .opening(Opening(at: start))
        call.trimMemory()
        do throws(RPCError) {
            try hub.open(self)
        } catch {
            phase = .ended
            return call.fail(error)
        }
        call.sendInitialMetadata([])
    }

    package func writable(_ call: ServerCall) {
        guard case .opening(let opening) = phase, opening.isBlocked else { return }
        opening.isBlocked = false
        // Another stream took its slot meanwhile, so it queues again.
        hub.reopened(self)
    }

    package func ended(_ call: ServerCall) {
        endPhase(call)
    }

    // MARK: Opening

    /// The stream begins to read what came before.
    func begin(_ call: ServerCall) {
        guard case .opening(let opening) = phase, let plan else { return }
        guard opening.source == nil else { return continueOpening(opening, call) }
        let start = opening.start ?? WatchStart(position: position, least: .any)
        opening.source = hub.source(for: plan, start)
        opening.start = nil
        read(opening, call)
    }

    private func continueOpening(_ opening: Opening, _ call: ServerCall) {
        guard !opening.isBlocked else { return }
        if let end = opening.end {
            join(at: end, opening, call)
        } else {
            read(opening, call)
        }
    }

    private func read(_ opening: Opening, _ call: ServerCall) {
        guard let source = opening.source, let plan, opening.withdrawal == nil, !opening.isBlocked
        else { return }
        epoch = authenticator.epoch
        guard isStillAdmitted(call) else { return }
        let handle = call.beginWork()
        let rows = hub.batchRows
        opening.withdrawal = hub.read(of: plan.caller.app.id, for: handle) { [self] arena in
            let batch: Result<WatchBatch, RPCError>
            do throws(RPCError) {
                batch = .success(try source.batch(of: rows, arena))
            } catch {
                batch = .failure(error)
            }
            handle.resume { call in self.open(batch, call) }
        }
        guard opening.withdrawal == nil else { return }
        call.withdrawWork()
        fail(.overloaded, call)
    }

    private func open(_ batch: Result<WatchBatch, RPCError>, _ call: ServerCall) {
        guard case .opening(let opening) = phase else { return }
        opening.withdrawal = nil
        guard isStillAdmitted(call) else { return }
        do throws(RPCError) {
            try authenticator.checkLease(epoch)
        } catch {
            return fail(error, call)
        }
        switch batch {
        case .failure(let error): fail(error, call)
        case .success(let batch):
            claimConsumer()
            for response in batch.responses {
                response.withUnsafeBytes { bytes in
                    if !call.send(bytes) { opening.isBlocked = true }
                }
            }
            guard call.isOpen else { return }
            if let position = batch.position { self.position = position }
            opening.end = batch.end
            // A client that does not take its messages keeps no other stream from reading.
            if opening.isBlocked { hub.paused(self) } else { continueOpening(opening, call) }
        }
    }

    /// The first batch of a consumer's stream showed that its reader is the present one.
    private func claimConsumer() {
        guard !isClaimed, plan?.claim != nil else { return }
        isClaimed = true
        hub.claimed(self)
    }

    /// Everything up to `position` was sent, and taken but for little.
    private func join(at position: Int64, _ opening: Opening, _ call: ServerCall) {
        opening.end = nil
        opening.closeSource()
        self.position = position
        guard !opening.hasLost else {
            opening.readAnew()
            return readOn(opening, call)
        }
        phase = .live(isAhead: true)
        hub.opened(self)
        for message in opening.kept {
            guard case .live = phase else { return }
            send(message, call)
        }
    }

    /// Reads what came since the stream's position, once more.
    private func readOn(_ opening: Opening, _ call: ServerCall) {
        opening.rounds += 1
        guard opening.rounds <= WatchLimits.rounds else { return fail(slowReader, call) }
        begin(call)
    }

    // MARK: Live

    /// Takes a message of the hub.
    func deliver(_ message: WatchMessage, _ call: ServerCall) {
        if case .ended = phase { return }
        guard isStillAdmitted(call) else { return }
        // The stream later reads the events that it may not send now. A heartbeat comes again.
        guard !authenticator.isLapsed else { return message.isHeartbeat ? () : lost(call) }
        switch phase {
        case .opening(let opening): opening.buffer(message)
        case .live: send(message, call)
        case .asked, .ended: break
        }
    }

    /// The hub had to drop events: the stream reads them from the store.
    func lost(_ call: ServerCall) {
        switch phase {
        case .opening(let opening): opening.overflow()
        case .live:
            phase = .opening(Opening())
            hub.fellBehind(self)
        case .asked, .ended: break
        }
    }

    private func send(_ message: WatchMessage, _ call: ServerCall) {
        if case .live(isAhead: true) = phase, let position, let plan {
            if message.position > 0, message.position <= position { return }
            guard message.resumePosition >= position else {
                return send(message, at: position, plan, call)
            }
            phase = .live(isAhead: false)
        }
        let answer = message.answer
        guard hasRoom(for: answer.count, call) else { return }
        call.send(enveloped: answer, of: message.eventBatch)
        position = message.resumePosition
    }

    /// Sends a message with the token of the stream's own position.
    private func send(
        _ message: WatchMessage, at position: Int64, _ plan: WatchPlan, _ call: ServerCall
    ) {
        let response: [UInt8]
        do throws(CodecError) {
            let token = ResumeToken.text(of: position, sign: plan.app.tokenSign)
            response = try message.response(with: token, call.arena)
        } catch {
            return fail(RPCError(.internalError, "an event does not encode"), call)
        }
        guard hasRoom(for: response.count, call) else { return }
        _ = response.withUnsafeBytes { call.send($0) }
    }

    /// The one function that decides who reads too slowly; such a stream ends.
    private func hasRoom(for length: Int, _ call: ServerCall) -> Bool {
        let waiting = call.queuedBytes
        if waiting + length <= WatchLimits.queuedBytes {
            isTakingLong = false
            return true
        }
        // An event that is longer than all that may wait is sent to a client for which nothing
        // waits.
        guard waiting > 0 else {
            isTakingLong = true
            return true
        }
        guard isTakingLong || length > WatchLimits.queuedBytes else {
            fail(slowReader, call)
            return false
        }
        // A stream that waits is not a slow reader. The following events are read from the log, as
        // the client takes them, and in the time for that.
        isTakingLong = false
        lost(call)
        return false
    }

    // MARK: The end

    /// Whether the stream ends with its caller's credential, or has ended with the store.
    var needsCheck: Bool { plan?.caller.credential != nil || authenticator.hasLostData }

    /// Ends the stream if its caller would not be authorised now, or if the store lacks what was
    /// sent.
    func check(_ call: ServerCall) {
        guard !authenticator.hasLostData else { return fail(.noLease, call) }
        isStillAdmitted(call)
    }

    /// Whether the caller would be authorised now; if not, the stream has ended.
    @discardableResult
    func isStillAdmitted(_ call: ServerCall) -> Bool {
        // Passing the caller on would copy it.
        guard !authenticator.isUnchanged(since: checkedGeneration, until: expiresMs) else {
            return true
        }
        do throws(RPCError) {
            if let plan { try authenticator.reauthorise(plan.caller, since: &checkedGeneration) }
            return true
        } catch {
            fail(error, call)
            return false
        }
    }

    package func stopping(_ call: ServerCall) {
        if case .asked = phase { return fail(.serverStops(call), call) }
        fail(
            .serverStops(
                call, "; go on from `resume_token`", metadata: ["resume_token": token]), call)
    }

    /// The client did not take what was read for it within the time for that.
    func expire(_ call: ServerCall) {
        if case .opening = phase { fail(slowReader, call) }
    }

    func fail(_ error: RPCError, _ call: ServerCall) {
        if case .ended = phase { return }
        if error.reason == UInt16(clamping: ErrorReason.readerFenced.rawValue) { hub.fenced() }
        endPhase(call)
        guard let plan else { return call.fail(error) }
        var error = error
        if error.reason == UInt16(clamping: ErrorReason.appMoving.rawValue) {
            // The app keeps its history, so the other database knows the token.
            error = .appMoving(plan.app.id, metadata: token.isEmpty ? [:] : ["resume_token": token])
        }
        authenticator.fail(call, of: plan.caller, with: error)
    }

    private var slowReader: RPCError {
        RPCError(
            .aborted, .slowReader, "the stream is read too slowly; go on from `resume_token`",
            metadata: ["resume_token": token])
    }

    private var token: String {
        guard let plan else { return "" }
        // The next stream of the consumer begins where the consumer stands.
        if plan.claim != nil, position == nil { return "" }
        return ResumeToken.text(of: position ?? ResumeToken.nowhere, sign: plan.app.tokenSign)
    }

    private func endPhase(_ call: ServerCall) {
        let previous = phase
        phase = .ended
        switch previous {
        case .asked, .ended: return
        case .opening(let opening):
            // No thread reads for it any more, so the call has no work that it must wait for.
            if let withdrawal = opening.withdrawal, withdrawal() { call.withdrawWork() }
            opening.withdrawal = nil
            opening.closeSource()
        case .live: break
        }
        hub.close(self)
    }
}
