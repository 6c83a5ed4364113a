/// Which end of a connection a session is.
package enum Role: Sendable {
    case client
    case server
}

/// What a session tells its peer when it begins.
package struct Settings: Sendable {
    package var concurrentStreams = SessionLimits.concurrentStreams
    package var streamWindowBytes = SessionLimits.streamWindowBytes
    package var connectionWindowBytes = SessionLimits.connectionWindowBytes

    package init() {}
}

/// What happened to the connection as a whole.
package enum ConnectionEvent: Equatable, Sendable {
    /// The peer's settings arrived; the number is the streams that it lets us open.
    case settings(concurrentStreams: UInt32)
    /// The peer accepted ours.
    case settingsAcknowledged
    /// The peer asked for a sign of life (nghttp2 answers by itself).
    case ping
    /// The peer answered the `PING` with this number.
    case pingAcknowledged(UInt64)
    /// The peer takes no stream above `lastStream`.
    case goAway(lastStream: Int32, code: ErrorCode, debugData: [UInt8])
}
