/// One stream of a session, with its input and its output.
///
/// It is a raw structure from its loop's pool, not an object. Several begin and end in each
/// microsecond of work, and an object would pay a reference count at every touch.
///
/// - Important: It is valid until it was released with ``Session/release(_:)``. It belongs to the
///   loop of its session.
package struct Stream {
    package internal(set) var id: Int32 = 0
    package internal(set) var closeCode = ErrorCode.noError

    /// The first header block: that of a request, or the final one of a response.
    ///
    /// If the header block is ``known``, this has only its open fields, in their order.
    package internal(set) var headers = HeaderBlock()

    /// The header block that the request's header block repeats, if its session remembers header
    /// blocks.
    ///
    /// Its session forgets it here before it drops the header block.
    package internal(set) var known: Unmanaged<CachedHeaders>?
    package internal(set) var trailers = HeaderBlock()

    /// Bytes of `DATA` frames that were not taken yet.
    package internal(set) var input = ByteQueue()

    /// Bytes that wait to be sent as `DATA` frames; see ``Session/resume(_:)``.
    package var output = ByteQueue()

    /// Lent bytes that are sent after ``output``; see ``Session/lend(_:of:to:)``.
    var loan = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The session's ``Session/lendingRound`` when it last borrowed; 0 if it never did.
    var lendingRound = 0

    /// Bytes that wait to be sent; other rooms ask the pointer.
    var waitingBytes: Int { output.count + loan.count }

    /// The fields that will end the stream, unless fixed ones do.
    ///
    /// A stream without frames has no trailers: here are the fields of its answer.
    package var outputTrailers = HeaderBlock()

    /// A number that the call layer wants to find again; -1 at first.
    package var context = -1

    /// Events that ``Session/nextReady()`` has not returned yet.
    var events = StreamEvents()
    var flags = StreamFlags()

    /// Received bytes for which the peer has not been given new window.
    var unconsumed = 0

    /// Bytes that were consumed before the stream's window was made wide.
    var consumedBytes = 0

    /// The queue length below which `writable` is due; negative if the call layer does not wait.
    var writableMark = -1

    /// Bytes of output that went out in frames.
    var sentBytes = 0

    /// Bytes by which the peer has opened the stream's window.
    var grantedBytes = 0

    /// How often in a row ``Session/resetStalled(after:taking:)`` found output waiting, and the
    /// value of ``sentBytes`` before that.
    var stalledChecks = 0
    var stalledMark = 0

    /// The header block of the answer if it has the same fields for every call; their maker owns
    /// them for the life of the process.
    var fixedHeaders: Unmanaged<FixedFields>?

    /// Trailers that are the same for every call; their maker owns them for the life of the
    /// process.
    var fixedTrailers: Unmanaged<FixedFields>?

    var nextReady: StreamPointer?
    var previous: StreamPointer?
    var next: StreamPointer?

    /// The part of its session's held memory that is counted for the stream; see
    /// ``Session/recount(_:)``.
    package internal(set) var heldBytes = 0

    /// Memory that the stream takes now, for itself and for its buffers.
    var memoryBytes: Int {
        SessionLimits.streamBytes + input.capacity + output.capacity + headers.capacity
            + trailers.capacity + outputTrailers.capacity
    }

    /// How much of its memory an empty buffer keeps.
    var keptBytes: Int {
        flags.contains(.keepingLittle) ? 0 : SessionLimits.pooledBufferBytes
    }

    /// Whether the call layer has not released the stream.
    package var isHeld: Bool { flags.contains(.held) }

    /// Whether the header block was larger than ``SessionLimits/headerListBytes``, so that fields
    /// are missing.
    package var areHeadersTooLarge: Bool { flags.contains(.headersTooLarge) }

    /// Whether nghttp2 has forgotten the stream.
    package var isClosed: Bool { flags.contains(.closed) }

    /// Whether the peer has ended its side.
    package var isRemoteEnded: Bool { flags.contains(.remoteEnded) }

    /// Whether the header block ended the peer's side, so that neither data nor trailers follow it.
    package var doHeadersEndStream: Bool { flags.contains(.headersEndStream) }

    /// Makes the stream like new, but keeps small buffers.
    mutating func recycle() {
        let keeping = SessionLimits.pooledBufferBytes
        id = 0
        closeCode = .noError
        headers.reset(keeping: keeping)
        known = nil
        trailers.reset(keeping: keeping)
        input.reset(keeping: keeping)
        output.reset(keeping: keeping)
        outputTrailers.reset(keeping: keeping)
        loan = UnsafeRawBufferPointer(start: nil, count: 0)
        lendingRound = 0
        context = -1
        events = []
        flags = []
        unconsumed = 0
        consumedBytes = 0
        writableMark = -1
        sentBytes = 0
        grantedBytes = 0
        stalledChecks = 0
        stalledMark = 0
        heldBytes = 0
        fixedHeaders = nil
        fixedTrailers = nil
        nextReady = nil
        previous = nil
        next = nil
    }

    mutating func free() {
        headers.free()
        trailers.free()
        input.free()
        output.free()
        outputTrailers.free()
    }
}
