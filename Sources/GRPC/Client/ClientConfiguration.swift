/// How a channel to a server is set up.
package struct ClientConfiguration: Sendable {
    package var host: String
    package var port: Int

    /// The path of the server's socket, instead of a host and a port.
    package var socketPath: String?

    /// How the connection is encrypted; nil for no encryption.
    package var tls: ClientTLS?

    /// The longest message that is received.
    package var maxReceivedMessageBytes = CallLimits.messageBytes

    /// The longest message that is sent.
    package var maxSentMessageBytes = CallLimits.messageBytes

    /// How requests are compressed; anything but `identity` also tells the server how it may
    /// compress answers.
    ///
    /// Compressed answers are understood in any case.
    package var encoding = MessageEncoding.identity

    /// How long a connection with calls may be silent before the client pings the server; nil for
    /// never.
    ///
    /// The time doubles when a server refuses the pings as too many.
    package var keepaliveSeconds: Int64?

    /// Whether calls wait for a server that cannot be reached, until their own deadlines.
    ///
    /// Otherwise they fail when an attempt to connect does.
    package var waitsForServer = false

    package var userAgent = "relation-chain-swift"

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// The server's address for messages to people.
    var endpoint: String { socketPath.map { "unix:\($0)" } ?? authority }

    /// The value of `:authority`.
    var authority: String {
        // A socket has no name; gRPC's clients send this.
        guard socketPath == nil else { return "localhost" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
