package import GRPCWire
import HTTP2
import NIOCore
package import RPC
import Synchronization

/// The part of a server that is notified of each call that has ended.
package protocol CallObserver: AnyObject, Sendable {
    /// Learns of a call that begins, and may ask for its trace; see ``CallNotes/trace(as:)``.
    ///
    /// It is called on the call's loop, before anything is done for the call.
    func begins(_ notes: CallNotes)

    /// Takes note of a call.
    ///
    /// It is called on the call's loop, which waits for it. The notes are used for the next call
    /// afterwards.
    func ended(_ notes: CallNotes)
}

extension CallObserver {
    package func begins(_ notes: CallNotes) {}
}

/// The caller of a call, for whoever shows it to a person.
package protocol NotedCaller: AnyObject, Sendable {}

/// All that becomes known of a call while it runs, if its server has an observer.
///
/// A server without one makes no notes, and its calls pay for a look whether there are some.
///
/// Its properties are `@exclusivity(unchecked)`, for the reason that ``ServerCall`` has. Other
/// targets would still check each access to a stored property at run time, so they get computed
/// ones.
///
/// - Important: Belongs to the call's loop.
package final class CallNotes {
    /// The values that other targets see.
    private struct Facts {
        var path = ""
        var isUnary = false
        var status = Status.ok
        var cause: String?
        var nanoseconds: Int64 = 0
        var ownNanoseconds: Int64 = 0
        var receivedBytes = 0
        var sentBytes = 0
        var peer = ""
        var trace: TraceParent?
        var traceState: [UInt8]?
        var isTraced = false
        var phases: [CallPhase] = []
        var caller: (any NotedCaller)?
        var requestID = ""
    }

    @exclusivity(unchecked) private var facts = Facts()
    /// When the call left its loop for another thread; 0 while it is on its loop.
    @exclusivity(unchecked) var handed: UInt64 = 0
    @exclusivity(unchecked) private var begun = NIODeadline.uptimeNanoseconds(0)
    @exclusivity(unchecked) private var completed: NIODeadline?
    /// The stream of the call, which has its header block until the call has ended.
    @exclusivity(unchecked) private var stream: StreamPointer?

    package init() {}

    /// Begins the notes of another call.
    func begin(_ method: MethodEntry, at now: NIODeadline, _ stream: StreamPointer) {
        path = method.name
        isUnary = method.takesOneMessage && method.answersOneMessage
        status = .ok
        cause = nil
        receivedBytes = 0
        sentBytes = 0
        caller = nil
        requestID = ""
        begun = now
        completed = nil
        self.stream = stream
        trace = nil
        guard isTraced else { return }
        isTraced = false
        traceState = nil
        handed = 0
        facts.phases.removeAll(keepingCapacity: true)
    }

    /// Notes a message that has arrived.
    func received(_ bytes: Int, at now: NIODeadline) {
        receivedBytes += bytes
        completed = now
    }

    /// Takes from the header block of the request what a line says of it.
    ///
    /// Of several `traceparent` none is known to be right, so none counts.
    package func readHeaders() {
        guard trace == nil, let stream, let text = stream.field("traceparent"),
            !stream.hasSeveralFields("traceparent")
        else { return }
        trace = TraceParent(Metadata.trimmed(text))
    }

    // MARK: Traces

    /// Has the parts of the call's way noted, as a part of `trace`.
    ///
    /// - Parameter trace: The trace of the caller, or a new one.
    package func trace(as trace: TraceParent) {
        isTraced = true
        if self.trace != nil {
            traceState = stream?.joined("tracestate", atMost: CallLimits.traceStateBytes)
            if let text = traceState, text.isEmpty || !TraceState.isValid(text) { traceState = nil }
        }
        self.trace = trace
    }

    /// When the wake-up began that brought the header block of the request, on ``Deadline/clock``.
    package var began: UInt64 { begun.uptimeNanoseconds }

    /// Notes a part of the path of a call that is traced.
    package func add(_ kind: CallPhase.Kind, from start: UInt64, to end: UInt64) {
        guard isTraced, phases.count < CallLimits.notedPhases else { return }
        facts.phases.append(CallPhase(kind: kind, start: start, end: max(start, end)))
    }

    /// Ends the notes; the client of a call that was cut off got no status.
    func end(isCutOff: Bool, at now: NIODeadline, _ connection: ServerConnection) {
        if isCutOff, status.code == .ok { status = Status(.cancelled) }
        nanoseconds = (now - begun).nanoseconds
        ownNanoseconds = completed.map { (now - $0).nanoseconds } ?? 0
        peer = connection.peerAddress
    }

    /// Notes how the call fared since it left its loop, as the threads that had it say.
    func addWork(of call: ServerCall, until now: UInt64) {
        guard handed != 0 else { return }
        var start = handed
        handed = 0
        var begun = call.way.begunAt.load(ordering: .relaxed)
        // A thread has understood the request, and has handed it on.
        let understood = call.way.understoodAt.load(ordering: .relaxed)
        if understood != 0 {
            let queued = call.way.queuedAt.load(ordering: .relaxed)
            add(.queue, from: start, to: understood)
            add(.work, from: understood, to: queued)
            start = queued
            if begun == understood { begun = 0 }
        }
        add(.queue, from: start, to: begun == 0 ? now : begun)
        guard begun != 0 else { return }
        let ran = call.way.ranAt.load(ordering: .relaxed)
        guard ran != 0 else { return add(.work, from: begun, to: now) }
        let rulesEnd = call.way.rulesEndAt.load(ordering: .relaxed)
        add(.rules, from: ran, to: rulesEnd == 0 ? now : rulesEnd)
        guard rulesEnd != 0 else { return }
        let committed = call.way.committedAt.load(ordering: .relaxed)
        add(.commit, from: rulesEnd, to: committed == 0 ? now : committed)
    }

    /// Keeps nothing of the call.
    func release() {
        stream = nil
        caller = nil
    }
}

