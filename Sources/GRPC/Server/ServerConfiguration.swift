import GRPCWire
package import HTTP2

/// The bounds of a server that may change while it runs; see ``ServerConfiguration`` for each.
package struct ServerBounds: Sendable, Equatable {
    package var maxConnectionsPerAddress: Int? = CallLimits.connectionsPerAddress
    package var maxConnectionsPerSecondOfAddress: Int? = CallLimits.connectionsPerSecondOfAddress
    package var maxHeldBytes = CallLimits.heldBytes
    package var connectionAgeSeconds: Int64?
    package var connectionIdleSeconds: Int64? = CallLimits.connectionIdleSeconds

    package init() {}
}

/// How a server is set up.
///
/// Numbers that are not here are in ``CallLimits``.
package struct ServerConfiguration: Sendable {
    package var host: String

    /// The port to listen on; 0 lets the system pick a free one.
    package var port: Int

    /// The path of a socket to listen on, instead of a host and a port.
    package var socketPath: String?

    /// The mode of that socket's file, which says who may connect; nil leaves it to the umask of
    /// the process.
    package var socketMode: UInt32?

    /// How connections are encrypted; nil for no encryption.
    package var tls: ServerTLS?

    /// Threads that serve connections, each connection by one of them.
    package var loops: Int

    /// The longest message that is received.
    package var maxReceivedMessageBytes = CallLimits.messageBytes

    /// The longest message that is sent.
    package var maxSentMessageBytes = CallLimits.messageBytes

    /// The number of connections beyond which new ones are closed at once.
    package var maxConnections = CallLimits.connections

    /// The number of connections of one address beyond which new ones are closed at once; nil for
    /// any number.
    package var maxConnectionsPerAddress: Int? = CallLimits.connectionsPerAddress

    /// Connections that one address may make in a second; nil for any number.
    package var maxConnectionsPerSecondOfAddress: Int? = CallLimits.connectionsPerSecondOfAddress

    /// Bytes that all connections may hold for messages that come in and for answers that wait to
    /// go out.
    package var maxHeldBytes = CallLimits.heldBytes

    /// Time that running calls have to finish when the server stops.
    package var graceSeconds = CallLimits.graceSeconds

    /// How long a connection lives before its client is asked to make another one, or nil for ever.
    ///
    /// Its calls then have ``graceSeconds`` to finish.
    package var connectionAgeSeconds: Int64?

    /// How long a connection without calls stays open, or nil for as long as its client likes.
    package var connectionIdleSeconds: Int64? = CallLimits.connectionIdleSeconds

    /// The observer that is notified of each call that has ended.
    package var observer: (any CallObserver)?

    /// Groups of callers whose calls are counted each by itself; see ``ServerCall/group``.
    package var callGroups = 0

    /// The answers to a plain `GET`, by path: they are not gRPC, and serve tests of HTTP/2 alone.
    package var plainPages: [String: [UInt8]] = [:]

    /// Which pages of browsers may call, in the protocols of the web.
    package var browsers = BrowserRules()

    /// The paths to tell the caller of a path that no method has, such as one of another system;
    /// none if nothing is known of it.
    package var meantPaths: (@Sendable (_ path: String) -> [String])?

    /// The JSON of the messages that the details of errors may hold.
    package var details = DetailForms()

    /// The clock by which answers are dated.
    package var clock: WallClock = ServerTLS.systemClock

    /// The HTTP/2 settings that each connection sends to its peer.
    package var settings = Settings()

    /// The bounds that may change, all at once.
    package var bounds: ServerBounds {
        get {
            var bounds = ServerBounds()
            bounds.maxConnectionsPerAddress = maxConnectionsPerAddress
            bounds.maxConnectionsPerSecondOfAddress = maxConnectionsPerSecondOfAddress
            bounds.maxHeldBytes = maxHeldBytes
            bounds.connectionAgeSeconds = connectionAgeSeconds
            bounds.connectionIdleSeconds = connectionIdleSeconds
            return bounds
        }
        set {
            maxConnectionsPerAddress = newValue.maxConnectionsPerAddress
            maxConnectionsPerSecondOfAddress = newValue.maxConnectionsPerSecondOfAddress
            maxHeldBytes = newValue.maxHeldBytes
            connectionAgeSeconds = newValue.connectionAgeSeconds
            connectionIdleSeconds = newValue.connectionIdleSeconds
        }
    }

    package init(host: String = "127.0.0.1", port: Int = 0, loops: Int = 1) {
        self.host = host
        self.port = port
        self.loops = loops
    }
}
