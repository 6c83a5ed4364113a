package import HTTP2

/// How a server is set up.
///
/// Numbers that are not here are in ``CallLimits``.
package struct ServerConfiguration: Sendable {
    package var host: String

    /// 0 lets the system pick a free one.
    package var port: Int

    /// The path of a socket to listen on, instead of a host and a port.
    package var socketPath: String?

    /// Who may connect to that socket, as the mode of its file; nil leaves that to the process.
    package var socketMode: UInt32?

    /// How connections are encrypted; nil leaves them as they are.
    package var tls: ServerTLS?

    /// Threads that serve connections, each connection by one of them.
    package var loops: Int

    /// The longest message that is received.
    package var maxReceivedMessageBytes = CallLimits.messageBytes

    /// The longest message that is sent.
    package var maxSentMessageBytes = CallLimits.messageBytes

    /// Connections beyond which new ones are closed at once.
    package var maxConnections = CallLimits.connections

    /// Connections of one address, beyond which new ones are closed at once; nil for any number.
    package var maxConnectionsPerAddress: Int? = CallLimits.connectionsPerAddress

    /// Connections that one address may make in a second; nil for any number.
    package var maxConnectionsPerSecondOfAddress: Int? = CallLimits.connectionsPerSecondOfAddress

    /// Memory that all connections may hold for what comes in and for what waits to go out.
    package var maxHeldBytes = CallLimits.heldBytes

    /// Time that running calls have to finish when the server stops.
    package var graceSeconds = CallLimits.graceSeconds

    /// How long a connection lives before its client is asked to make another one, or nil for ever.
    ///
    /// Its calls then have ``graceSeconds`` to finish.
    package var connectionAgeSeconds: Int64?

    /// How long a connection stays that has no call, or nil for as long as its client likes.
    package var connectionIdleSeconds: Int64? = CallLimits.connectionIdleSeconds

    /// What a plain `GET` of a path is answered with: nothing of gRPC, for tests of HTTP/2 alone.
    package var plainPages: [String: [UInt8]] = [:]

    /// What each connection tells its peer.
    package var settings = Settings()

    package init(host: String = "127.0.0.1", port: Int = 0, loops: Int = 1) {
        self.host = host
        self.port = port
        self.loops = loops
    }
}