// The values of the notes, for other targets.
extension CallNotes {
    /// The path, as in `/pkg.Service/Name`.
    package var path: String {
        get { facts.path }
        set { facts.path = newValue }
    }

    /// Whether the call ends when the server has done its work, so that its length says something.
    package var isUnary: Bool {
        get { facts.isUnary }
        set { facts.isUnary = newValue }
    }

    /// How it ended; `CANCELLED` for a call whose client reset it, or went away.
    package var status: Status {
        get { facts.status }
        set { facts.status = newValue }
    }

    /// The error of ours that ended it; nil if there was none.
    package var cause: String? {
        get { facts.cause }
        set { facts.cause = newValue }
    }

    /// From the wake-up in which its header block arrived to its end.
    package var nanoseconds: Int64 {
        get { facts.nanoseconds }
        set { facts.nanoseconds = newValue }
    }

    /// The server's own part of it: from the wake-up in which its last message was complete; 0 for
    /// a call whose request never came whole.
    package var ownNanoseconds: Int64 {
        get { facts.ownNanoseconds }
        set { facts.ownNanoseconds = newValue }
    }

    /// Bytes of messages, before they were packed and after they were expanded.
    package var receivedBytes: Int {
        get { facts.receivedBytes }
        set { facts.receivedBytes = newValue }
    }

    package var sentBytes: Int {
        get { facts.sentBytes }
        set { facts.sentBytes = newValue }
    }

    /// The peer's address and port.
    package var peer: String {
        get { facts.peer }
        set { facts.peer = newValue }
    }

    /// The trace that the call belongs to, once ``readHeaders()`` was called; nil without one.
    package var trace: TraceParent? {
        get { facts.trace }
        set { facts.trace = newValue }
    }

    /// The metadata `tracestate` of a call that is traced; nil if there is none that is valid.
    package private(set) var traceState: [UInt8]? {
        get { facts.traceState }
        set { facts.traceState = newValue }
    }

    /// Whether the parts of the call's way are noted.
    package private(set) var isTraced: Bool {
        get { facts.isTraced }
        set { facts.isTraced = newValue }
    }

    /// The parts of the path of a call that is traced, in the order in which they ended.
    package private(set) var phases: [CallPhase] {
        get { facts.phases }
        set { facts.phases = newValue }
    }

    /// The layers above note the caller, and the id of a write.
    package var caller: (any NotedCaller)? {
        get { facts.caller }
        set { facts.caller = newValue }
    }

    package var requestID: String {
        get { facts.requestID }
        set { facts.requestID = newValue }
    }
}

// The notes of a call for the observer of its server.
extension ServerCall {
    /// Begins the notes of a call, if the loop has an observer.
    @inline(__always)
    func beginNotes(_ method: MethodEntry, _ stream: StreamPointer, on loop: ServerLoop) {
        guard loop.observer != nil else { return }
        makeNotes(method, stream, on: loop)
    }

    @inline(never)
    private func makeNotes(_ method: MethodEntry, _ stream: StreamPointer, on loop: ServerLoop) {
        let notes = spareNotes ?? CallNotes()
        spareNotes = nil
        notes.begin(method, at: loop.now, stream)
        presentNotes = notes
        loop.observer?.begins(notes)
    }

    /// Notifies the observer of the call's end.
    @inline(__always)
    func endNotes(isCutOff: Bool, _ connection: ServerConnection) {
        guard let notes else { return }
        presentNotes = nil
        spareNotes = notes
        let now = loop.eventLoop.now
        if notes.isTraced { notes.addWork(of: self, until: now.uptimeNanoseconds) }
        notes.end(isCutOff: isCutOff, at: now, connection)
        loop.observer?.ended(notes)
        notes.release()
    }
}

/// A part of the path of a call, on ``Deadline/clock``.
package struct CallPhase: Sendable, Equatable {
    package enum Kind: String, Sendable {
        /// The caller is recognised, and admitted.
        case admission
        /// The call waits for another thread.
        case queue
        /// A thread beside the loops reads rows, or understands a long request.
        case work
        /// A write's rules run, in a transaction.
        case rules
        /// The transaction becomes durable, with the writes that share it.
        case commit
    }

    package let kind: Kind
    package let start: UInt64
    package let end: UInt64
}
