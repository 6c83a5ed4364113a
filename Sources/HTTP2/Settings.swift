/// The end of a connection that a session is.
package enum Role: Sendable {
    case client
    case server
}

/// The settings that a session sends to its peer when it begins.
package struct Settings: Sendable {
    package var concurrentStreams = SessionLimits.concurrentStreams
    package var streamWindowBytes = SessionLimits.streamWindowBytes
    package var wideWindowBytes = SessionLimits.wideWindowBytes
    package var connectionWindowBytes = SessionLimits.connectionWindowBytes

    package init() {}
}

/// The events of a connection as a whole.
package enum ConnectionEvent: Equatable, Sendable {
    /// The peer's settings arrived; the number is how many streams it lets us open.
    case settings(concurrentStreams: UInt32)
    /// The peer accepted our settings.
    case settingsAcknowledged
    /// The peer asked for a sign of life, which nghttp2 answers by itself.
    case ping
    /// The peer answered the `PING` with this number.
    case pingAcknowledged(UInt64)
    /// The peer accepts no stream above `lastStream`.
    case goAway(lastStream: Int32, code: ErrorCode, debugData: [UInt8])
}
