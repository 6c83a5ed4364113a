import HTTP2
import Logging
package import Memory
import Protobuf
package import RPC
import Synchronization

/// One call, from the header block of its request to its status.
///
/// Handlers hold a call only while they are called, and between that its ``handle``: the object
/// goes back to its loop's pool when the call has ended, and serves another one. Methods that are
/// called on an ended call do nothing.
///
/// Properties that every call touches are `@exclusivity(unchecked)`: Swift would otherwise look up,
/// at run time and many times a call, whether two accesses overlap. None does: one thread touches
/// them, and no access lasts beyond its statement.
///
/// - Important: Belongs to its loop, and is not `Sendable`.
package final class ServerCall {
    enum Phase {
        /// In the loop's pool.
        case pooled
        /// No handler of the call is on the stack.
        case open
        /// A handler is on the stack, so the stream must stay as it is.
        case running
        /// The status is on its way; a handler may be on the stack.
        case finished
        /// The call ended from without; a handler may be on the stack.
        case cancelled
        /// All is over but the work on other threads; the connection may be gone.
        case abandoned(connection: Int)
    }

    /// The loop that owns this object, and so outlives it.
    private let owner: Unmanaged<ServerLoop>
    package var loop: ServerLoop { owner.takeUnretainedValue() }
    let slot: Int

    /// Asks the loop without counting it up and down, as a use of ``loop`` does.
    @inline(__always)
    func onLoop<Result>(_ body: (ServerLoop) -> Result) -> Result {
        owner._withUnsafeGuaranteedRef(body)
    }

    /// Written on the loop, and read by whoever holds a handle.
    private let currentGeneration = Atomic<UInt32>(0)
    @exclusivity(unchecked) var phase = Phase.pooled

    /// Replaced as a whole when the call ends.
    @exclusivity(unchecked) var state = CallState()

    /// Handles of work that have not come back; see ``beginWork()``.
    @exclusivity(unchecked) var work = 0

    /// Bytes of the request that this work is about; see ``hold(_:)``.
    @exclusivity(unchecked) var workBytes = 0

    /// When the call began to wait for another thread, and when that thread took it; the thread
    /// that has the work writes them.
    let queuedAt = Atomic<UInt64>(0)
    let begunAt = Atomic<UInt64>(0)
    /// The further places on the way of a call that is traced, written by the same thread.
    ///
    /// They are the moment when it began to understand the request, the begin and the end of a
    /// write's rules, and the moment when the write was durable.
    let understoodAt = Atomic<UInt64>(0)
    let ranAt = Atomic<UInt64>(0)
    let rulesEndAt = Atomic<UInt64>(0)
    let committedAt = Atomic<UInt64>(0)

    /// The notes for the observer of the loop; nil if there is none.
    @exclusivity(unchecked) package internal(set) var notes: CallNotes?
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

    package var isOpen: Bool {
        switch phase {
        case .open, .running: true
        case .pooled, .finished, .cancelled, .abandoned: false
        }
    }

    var isInUse: Bool { if case .pooled = phase { false } else { true } }
    private var isRunning: Bool { if case .running = phase { true } else { false } }

    var connection: ServerConnection? { state.connection }
    var stream: StreamPointer? { state.stream }
    var method: MethodEntry? { state.method }
    var methodIndex: Int? { state.methodIndex }
    var handler: (any StreamHandler)? { state.handler }
    var isHeadSent: Bool { state.answers != .nothing }
    var assembling: Int { state.assembling }

    /// When the call must be answered, counted from the arrival of its header block.
    package var deadline: Deadline? { state.deadline }

    /// Whether the call was admitted by its header block; see ``ServedMethod/admission``.
    package var isAdmitted: Bool { state.isAdmitted }

    /// Whether the call ended from without; its handler may ask when it is told of the end.
    package var isCancelled: Bool { if case .cancelled = phase { true } else { false } }

    /// Whether the message that the handler has was compressed on its way.
    package var isMessageCompressed: Bool { state.isMessageCompressed }

    /// Whether answers from now on are compressed, where the call may compress at all.
    package var compressesAnswers: Bool {
        get { state.compressesAnswers }
        set { state.compressesAnswers = newValue }
    }

    var requestEncoding: MessageEncoding {
        get { state.requestEncoding }
        set { state.requestEncoding = newValue }
    }

    var answerEncoding: MessageEncoding {
        get { state.answerEncoding }
        set { state.answerEncoding = newValue }
    }

    package var loopIndex: Int { onLoop { $0.index } }

    /// The memory for this run of a handler; void when the handler returns.
    package var arena: Arena { onLoop { $0.arena } }

    /// The ticket by which other threads find this call again.
    package var handle: CallHandle { CallHandle(self) }

    /// The path, as in `/pkg.Service/Name`.
    package var path: String { state.method?.name ?? "" }

    // MARK: - Answers

    /// Sends the header block of the response now; at the latest it goes out with the first answer.
    package func sendInitialMetadata(_ metadata: Metadata) {
        guard isOpen, !isHeadSent else { return }
        if let problem = metadata.problem { return failLocally(problem) }
        sendHead(metadata)
        connection?.markDirty()
    }

    /// Answers a call that has one answer: `encode` appends the message, and the status is OK.
    ///
    /// If `encode` throws, the error becomes the status instead.
    package func respond(_ encode: (OutputBuffer) throws(RPCError) -> Void) {
        // The connection is asked for once: each time costs a count up and a count down.
        guard let stream, let connection else { return }
        respond(encode, stream, connection)
    }

    private func respond(
        _ encode: (OutputBuffer) throws(RPCError) -> Void, _ stream: StreamPointer,
        _ connection: ServerConnection
    ) {
        guard enqueue(encode, stream, connection) else { return }
        if state.isWeb, let web = state.web {
            finishWeb(web, .ok, [], stream, connection)
        } else {
            connection.session.finish(stream, trailers: .success)
        }
        state.code = Status.Code.ok.rawValue
        end(connection)
    }

    /// Queues one answer, which `encode` appends.
    ///
    /// - Returns: Whether more should be queued now; if not, ``StreamHandler/writable(_:)`` tells
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
        if state.isWeb, let web = state.web {
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
        if state.isWeb, let web = state.web {
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
        guard isOpen else { return }
        guard status.code != .ok || hasAnswered || state.method?.answersOneMessage == false else {
            return failLocally("the call succeeded without an answer")
        }
        if let problem = trailers.problem { return failLocally(problem) }
        if status.code == .resourceExhausted { connection?.refusedCall() }
        sendStatus(status, trailers, fields)
        end(connection)
    }

    /// Lets further requests wait, and in the end the client.
    package func pauseRequests() {
        guard isOpen, state.requests != .done else { return }
        state.requests = .paused
    }

    package func resumeRequests() {
        guard state.requests == .paused || state.requests == .resumed else { return }
        guard !isRunning else { return state.requests = .resumed }
        state.requests = .taken
        guard isOpen else { return }
        receive()
        connection?.markDirty()
    }

    private var hasAnswered: Bool { state.answers == .messages }

    /// Whether the method has any number of answers; each of them asks.
    private var answersSeveral: Bool {
        guard let method = state.method.map(Unmanaged.passUnretained) else { return false }
        return method._withUnsafeGuaranteedRef { !$0.answersOneMessage }
    }

    private func mayAnswer() -> Bool {
        guard isOpen else { return false }
        guard !hasAnswered || answersSeveral else {
            failLocally("a second answer to a call that has one")
            return false
        }
        return true
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
        if state.isWeb, let web = state.web {
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
        let wasHeadSent = isHeadSent
        state.answers = .messages
        connection.session.settleLoan(of: stream)
        guard !wasHeadSent else { return }
        connection.session.submitHead(stream, .responseHead(answerEncoding))
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

    /// Ends a call whose handler broke a rule of ours.
    func failLocally(_ problem: String) {
        tell("a handler erred: \(problem)")
        sendStatus(Status(.internalError, "the server erred"), [])
        end(connection)
    }

    private func sendHead(_ metadata: Metadata) {
        guard let stream, let connection else { return }
        if state.isWeb, let web = state.web {
            return sendWebHead(web, metadata, stream, connection)
        }
        state.answers = .head
        loop.block.reset(keeping: .max)
        metadata.write(to: &loop.block)
        connection.session.submitHead(stream, .responseHead(answerEncoding), loop.block)
    }

    private func sendStatus(
        _ status: Status, _ trailers: Metadata, _ fields: FixedFields? = nil
    ) {
        state.code = status.code.rawValue
        guard let stream, let connection else { return }
        notes?.status = status
        connection.markDirty()
        if state.isWeb, let web = state.web {
            return finishWeb(web, status, trailers, stream, connection)
        }
        let session = connection.session
        guard isHeadSent else {
            if let fields, fields.listBytes <= session.peerHeaderListBytes {
                return session.submitHead(stream, fields, end: true)
            }
            loop.block.reset(keeping: .max)
            loop.block.append(status, trailers, limit: session.peerHeaderListBytes)
            return session.submitHead(stream, .responseHead, loop.block, end: true)
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
        precondition(!isInUse)
        phase = .open
        state.connection = connection
        state.stream = stream
        state.method = method
        state.methodIndex = method.index
        countOpening(method, on: connection.loop)
        stream.pointee.context = slot
        beginNotes(method, stream, on: connection.loop)
    }

    /// Begins a call whose header block was accepted.
    func begin(deadline: Deadline?) {
        state.deadline = deadline
        guard let method = state.method else { return }
        guard case .streaming(let make) = method.body else { return admit(method) }
        phase = .running
        let handler = make(self)
        state.handler = handler
        if isOpen, connection?.isEnding == true { handler.stopping(self) }
        returned()
    }

    /// Asks whether the call may come in, unless its handler does so in this very moment.
    private func admit(_ method: MethodEntry) {
        guard let stream else { return }
        let isHere = stream.isRemoteEnded
        guard state.isWeb || !isHere || stream.pointee.input.bytes.first == Envelope.compressed,
            let admission = method.admission
        else { return }
        do throws(RPCError) {
            try admission(self)
            state.isAdmitted = true
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
        guard case .open = phase else { return body() }
        phase = .running
        body()
        returned()
        // Takes the requests that came while they had to wait: no later event may come for them.
        if state.requests == .resumed { resumeRequests() }
    }

    func isCall(of connection: ServerConnection) -> Bool { self.connection === connection }

    /// Takes what has arrived on the stream.
    func receive() {
        guard let connection else { return }
        receive(connection)
    }

    /// Takes what has arrived, for a caller that has the call's connection at hand.
    func receive(_ connection: ServerConnection) {
        guard isOpen, state.requests != .done, let method = state.method, let stream else {
            return
        }
        if let deadline, deadline.time <= connection.loop.now { return expire() }
        if state.isWeb, let web = state.web {
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
        guard isOpen else { return }
        if let status { sendStatus(status, []) }
        end(as: .cancelled)
    }

    /// Ends a call whose client has begun a message and does not go on; called at equal distances
    /// in time, ``CallLimits/sweepSeconds``.
    func sweep() {
        guard isOpen, areRequestsTaken, let stream, let method = state.method else { return }
        guard method.takesOneMessage || !stream.pointee.input.isEmpty else { return }
        state.looks += 1
        guard state.looks * Int(CallLimits.sweepSeconds) > Int(CallLimits.messageSeconds) else {
            return
        }
        complain("slow_request")
        cancel(Status(.deadlineExceeded, "the request took too long to arrive"))
    }

    /// Whether the handler gets, now or when it returns, a message that arrives.
    var areRequestsTaken: Bool {
        state.requests == .taken || state.requests == .resumed
    }

    /// The outermost handler has left the stack.
    func returned() {
        loop.messageBytes = 0
        switch phase {
        case .running: phase = .open
        case .finished, .cancelled: retire()
        case .pooled, .open, .abandoned: break
        }
    }

    /// Ends the call whose status is queued.
    private func end(_ connection: ServerConnection?) {
        connection?.markDirty()
        end(as: .finished)
    }

    private func end(as end: Phase) {
        let isHandlerOnStack = isRunning
        phase = end
        if !isHandlerOnStack { retire() }
    }

    /// Goes back to the pool, once the handler knows that the call has ended, whatever ended it.
    ///
    /// Handles of the call are void from now on.
    private func retire() {
        guard let stream, let connection else { return }
        handler?.ended(self)
        endNotes(isCutOff: isCancelled, connection)
        connection.assembling -= assembling
        if state.isCountedAsUnauthenticated { leaveAsStranger(connection) }
        connection.session.release(stream)
        countEnd()
        currentGeneration.store(generation &+ 1, ordering: .relaxed)
        state = CallState()
        guard work == 0 else {
            phase = .abandoned(connection: connection.number)
            return connection.session.abandonedStreams += 1
        }
        phase = .pooled
        recycle()
    }

    /// One piece of work has come back.
    func workDone() {
        precondition(work > 0, "work came back twice")
        work -= 1
        guard work == 0 else { return }
        noteReturn()
        guard case .abandoned(let number) = phase else { return letGo(connection) }
        let connection = loop.connection(number)
        letGo(connection)
        phase = .pooled
        connection?.session.abandonedStreams -= 1
        recycle()
    }

    private func recycle() {
        if let usage {
            usage.giveBackCall()
            self.usage = nil
        }
        onLoop { $0.recycle(self) }
    }
}
