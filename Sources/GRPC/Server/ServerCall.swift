import GRPCWire
import HTTP2
import Logging
package import Memory
import Protobuf
package import RPC
import Synchronization

/// One call, from the header block of its request to its status.
///
/// ``CallStateMachine`` has its states and says what follows an event; this class does it.
///
/// A handler holds a call only while it runs. In between it holds the ``handle``, because the
/// object goes back to its loop's pool when the call has ended, and then serves another call.
/// Methods of an ended call do nothing.
///
/// Properties that every call touches are `@exclusivity(unchecked)`: Swift would otherwise look up,
/// at run time and many times a call, whether two accesses overlap. None does: one thread touches
/// them, and no access lasts beyond its statement.
///
/// - Important: Belongs to its loop, and is not `Sendable`.
package final class ServerCall {
    /// The loop that owns this object, and so outlives it.
    private let owner: Unmanaged<ServerLoop>
    package var loop: ServerLoop { owner.takeUnretainedValue() }
    let slot: Int

    /// Calls the loop without the retain and the release that a use of ``loop`` costs.
    @inline(__always)
    func onLoop<Result>(_ body: (ServerLoop) -> Result) -> Result {
        owner._withUnsafeGuaranteedRef(body)
    }

    /// Calls the connection, if there is one, without the retain and the release that a use of
    /// ``connection`` costs: it ends all its calls before it goes.
    @inline(__always)
    func onConnection<Result>(_ body: (ServerConnection) -> Result) -> Result? {
        parts.heldConnection?._withUnsafeGuaranteedRef(body)
    }

    /// Written on the loop, and read by whoever holds a handle.
    private let currentGeneration = Atomic<UInt32>(0)
    @exclusivity(unchecked) var state = CallStateMachine()

    /// Replaced as a whole when the call ends.
    @exclusivity(unchecked) var parts = CallParts()

    /// Bytes of the request that this work is about; see ``charge(_:)``.
    @exclusivity(unchecked) var workBytes = 0

    /// The progress of other threads with work for the call.
    let way = WorkTimes()

    /// The notes for the observer of the loop; nil if there is none.
    package var notes: CallNotes? { presentNotes }
    // Other targets would still check each access to a stored property at run time.
    @exclusivity(unchecked) var presentNotes: CallNotes?
    /// The notes of the call before, to be used again.
    @exclusivity(unchecked) var spareNotes: CallNotes?

    /// The usage that counts the call.
    @exclusivity(unchecked) var usage: Usage?

    init(loop: ServerLoop, slot: Int) {
        owner = .passUnretained(loop)
        self.slot = slot
    }

    /// Counts the calls that this object has served.
    var generation: UInt32 { currentGeneration.load(ordering: .relaxed) }

    package var isOpen: Bool { state.isOpen }
    var isInUse: Bool { state.isInUse }

    var connection: ServerConnection? { parts.connection }
    var stream: StreamPointer? { parts.stream }
    var method: MethodEntry? { parts.method }
    var methodIndex: Int? { parts.methodIndex }
    var handler: (any StreamHandler)? { parts.handler }
    var assembling: Int { parts.assembling }

    /// When the call must be answered, counted from the arrival of its header block.
    package var deadline: Deadline? { state.deadline }

    /// Whether the call was admitted by its header block; see ``ServedMethod/admission``.
    package var isAdmitted: Bool { parts.isAdmitted }

    /// Whether the call ended from without; its handler may ask when it is notified of the end.
    package var isCancelled: Bool { state.isCancelled }

    /// Whether the message that the handler has was compressed on its way.
    package var isMessageCompressed: Bool { parts.isMessageCompressed }

    /// Whether answers from now on are compressed, where the call may compress at all.
    package var compressesAnswers: Bool {
        get { parts.compressesAnswers }
        set { parts.compressesAnswers = newValue }
    }

    var requestEncoding: MessageEncoding {
        get { parts.requestEncoding }
        set { parts.requestEncoding = newValue }
    }

    var answerEncoding: MessageEncoding {
        get { parts.answerEncoding }
        set { parts.answerEncoding = newValue }
    }

    package var loopIndex: Int { onLoop { $0.index } }

    /// The memory for this run of a handler; void when the handler returns.
    package var arena: Arena { onLoop { $0.arena } }

    /// The ticket by which other threads find this call again.
    package var handle: CallHandle { CallHandle(self) }

    /// The path, as in `/pkg.Service/Name`.
    package var path: String { parts.method?.name ?? "" }

    /// The peer's address and port, for people; empty once the connection is gone.
    package var peer: String { connection?.peerAddress ?? "" }

    // MARK: - Answers

    /// Sends the header block of the response now; at the latest it goes out with the first answer.
    package func sendInitialMetadata(_ metadata: Metadata) {
        guard isOpen, !state.areHeadersSent else { return }
        if let problem = metadata.problem { return failLocally(problem) }
        sendHeaders(metadata)
        connection?.markDirty()
    }

    /// Answers a call that has one answer: `encode` appends the message, and the status is OK.
    ///
    /// If `encode` throws, the error becomes the status instead.
    package func respond(_ encode: (OutputBuffer) throws(RPCError) -> Void) {
        guard let stream else { return }
        onConnection { respond(encode, stream, $0) }
    }

    private func respond(
        _ encode: (OutputBuffer) throws(RPCError) -> Void, _ stream: StreamPointer,
        _ connection: ServerConnection
    ) {
        guard enqueue(encode, stream, connection) else { return }
        let ending = state.end(.finished)
        guard ending != .nothing else { return }
        if parts.isWeb, let web = parts.web {
            finishWeb(web, .ok, [], stream, connection)
        } else {
            connection.session.finish(stream, trailers: .success)
        }
        parts.code = Status.Code.ok.rawValue
        connection.markDirty()
        if ending == .retire { retire() }
    }

    /// Queues one answer, which `encode` appends.
    ///
    /// - Returns: Whether more should be queued now; if not, ``StreamHandler/writable(_:)`` says
    ///   when. False as well if the call has ended.
    @discardableResult
    package func send(_ encode: (OutputBuffer) throws(RPCError) -> Void) -> Bool {
        guard let stream, let connection, enqueue(encode, stream, connection) else { return false }
        return queued(stream, connection)
    }

    /// Queues one answer that is already encoded.
    @discardableResult
    package func send(_ message: UnsafeRawBufferPointer) -> Bool {
        guard let stream, let connection, mayAnswer() else { return false }
        guard message.count <= loop.maxSentMessageBytes else {
            failTooLong(message.count)
            return false
        }
        if parts.isWeb, let web = parts.web {
            return sendWeb(web, message, stream, connection) && queued(stream, connection)
        }
        beginAnswers(stream, connection)
        countAnswer(message.count)
        if answerEncoding == .identity || !sendPacked(message, stream) {
            Self.append(message, flag: 0, to: stream)
        }
        return queued(stream, connection)
    }

    /// Queues an answer that other calls send too, in its ``Envelope``.
    ///
    /// Unless it has to wait or to be packed, it is sent from where it is. The memory there lives
    /// as long as `owner`.
    @discardableResult
    package func send(enveloped answer: UnsafeRawBufferPointer, of owner: AnyObject) -> Bool {
        guard let stream, let connection, mayAnswer() else { return false }
        let message = Envelope.message(in: answer)
        guard message.count <= onLoop({ $0.maxSentMessageBytes }) else {
            failTooLong(message.count)
            return false
        }
        if parts.isWeb, let web = parts.web {
            return sendWeb(web, message, stream, connection) && queued(stream, connection)
        }
        beginAnswers(stream, connection)
        countAnswer(message.count)
        if answerEncoding == .identity || !sendPacked(message, stream) {
            connection.session.lend(answer, of: owner, to: stream)
        }
        return queued(stream, connection)
    }

    /// Ends the call with `status`, after the answers that are queued.
    package func finish(_ status: Status, trailers: Metadata = []) {
        finish(status, trailers, nil)
    }

    /// - Parameter fields: All fields of the answer, if nothing came before and they are known.
    func finish(_ status: Status, _ trailers: Metadata, _ fields: FixedFields?) {
        switch state.mayFinish(isOK: status.code == .ok) {
        case .ignore: return
        case .fail: return failLocally("the call succeeded without an answer")
        case .send: break
        }
        if let problem = trailers.problem { return failLocally(problem) }
        if status.code == .resourceExhausted { connection?.state.refusedCall() }
        end(.finished, with: status, trailers, fields)
    }

    /// Lets further requests wait; flow control then holds back the client.
    package func pauseRequests() {
        state.pause()
    }

    package func resumeRequests() {
        guard state.resume() else { return }
        receive()
        connection?.markDirty()
    }

    private func mayAnswer() -> Bool {
        switch state.mayAnswer() {
        case .ignore: return false
        case .send: return true
        case .fail:
            failLocally("a second answer to a call that has one")
            return false
        }
    }

    private func enqueue(
        _ encode: (OutputBuffer) throws(RPCError) -> Void, _ stream: StreamPointer,
        _ connection: ServerConnection
    ) -> Bool {
        guard mayAnswer() else { return false }
        let loop = connection.loop
        let output = loop.output
        output.removeAll()
        _ = output.reserve(Envelope.prefixBytes)
        output.advance(Envelope.prefixBytes)
        do throws(RPCError) {
            try encode(output)
        } catch {
            fail(error)
            return false
        }
        let length = output.count - Envelope.prefixBytes
        guard length <= loop.maxSentMessageBytes else {
            failTooLong(length)
            return false
        }
        if length >= CallLimits.highWaterBytes, !hasRoom(length, connection) { return false }
        defer {
            let isLarge = output.capacity > CallLimits.keptOutputBytes
            if isLarge { output.removeAll(keepingCapacity: false) }
        }
        if parts.isWeb, let web = parts.web {
            let message = UnsafeRawBufferPointer(rebasing: output.bytes[Envelope.prefixBytes...])
            return sendWeb(web, message, stream, connection)
        }
        // The prefix was reserved above, so the buffer has a start.
        Envelope.write(length: length, to: output.mutableBytes.baseAddress!)
        beginAnswers(stream, connection)
        countAnswer(length)
        let bytes = output.bytes
        if answerEncoding == .identity
            || !sendPacked(.init(rebasing: bytes[Envelope.prefixBytes...]), stream)
        {
            stream.pointee.output.append(bytes)
        }
        return true
    }

    /// Sends the header block if it has not gone out, and notes that there is an answer.
    private func beginAnswers(_ stream: StreamPointer, _ connection: ServerConnection) {
        let isFirst = state.answer()
        connection.session.settleLoan(of: stream)
        guard isFirst else { return }
        let headers = FixedFields.responseHeaders(answerEncoding)
        connection.session.submitHeaders(stream, headers)
    }

    private func queued(_ stream: StreamPointer, _ connection: ServerConnection) -> Bool {
        let count = stream.waitingBytes
        guard count <= CallLimits.queuedBytes else {
            finish(Status(.resourceExhausted, "the answers are read too slowly"))
            return false
        }
        connection.session.resume(stream)
        connection.markDirty()
        guard count >= CallLimits.highWaterBytes else { return true }
        guard hasRoom(0, connection) else { return false }
        connection.session.notifyWhenWritable(stream, below: CallLimits.lowWaterBytes)
        return false
    }

    /// Whether the connection's queues have room for `length` bytes more; ends the call if not.
    private func hasRoom(_ length: Int, _ connection: ServerConnection) -> Bool {
        let queued = connection.session.queuedBytes + length
        guard queued > CallLimits.connectionQueuedBytes else { return true }
        finish(Status(.resourceExhausted, "the answers of this connection are read too slowly"))
        return false
    }

    /// Ends the call with an error; its cause goes to the log.
    package func fail(_ error: RPCError) {
        if let cause = error.cause { logCause("\(cause)") }
        if error.reason != 0, isOpen { loop.meter.failed(error.reason) }
        var status = Status(error)
        if error.isMalformed, let code = parts.web?.framing.malformed {
            status = Status(code, error.message, details: error.details)
        }
        finish(status, error.trailers, error.fields)
    }

    /// Reports an internal error to the observer, which knows more about the call, or to the log if
    /// there is no observer.
    private func logCause(_ cause: String) {
        if let notes {
            notes.cause = cause
        } else {
            loop.errorLog.log(
                .error, "call failed", at: loop.now, ["call": "\(path)", "cause": "\(cause)"])
        }
    }

    /// Ends a call whose answer is longer than any may be.
    func failTooLong(_ length: Int) {
        finish(
            Status(
                .resourceExhausted,
                "an answer of \(length) bytes is longer than \(loop.maxSentMessageBytes)"))
    }

    /// Ends a call whose handler broke a rule of ours.
    func failLocally(_ problem: String) {
        logCause("a handler erred: \(problem)")
        end(.finished, with: Status(.internalError, "the server erred"))
    }

    private func sendHeaders(_ metadata: Metadata) {
        guard let stream, let connection else { return }
        if parts.isWeb, let web = parts.web {
            return sendWebHeaders(web, metadata, stream, connection)
        }
        guard state.sendHeaders() else { return }
        loop.block.reset(keeping: .max)
        metadata.write(to: &loop.block)
        connection.session.submitHeaders(stream, .responseHeaders(answerEncoding), loop.block)
    }

    private func send(_ status: Status, _ trailers: Metadata, _ fields: FixedFields?) {
        parts.code = status.code.rawValue
        guard let stream, let connection else { return }
        notes?.status = status
        connection.markDirty()
        if parts.isWeb, let web = parts.web {
            return finishWeb(web, status, trailers, stream, connection)
        }
        let session = connection.session
        guard state.areHeadersSent else {
            if let fields, fields.listBytes <= session.peerHeaderListBytes {
                return session.submitHeaders(stream, fields, end: true)
            }
            loop.block.reset(keeping: .max)
            loop.block.append(status, trailers, limit: session.peerHeaderListBytes)
            return session.submitHeaders(stream, .responseHeaders, loop.block, end: true)
        }
        if status.code == .ok, trailers.isEmpty {
            return session.finish(stream, trailers: .success)
        }
        stream.pointee.outputTrailers.append(
            status, trailers, limit: session.peerHeaderListBytes)
        session.finishWithTrailers(stream)
    }

    // MARK: - The call's life, as its connection drives it

    func open(_ connection: ServerConnection, _ stream: StreamPointer, _ method: MethodEntry) {
        state.open(answersSeveral: !method.answersOneMessage)
        parts.heldConnection = .passUnretained(connection)
        parts.stream = stream
        parts.heldMethod = .passUnretained(method)
        parts.methodIndex = method.index
        countOpening(method, on: connection.loop)
        stream.pointee.context = slot
        beginNotes(method, stream, on: connection.loop)
    }

    /// Begins a call whose header block was accepted.
    func begin(deadline: Deadline?) {
        state.begin(deadline: deadline)
        parts.heldMethod?._withUnsafeGuaranteedRef(begin)
    }

    private func begin(_ method: MethodEntry) {
        guard case .streaming(let make) = method.body else { return admit(method) }
        state.enter()
        let handler = make(self)
        parts.handler = handler
        if isOpen, connection?.state.isOpen == false { handler.stopping(self) }
        returned()
    }

    /// Asks whether the call is admitted, unless its handler is asking at this very moment.
    private func admit(_ method: MethodEntry) {
        guard let stream else { return }
        let isHere = stream.isRemoteEnded
        guard parts.isWeb || !isHere || stream.pointee.input.bytes.first == Envelope.compressed,
            let admission = method.admission
        else { return }
        do throws(RPCError) {
            try admission(self)
            parts.isAdmitted = true
        } catch {
            fail(error)
        }
    }

    /// Runs the handler, if the call is open and has one.
    func run(_ body: (any StreamHandler) -> Void) {
        guard isOpen, let handler else { return }
        handling { body(handler) }
    }

    /// Runs work that comes from another thread, and lets the call go afterwards if it has ended.
    func handling(_ body: () -> Void) {
        guard state.enter() else { return body() }
        body()
        returned()
        // Takes the requests that came while they had to wait: no later event may come for them.
        if state.isResumeDue { resumeRequests() }
    }

    func isCall(of connection: ServerConnection) -> Bool { self.connection === connection }

    /// Takes what has arrived on the stream.
    func receive() {
        guard let connection else { return }
        receive(connection)
    }

    /// Takes what has arrived, for a caller that has the call's connection at hand.
    func receive(_ connection: ServerConnection) {
        switch state.arrived(at: connection.loop.now) {
        case .nothing: return
        case .expire: return expire()
        case .take: break
        }
        guard let stream else { return }
        parts.heldMethod?._withUnsafeGuaranteedRef { take($0, stream, connection) }
    }

    private func take(
        _ method: MethodEntry, _ stream: StreamPointer, _ connection: ServerConnection
    ) {
        if parts.isWeb, let web = parts.web {
            receiveWeb(web, method, stream, connection)
        } else if method.takesOneMessage {
            receiveOne(stream.pointee.input.bytes, method, stream, connection)
        } else {
            receiveMany()
        }
    }

    func becameWritable() {
        guard isOpen, let handler else { return }
        handling { handler.writable(self) }
        // A handler that paused because its client took no answers goes on with the requests that
        // came meanwhile: no further data may ever arrive to start it.
        receive()
    }

    /// Ends the call because its deadline has passed.
    func expire() {
        cancel(Status(.deadlineExceeded, "the deadline has passed"))
    }

    /// Ends the call from outside; a status is sent if the client can still read it.
    func cancel(_ status: Status?) {
        end(.cancelled, with: status)
    }

    /// Ends a call whose client has begun a message and does not go on; called at equal distances
    /// in time, ``CallLimits/sweepSeconds``.
    func sweep() {
        guard let stream, let method = parts.method,
            state.checkTime(waits: method.takesOneMessage || !stream.pointee.input.isEmpty)
        else { return }
        logViolation("slow_request")
        cancel(Status(.deadlineExceeded, "the request took too long to arrive"))
    }

    /// The outermost handler has left the stack.
    func returned() {
        loop.messageBytes = 0
        if state.handlerReturned() == .retire { retire() }
    }

    /// Ends the call, with a status if its client is to get one.
    private func end(
        _ end: CallStateMachine.End, with status: Status?, _ trailers: Metadata = [],
        _ fields: FixedFields? = nil
    ) {
        let ending = state.end(end)
        guard ending != .nothing else { return }
        if let status { send(status, trailers, fields) }
        if ending == .retire { retire() }
    }

    /// Goes back to the pool, once the handler knows that the call has ended, whatever ended it.
    ///
    /// Handles of the call are void from now on.
    private func retire() {
        guard let stream else { return }
        onConnection { retire(stream, $0) }
    }

    private func retire(_ stream: StreamPointer, _ connection: ServerConnection) {
        handler?.ended(self)
        endNotes(isCutOff: isCancelled, connection)
        connection.assembling -= assembling
        if parts.isCountedAsUnauthenticated { releaseUnauthenticated(connection) }
        connection.session.release(stream)
        countEnd()
        currentGeneration.store(generation &+ 1, ordering: .relaxed)
        parts = CallParts()
        switch state.retire(from: connection.number) {
        case .recycle: recycle(keepingRoomOn: connection)
        case .abandon: connection.session.abandonedStreams += 1
        }
    }

    /// Another thread has finished one piece of work for the call.
    func workDone() {
        switch state.workEnds() {
        case .nothing: break
        case .back:
            noteReturn()
            release(connection)
        case .recycle(let number):
            let connection = loop.connection(number)
            release(connection)
            connection?.session.abandonedStreams -= 1
            recycle()
        }
    }

    /// - Parameter connection: Keeps the room of the call for the next one of the same request.
    private func recycle(keepingRoomOn connection: ServerConnection? = nil) {
        if let usage {
            if connection?.keepRoom(of: usage) != true { usage.releaseCall() }
            self.usage = nil
        }
        onLoop { $0.recycle(self) }
    }
}
