/// How a channel to a server is set up.
package struct ClientConfiguration: Sendable {
    package var host: String
    package var port: Int

    /// The path of the server's socket, instead of a host and a port.
    package var socketPath: String?

    /// How the connection is encrypted; nil leaves it as it is.
    package var tls: ClientTLS?

    /// The longest message that is received.
    package var maxReceivedMessageBytes = CallLimits.messageBytes

    /// The longest message that is sent.
    package var maxSentMessageBytes = CallLimits.messageBytes

    /// How requests are compressed; the server is then told what answers may be.
    ///
    /// Answers that come compressed are understood in any case.
    package var encoding = MessageEncoding.identity

    /// How long a connection with calls may be silent before the server is asked for a sign of
    /// life; nil for never.
    ///
    /// A server that finds this too often gets twice the time.
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

    /// Where the server is, in words.
    var place: String { socketPath.map { "unix:\($0)" } ?? authority }

    /// What stands in `:authority`.
    var authority: String {
        // What gRPC's clients send to a socket, which has no name.
        guard socketPath == nil else { return "localhost" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
