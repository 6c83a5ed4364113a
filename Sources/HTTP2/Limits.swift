/// The limits of what one HTTP/2 session accepts from its peer, and keeps for it.
///
/// Values that a caller may choose are the defaults of ``Settings``; the others hold for every
/// session.
package enum SessionLimits {
    /// Streams that a peer may have open at once; one more is refused with `REFUSED_STREAM`.
    package static let concurrentStreams: UInt32 = 1_024

    /// Bytes a peer may send on a new stream before we consume them.
    package static let streamWindowBytes: UInt32 = 64 * 1_024

    /// Bytes a peer may send on a wide stream before we consume them; see ``wideStreams``.
    package static let wideWindowBytes: UInt32 = 256 * 1_024

    /// Streams of a session whose windows are wide at once.
    ///
    /// A stream becomes wide when its reader has consumed a whole window, so that a long message
    /// waits for fewer round trips. Other streams keep ``streamWindowBytes``.
    package static let wideStreams = 32

    /// Bytes that a peer may have sent on all streams of a session and that were not consumed.
    ///
    /// The connection's window is not part of this bound: it opens with each byte that is received.
    /// So a stream that is not read stops itself, and no other stream.
    package static let unconsumedBytes =
        Int(concurrentStreams) * Int(streamWindowBytes)
        + wideStreams * Int(wideWindowBytes - streamWindowBytes)

    /// Bytes a peer may send on all streams together before we receive them.
    package static let connectionWindowBytes: UInt32 = 2 * 1_024 * 1_024

    /// Decoded header bytes (name, value and 32 a field, as RFC 9113 counts) kept of one block.
    ///
    /// Bytes beyond it are counted and dropped, so that the compression state stays in step.
    package static let headerListBytes = 16 * 1_024

    /// How many times ``headerListBytes`` one block may decode to before the connection ends.
    ///
    /// A block of one-byte references to a large table entry costs us a hundred times what it costs
    /// the sender. A peer that goes so far beyond the advertised limit means harm.
    package static let headerListExcessFactor = 4

    /// Header blocks of requests that a session remembers: those of the methods that a client calls
    /// in turn.
    package static let headerCache = 8

    /// Decoded bytes, as ``headerListBytes`` counts them, of the longest header block that is
    /// remembered.
    package static let cachedHeaderListBytes = 2 * 1_024

    /// The bytes of a remembered header block beside its fields, with what the call layer made of
    /// it.
    package static let cachedHeaderBytes = 256

    /// The bytes of a field of a remembered header block beside its text, in nghttp2.
    package static let knownFieldBytes = 128

    /// Bytes of the longest compressed block by which a remembered header block is recognised.
    package static let repeatedBlockBytes = 512

    /// Bytes of the longest headers in HTTP/1.1 by which a cached header block is recognised.
    package static let headerSectionBytes = 1_024

    /// Bytes of the longest value of an open field that is kept apart from the header block: twice
    /// those of a `traceparent`.
    package static let openFieldBytes = 128

    /// Open fields of a header block; in one with more of them no field is open.
    package static let openFields = 8

    /// How many unknown header blocks in a row pass for one that is remembered, after the first
    /// ones.
    package static let unknownHeaders = 64

    /// The HPACK table that a peer's encoder may use, and the largest that our encoder uses.
    package static let headerTableBytes: UInt32 = 4_096

    /// `CONTINUATION` frames after one `HEADERS` frame.
    package static let continuations = 8

    /// Entries in one `SETTINGS` frame.
    package static let settingsEntries = 32

    /// Answers to `PING` and `SETTINGS` that may wait for a peer that does not read.
    package static let unreadAcknowledgements = 1_000

    /// Frames of ours that may wait for a peer that does not read: eight for each stream it may
    /// have open.
    ///
    /// Each refusal of a stream is a frame, and nghttp2 keeps all of them. A peer that opens
    /// streams and reads nothing would pay thirty bytes for each hundred of ours.
    package static let queuedFrames = 8_192

    /// The bytes of one such frame, in the sum of the memory that a connection holds.
    package static let queuedFrameBytes = 128

    /// The bytes of an open stream in that sum, beside its buffers: here, in nghttp2 and in the
    /// call layer.
    package static let streamBytes = 2 * 1_024

    /// Frames without effect (empty `DATA`, `PRIORITY`, `SETTINGS`) that a peer may send, beside
    /// those that its useful frames pay for.
    package static let idleFrames = 1_000

    /// How many idle frames one useful frame pays for.
    package static let idleFramesPerUsefulFrame = 16

    /// Resets that a peer may send at once, as nghttp2 counts them.
    ///
    /// This is the second limit: the call layer counts with its own clock and reaches its limit
    /// first.
    package static let resetBurst: UInt64 = 4_000

    /// Resets a second by which ``resetBurst`` refills.
    package static let resetsPerSecond: UInt64 = 400

    /// Closed streams whose end is remembered: how the peer's side ended, and whether we reset
    /// them.
    ///
    /// They take up to a kilobyte and a half for each connection. They are four times as many as
    /// the peer may have open. So a frame that crosses our resets of all of them is still
    /// recognised.
    package static let rememberedStreams = 4_096

    /// Bytes of one compressed header block that we may send.
    package static let sentHeaderBlockBytes = 64 * 1_024

    /// The bytes that a recycled stream keeps of each buffer; larger buffers are given back.
    package static let pooledBufferBytes = 8 * 1_024

    /// Recycled streams that one event loop keeps.
    package static let pooledStreams = 2_048

    /// Bytes of nghttp2's freed blocks that one event loop keeps for its sessions.
    package static let freeBlockBytes = 1_024 * 1_024
}
