import NIOCore
import NIOPosix

/// The bounds of a sender that an operator may choose.
package struct WebhookSenderSettings: Sendable {
    /// Connections to one host and port.
    package var connectionsPerOrigin = 16
    /// Connections in all; one that is idle gives way to another origin.
    package var connections = 256
    /// Requests that wait for a connection, in all.
    package var waitingRequests = 4_096
    /// How long a connection stays open without a request.
    package var idleTime = Duration.seconds(30)
    /// The time to find the addresses of a name, to connect to one of them, and for TLS, within
    /// that of the request.
    package var connectTime = Duration.seconds(5)
    /// The name of the program in the header `user-agent`.
    package var userAgent = "relationd"

    package init() {}
}
