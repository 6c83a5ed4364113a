/// The state of a stream, one bit for each fact.
struct StreamFlags: OptionSet {
    let rawValue: UInt32

    /// The call layer has not released the stream.
    static let held = StreamFlags(rawValue: 1)
    /// The stream is in the queue that `nextReady` empties.
    static let queued = StreamFlags(rawValue: 2)
    static let closed = StreamFlags(rawValue: 4)
    static let headersDone = StreamFlags(rawValue: 8)
    static let headersTooLarge = StreamFlags(rawValue: 16)
    static let remoteEnded = StreamFlags(rawValue: 32)
    /// Input is dropped, and the peer gets new window for it at once.
    static let discarding = StreamFlags(rawValue: 64)
    /// nghttp2 has put the output aside until it is resumed.
    static let deferred = StreamFlags(rawValue: 128)
    /// No output will be added.
    static let finishing = StreamFlags(rawValue: 256)
    static let headersSent = StreamFlags(rawValue: 512)
    /// Trailers follow the output: always for a server, never for a client.
    static let trailersFollow = StreamFlags(rawValue: 1_024)
    /// Fields that arrive now belong to no block that is kept.
    static let ignoringFields = StreamFlags(rawValue: 2_048)
    /// Empty buffers are given back at once: see ``Session/trimMemory(_:)``.
    static let keepingLittle = StreamFlags(rawValue: 4_096)
    /// The header block came with the end of the peer's side.
    static let headersEndStream = StreamFlags(rawValue: 8_192)
    /// The stream's window is wide: see ``SessionLimits/wideStreams``.
    static let wide = StreamFlags(rawValue: 16_384)
    /// A header block with the status 100 goes before that of the answer, which has not been made.
    static let interimHeaders = StreamFlags(rawValue: 32_768)
    /// The stream has no frames, and its answer has no end.
    static let cutOff = StreamFlags(rawValue: 65_536)
}
