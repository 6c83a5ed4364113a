/// How a channel to a server is set up.
package struct ClientConfiguration: Sendable {
    package var host: String
    package var port: Int

    /// The longest message that is received.
    package var maxMessageBytes = CallLimits.messageBytes

    /// How requests are compressed; the server is then told what answers may be.
    ///
    /// Answers that come compressed are understood in any case.
    package var encoding = MessageEncoding.identity

    /// How long a connection with calls may be silent before the server is asked for a sign of
    /// life; nil for never.
    ///
    /// A server that finds this too often gets twice the time.
    package var keepaliveSeconds: Int64?

    package var userAgent = "relation-chain-swift"

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// What stands in `:authority`.
    var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
