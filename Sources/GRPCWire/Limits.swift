/// The limits of the call layer on what it accepts from a peer and keeps for it.
///
/// Both sides of a call have these. The server's half and the client's have their own beside their
/// code. The limits of HTTP/2 itself are in ``HTTP2/SessionLimits``.
package enum CallLimits {
    /// The longest message received, and the longest sent, unless configured: gRPC's customary
    /// 4 MiB.
    package static let messageBytes = 4 * 1_024 * 1_024

    /// Queued answers of one stream at which its handler is asked to wait.
    package static let highWaterBytes = 128 * 1_024

    /// Queued answers of one stream below which its handler may go on.
    package static let lowWaterBytes = 32 * 1_024

    /// The shortest message that is compressed: below that, the overhead of the format eats the
    /// gain.
    package static let compressibleBytes = 1_024

    /// Bytes that a loop keeps for encoding and for packing; the memory that a large message took
    /// beyond them is given back.
    package static let keptOutputBytes = 256 * 1_024

    /// Bytes gathered for one write to a socket.
    package static let writeBatchBytes = 128 * 1_024

    /// Bytes of a `grpc-message` before percent-encoding; a longer message is cut.
    package static let statusMessageBytes = 1_024

    /// How far apart a client's pings must be while it has calls open.
    package static let pingSecondsWithCalls: Int64 = 30

    /// How far apart a client's pings must be while it has no calls open.
    package static let pingSecondsWithoutCalls: Int64 = 300

    /// Time for the answer to a ping that follows a time of silence.
    package static let keepaliveAnswerSeconds: Int64 = 20

    /// The longest `tracestate` that is passed on; W3C asks for 512 bytes at least.
    package static let traceStateBytes = 512

    /// Members of a `tracestate`, beyond which W3C calls it wrong.
    package static let traceStateMembers = 32

    /// Lines of the log that clients may cause at once.
    package static let logBurst = 50

    /// Lines of the log a second that clients may cause for as long as they like: 70 MB a day.
    package static let logPerSecond = 5

    /// How long lines are left out before a line of its own says how many they were, if no other
    /// line did.
    package static let logSummarySeconds: Int64 = 60

    /// The longest file of certificates or of a key, in bytes: the authorities that a system trusts
    /// take a quarter of it.
    package static let certificateFileBytes = 1 << 20

    /// Time for the peer to read to the end of a connection that we end, and to close its side.
    package static let closeSeconds: Int64 = 1
}
