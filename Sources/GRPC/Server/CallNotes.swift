import HTTP2
import NIOCore

/// The part of a server that is told of each call that has ended.
package protocol CallObserver: AnyObject, Sendable {
    /// Takes note of a call.
    ///
    /// It is called on the call's loop, which waits for it. The notes are used for the next call
    /// afterwards.
    func ended(_ notes: CallNotes)
}

/// The caller of a call, for whoever shows it to a person.
package protocol NotedCaller: AnyObject, Sendable {}

/// All that becomes known of a call while it runs, if its server has an observer.
///
/// A server without one makes no notes, and its calls pay for a look whether there are some.
///
/// - Important: Belongs to the call's loop.
package final class CallNotes {
    /// The path, as in `/pkg.Service/Name`.
    package var path = ""
    /// Whether the call ends when the server has done its work, so that its length says something.
    package var isUnary = false
    /// How it ended; `CANCELLED` for a call whose client reset it, or went away.
    package var status = Status.ok
    /// The fault of ours that ended it; nil if there was none.
    package var cause: String?
    /// From the wake-up in which its head arrived to its end.
    package var nanoseconds: Int64 = 0
    /// Bytes of messages, before they were packed and after they were expanded.
    package var receivedBytes = 0
    package var sentBytes = 0
    /// The peer's address and port.
    package var peer = ""
    /// The metadata `traceparent`, once ``readHead()`` was called; empty without it.
    package var traceParent: [UInt8] = []

    /// The layers above note the caller, and the id of a write.
    package var caller: (any NotedCaller)?
    package var requestID = ""

    private var begun = NIODeadline.uptimeNanoseconds(0)
    /// The stream of the call, which has its head until the call has ended.
    private var stream: StreamPointer?

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
        self.stream = stream
        traceParent = []
    }

    /// Takes from the head of the request what a line says of it.
    package func readHead() {
        guard let text = stream?.pointee.field("traceparent") else { return }
        traceParent = Array(text.prefix(CallLimits.traceParentBytes))
    }

    /// Ends the notes; the client of a call that was cut off was told no status.
    func end(isCutOff: Bool, at now: NIODeadline, _ connection: ServerConnection) {
        if isCutOff, status.code == .ok { status = Status(.cancelled) }
        nanoseconds = (now - begun).nanoseconds
        peer = connection.peerAddress
    }

    /// Keeps nothing of the call.
    func letGo() {
        stream = nil
        caller = nil
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
        self.notes = notes
    }

    /// Tells the observer of the call's end.
    @inline(__always)
    func endNotes(isCutOff: Bool, _ connection: ServerConnection) {
        guard let notes else { return }
        self.notes = nil
        spareNotes = notes
        notes.end(isCutOff: isCutOff, at: .now(), connection)
        loop.observer?.ended(notes)
        notes.letGo()
    }
}
