import GRPCWire
import NIOCore
import RPC

/// The state machine of a call: from its header block to its status, and on to the return of the
/// last work that is done for it.
///
/// It is notified of each event, and answers with the action that follows. It does no I/O, reads no
/// clock and calls no one: ``ServerCall`` does what it says. An event that comes to a call which
/// has ended changes nothing.
struct CallStateMachine {
    private enum Phase {
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
        /// Only work on other threads is left; the connection may be gone.
        case abandoned
    }

    /// How far the handler has come with the messages of the request.
    private enum Requests {
        /// It gets them as they arrive.
        case taken
        /// They wait; flow control then holds back the client.
        case paused
        /// It gets them again when it returns.
        case resumed
        /// It has them all.
        case done
    }

    /// How much of the response has begun.
    private enum Answers {
        case nothing
        case headers
        /// The header block and at least one message.
        case messages
    }

    private var phase = Phase.pooled
    private var requests = Requests.taken
    private var answers = Answers.nothing

    /// Whether the method has any number of answers.
    private var answersSeveral = false

    /// How often in a row the loop's sweep found the call waiting for the same message.
    private var looks = 0

    /// Pieces of work that other threads have not finished.
    private var work = 0

    /// The number of the connection that an abandoned call came by.
    private var number = 0

    /// When the call must be answered, counted from the arrival of its header block.
    private(set) var deadline: Deadline?

    var isOpen: Bool {
        switch phase {
        case .open, .running: true
        case .pooled, .finished, .cancelled, .abandoned: false
        }
    }

    var isInUse: Bool { phase != .pooled }

    /// Whether the call ended from without.
    var isCancelled: Bool { phase == .cancelled }

    var areHeadersSent: Bool { answers != .nothing }

    // MARK: - The begin

    /// A call begins on a stream.
    mutating func open(answersSeveral: Bool) {
        precondition(phase == .pooled)
        phase = .open
        self.answersSeveral = answersSeveral
    }

    /// The header block of the request was accepted.
    mutating func begin(deadline: Deadline?) {
        self.deadline = deadline
    }

    // MARK: - The handler

    /// A handler is about to run.
    ///
    /// - Returns: Whether it is the outermost one, whose return is an event too.
    @discardableResult
    @inline(__always)
    mutating func enter() -> Bool {
        guard phase == .open else { return false }
        phase = .running
        return true
    }

    /// The outermost handler has returned.
    @inline(__always)
    mutating func handlerReturned() -> Ending {
        switch phase {
        case .running:
            phase = .open
            return .nothing
        case .finished, .cancelled: return .retire
        case .pooled, .open, .abandoned: return .nothing
        }
    }

    // MARK: - Requests

    /// The things to do with bytes of the request.
    enum Arrival {
        case nothing
        case expire
        case take
    }

    /// Bytes of the request have arrived, or its end, or the handler takes requests again.
    @inline(__always)
    func arrived(at now: NIODeadline) -> Arrival {
        guard isOpen, requests != .done else { return .nothing }
        if let deadline, deadline.time <= now { return .expire }
        return .take
    }

    /// Whether the handler gets, now or when it returns, a message that arrives.
    var takesMessages: Bool { isOpen && (requests == .taken || requests == .resumed) }

    /// A message goes to the handler.
    mutating func deliver() {
        looks = 0
        enter()
    }

    /// The handler has, or gets now, all that the request holds.
    mutating func requestEnds() {
        requests = .done
    }

    /// Lets further messages wait.
    mutating func pause() {
        guard isOpen, requests != .done else { return }
        requests = .paused
    }

    /// Goes on with the messages, once no handler is on the stack.
    ///
    /// - Returns: Whether those that have come are to be taken now.
    mutating func resume() -> Bool {
        guard requests == .paused || requests == .resumed else { return false }
        guard phase != .running else {
            requests = .resumed
            return false
        }
        requests = .taken
        return isOpen
    }

    /// Whether the handler went on with the messages while it ran.
    var isResumeDue: Bool { requests == .resumed }

    /// The loop has looked at its calls again, as it does at equal distances in time.
    ///
    /// - Parameter waits: Whether a message must come, or has begun.
    /// - Returns: Whether the client has taken too long with it.
    mutating func checkTime(waits: Bool) -> Bool {
        guard waits, takesMessages else { return false }
        looks += 1
        return looks * Int(CallLimits.sweepSeconds) > Int(CallLimits.messageSeconds)
    }

    // MARK: - The response

    /// The fate of an answer of the handler.
    enum Sending {
        /// The call has ended.
        case ignore
        /// The handler broke the rule on how many answers its method has.
        case fail
        case send
    }

    /// The header block of the response goes out.
    ///
    /// - Returns: Whether it is the first time; otherwise it must not.
    @inline(__always)
    mutating func sendHeaders() -> Bool {
        guard answers == .nothing else { return false }
        answers = .headers
        return true
    }

    /// The handler has an answer.
    @inline(__always)
    func mayAnswer() -> Sending {
        guard isOpen else { return .ignore }
        return answers == .messages && !answersSeveral ? .fail : .send
    }

    /// An answer goes out.
    ///
    /// - Returns: Whether the header block must go before it.
    @inline(__always)
    mutating func answer() -> Bool {
        let isFirst = answers == .nothing
        answers = .messages
        return isFirst
    }

    /// The handler has a status.
    func mayFinish(isOK: Bool) -> Sending {
        guard isOpen else { return .ignore }
        return isOK && answers != .messages && !answersSeveral ? .fail : .send
    }

    // MARK: - The end

    /// Why a call ends.
    enum End {
        /// The handler gave a status.
        case finished
        /// It comes from without.
        case cancelled
    }

    /// The things to do at the end of a call, after its status was sent.
    enum Ending {
        case nothing
        /// A handler is on the stack, so its return is waited for.
        case wait
        /// The call gives back all that it holds, and then reports it by ``retire(from:)``.
        case retire
    }

    /// The call ends; only the first end sends a status.
    @inline(__always)
    mutating func end(_ end: End) -> Ending {
        guard isOpen else { return .nothing }
        let isHandlerOnStack = phase == .running
        phase = end == .finished ? .finished : .cancelled
        return isHandlerOnStack ? .wait : .retire
    }

    /// The fate of the object of a call that has ended.
    enum Retirement {
        /// Another call may have the object.
        case recycle
        /// It stays until other threads have finished all work for it.
        case abandon
    }

    /// The call has given back its stream, and all else of its connection.
    mutating func retire(from connection: Int) -> Retirement {
        precondition(phase == .finished || phase == .cancelled)
        requests = .taken
        answers = .nothing
        looks = 0
        deadline = nil
        guard work > 0 else {
            phase = .pooled
            return .recycle
        }
        phase = .abandoned
        number = connection
        return .abandon
    }

    // MARK: - Work

    /// Work for the call begins on another thread.
    ///
    /// - Returns: Whether it is the only one.
    mutating func workBegins() -> Bool {
        work += 1
        return work == 1
    }

    /// The step that follows when other threads have ended a piece of work.
    enum WorkEnd {
        /// There is more of it.
        case nothing
        /// The call has no more work.
        case back
        /// The call ended before, and came by the connection of that number; another one may have
        /// the object.
        case recycle(connection: Int)
    }

    /// Another thread has finished a piece of work.
    mutating func workEnds() -> WorkEnd {
        precondition(work > 0, "work came back twice")
        work -= 1
        guard work == 0 else { return .nothing }
        guard phase == .abandoned else { return .back }
        phase = .pooled
        return .recycle(connection: number)
    }
}
