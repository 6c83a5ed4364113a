/// What one HTTP/2 session accepts from its peer, and keeps for it.
///
/// Values that a caller may choose are the defaults of ``Settings``; the others hold for every
/// session.
package enum SessionLimits {
    /// Streams that a peer may have open at once; one more is refused with `REFUSED_STREAM`.
    package static let concurrentStreams: UInt32 = 1_024

    /// Bytes a peer may send on a stream before we consume them.
    package static let streamWindowBytes: UInt32 = 256 * 1_024

    /// Bytes a peer may send on all streams together before we consume them.
    ///
    /// Larger than one stream's window, or a single stalled stream would stop all others.
    package static let connectionWindowBytes: UInt32 = 2 * 1_024 * 1_024

    /// Decoded header bytes (name, value and 32 a field, as RFC 9113 counts) kept of one block.
    ///
    /// What is beyond is counted and dropped, so that the compression state stays in step.
    package static let headerListBytes = 16 * 1_024

    /// How many times ``headerListBytes`` one block may decode to before the connection ends.
    ///
    /// A block of one-byte references to a large table entry costs us a hundred times what it
    /// costs the sender; a peer that goes this far past what we advertised means harm.
    package static let headerListExcessFactor = 4

    /// The HPACK table that a peer's encoder may use, and the largest that ours uses.
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
    /// Each refusal of a stream is a frame, and nghttp2 keeps as many as there are: a peer that
    /// opens streams and reads nothing would pay thirty bytes for each hundred of ours.
    package static let queuedFrames = 8_192

    /// What one of those frames takes, for the sum of what a connection holds.
    package static let queuedFrameBytes = 128

    /// What an open stream takes beside its buffers, here, in nghttp2 and in the call layer, for
    /// that sum.
    package static let streamBytes = 2 * 1_024

    /// Frames without effect (empty `DATA`, `PRIORITY`, `SETTINGS`) that a peer may send, beyond
    /// what its useful frames earn it.
    package static let idleFrames = 1_000

    /// How many idle frames one useful frame pays for.
    package static let idleFramesPerUsefulFrame = 16

    /// Resets that a peer may send at once, as nghttp2 counts them.
    ///
    /// The second fence: the call layer counts with its own clock and reaches its limit first.
    package static let resetBurst: UInt64 = 4_000

    /// Resets a second by which ``resetBurst`` refills.
    package static let resetsPerSecond: UInt64 = 400

    /// Closed streams of which is remembered how the peer's side ended, and whether we reset them:
    /// a kilobyte and a half a connection.
    ///
    /// Four times as many as it may have open, so that what crosses our resets of all of them is
    /// known for what it is.
    package static let rememberedStreams = 4_096

    /// Bytes of one compressed header block that we may send.
    package static let sentHeaderBlockBytes = 64 * 1_024

    /// What a recycled stream keeps of each buffer, in bytes; larger buffers are given back.
    package static let pooledBufferBytes = 8 * 1_024

    /// Recycled streams that one event loop keeps.
    package static let pooledStreams = 2_048
}
