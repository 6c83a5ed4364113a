/// What a stream has to say since it was last looked at.
package struct StreamEvents: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The head of the request or of the response is complete.
    package static let head = StreamEvents(rawValue: 1)
    /// ``Stream/input`` has grown.
    package static let data = StreamEvents(rawValue: 2)
    /// The peer sends nothing more; trailers, if any, are in ``Stream/trailers``.
    package static let end = StreamEvents(rawValue: 4)
    /// The stream is gone, with the reason in ``Stream/closeCode``.
    package static let closed = StreamEvents(rawValue: 8)
    /// The queue of output fell below the mark that was asked for.
    package static let writable = StreamEvents(rawValue: 16)
    /// Client only: the request was never sent, so that it may be sent elsewhere.
    package static let notSent = StreamEvents(rawValue: 32)
}

package typealias StreamPointer = UnsafeMutablePointer<Stream>

/// One stream of a session: what came in, what waits to go out.
///
/// A raw structure from its loop's pool, not an object: several are born and die for each
/// microsecond of work, and an object would pay a reference count at every touch.
///
/// - Important: Valid until it was released with ``Session/release(_:)``. Belongs to the loop of
///   its session.
package struct Stream {
    package internal(set) var id: Int32 = 0
    package internal(set) var closeCode = ErrorCode.noError

    /// The first header block: a request's, or a response's final one.
    package internal(set) var head = HeaderBlock()
    package internal(set) var trailers = HeaderBlock()

    /// Bytes of `DATA` frames that nobody has taken.
    package internal(set) var input = ByteQueue()

    /// Bytes that wait to be sent as `DATA` frames; see ``Session/resume(_:)``.
    package var output = ByteQueue()

    /// Bytes of somebody else's that are sent behind ``output``; see ``Session/lend(_:of:to:)``.
    var loan = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The session's ``Session/loanTurn`` when it last borrowed; 0 if it never did.
    var loanTurn = 0

    /// Bytes that wait to be sent.
    package var waitingBytes: Int { output.count + loan.count }

    /// The fields that will end the stream, if they are not fixed ones.
    package var outputTrailers = HeaderBlock()

    /// Whatever the call layer wants to find again; -1 at first.
    package var context = -1

    /// What happened and was not yet taken by ``Session/nextReady()``.
    var events = StreamEvents()
    var flags = StreamFlags()

    /// Received bytes for which the peer has not been given new window.
    var unconsumed = 0

    /// The queue length below which `writable` is due; negative when nobody waits.
    var writableMark = -1

    /// Bytes of output that went out in frames.
    var sentBytes = 0

    /// Bytes by which the peer has opened the stream's window.
    var grantedBytes = 0

    /// How often in a row ``Session/resetStalled(after:taking:)`` found output waiting, and what of
    /// ``sentBytes`` had gone before.
    var stalledLooks = 0
    var stalledMark = 0

    /// Trailers that are the same at every call: owned for the life of the process by their maker.
    var fixedTrailers: Unmanaged<FixedFields>?

    var nextReady: StreamPointer?
    var previous: StreamPointer?
    var next: StreamPointer?

    /// What is counted for the stream of what its session holds; see ``Session/recount(_:)``.
    package internal(set) var heldBytes = 0

    /// Memory that the stream takes now, for itself and for its buffers.
    var memoryBytes: Int {
        SessionLimits.streamBytes + input.capacity + output.capacity + head.capacity
            + trailers.capacity + outputTrailers.capacity
    }

    /// What an empty buffer keeps of its memory.
    var keptBytes: Int {
        flags.contains(.keepingLittle) ? 0 : SessionLimits.pooledBufferBytes
    }

    /// Whether the call layer has not released the stream.
    package var isHeld: Bool { flags.contains(.held) }

    /// Whether the head was larger than ``SessionLimits/headerListBytes``, so that fields miss.
    package var isHeadTooLarge: Bool { flags.contains(.headTooLarge) }

    /// Whether nghttp2 has forgotten the stream.
    package var isClosed: Bool { flags.contains(.closed) }

    /// Whether the peer has ended its side.
    package var isRemoteEnded: Bool { flags.contains(.remoteEnded) }

    /// Whether the head ended the peer's side, so that neither data nor trailers follow it.
    package var isHeadTheEnd: Bool { flags.contains(.headEnds) }

    /// Makes the stream as new, keeping small buffers.
    mutating func recycle() {
        let keeping = SessionLimits.pooledBufferBytes
        id = 0
        closeCode = .noError
        head.reset(keeping: keeping)
        trailers.reset(keeping: keeping)
        input.reset(keeping: keeping)
        output.reset(keeping: keeping)
        outputTrailers.reset(keeping: keeping)
        loan = UnsafeRawBufferPointer(start: nil, count: 0)
        loanTurn = 0
        context = -1
        events = []
        flags = []
        unconsumed = 0
        writableMark = -1
        sentBytes = 0
        grantedBytes = 0
        stalledLooks = 0
        stalledMark = 0
        heldBytes = 0
        fixedTrailers = nil
        nextReady = nil
        previous = nil
        next = nil
    }

    mutating func free() {
        head.free()
        trailers.free()
        input.free()
        output.free()
        outputTrailers.free()
    }
}

struct StreamFlags: OptionSet {
    let rawValue: UInt16

    /// The call layer has not released the stream.
    static let held = StreamFlags(rawValue: 1)
    /// In the queue that `nextReady` empties.
    static let queued = StreamFlags(rawValue: 2)
    static let closed = StreamFlags(rawValue: 4)
    static let headDone = StreamFlags(rawValue: 8)
    static let headTooLarge = StreamFlags(rawValue: 16)
    static let remoteEnded = StreamFlags(rawValue: 32)
    /// What arrives is dropped and paid back at once.
    static let discarding = StreamFlags(rawValue: 64)
    /// nghttp2 has put the output aside until it is resumed.
    static let deferred = StreamFlags(rawValue: 128)
    /// No output will be added.
    static let finishing = StreamFlags(rawValue: 256)
    static let headSent = StreamFlags(rawValue: 512)
    /// Trailers follow the output (always so for a server, never for a client).
    static let trailersFollow = StreamFlags(rawValue: 1_024)
    /// Fields that arrive now belong to no block that is kept.
    static let ignoringFields = StreamFlags(rawValue: 2_048)
    /// Empty buffers are given back at once: see ``Session/keepLittle(_:)``.
    static let keepingLittle = StreamFlags(rawValue: 4_096)
    /// The head came with the end of the peer's side.
    static let headEnds = StreamFlags(rawValue: 8_192)
}

/// The streams that one event loop's sessions have used and may use again.
///
/// - Important: Belongs to one event loop; must outlive the sessions that use it.
package final class StreamPool {
    @exclusivity(unchecked) private var free: [StreamPointer] = []

    /// Memory that the sessions of the loop hold for their peers.
    @exclusivity(unchecked) package var heldBytes = 0

    package init() {}

    deinit {
        for stream in free { Self.destroy(stream) }
    }

    func take() -> StreamPointer {
        if let stream = free.popLast() { return stream }
        let stream = StreamPointer.allocate(capacity: 1)
        stream.initialize(to: Stream())
        return stream
    }

    func give(_ stream: StreamPointer) {
        stream.pointee.recycle()
        if free.count < SessionLimits.pooledStreams {
            free.append(stream)
        } else {
            Self.destroy(stream)
        }
    }

    private static func destroy(_ stream: StreamPointer) {
        stream.pointee.free()
        stream.deinitialize(count: 1)
        stream.deallocate()
    }
}
