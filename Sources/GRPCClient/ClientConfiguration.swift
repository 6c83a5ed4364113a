package import GRPCWire
package import Logging
package import NIOCore

/// How a channel to servers is set up.
package struct ClientConfiguration: Sendable {
    /// The servers, of which each may take any call.
    ///
    /// Calls go in turn to all addresses of all servers, as far as they can be reached and take
    /// calls.
    package var servers: [ServerTarget]

    /// How connections are encrypted; nil for no encryption.
    package var tls: ClientTLS?

    /// The longest message that is received.
    package var maxReceivedMessageBytes = CallLimits.messageBytes

    /// The longest message that is sent.
    package var maxSentMessageBytes = CallLimits.messageBytes

    /// How requests are compressed; anything but `identity` also informs the server how it may
    /// compress answers.
    ///
    /// Compressed answers are understood in any case.
    package var encoding = MessageEncoding.identity

    /// How long a connection with calls may be silent before the client pings the server; nil for
    /// never.
    ///
    /// A time below ``CallLimits/leastKeepaliveSeconds`` or above
    /// ``CallLimits/longestKeepaliveSeconds`` becomes that limit. The time doubles when a server
    /// refuses the pings as too many.
    package var keepalive: Duration?

    /// Whether calls that do not say it wait for a server that cannot be reached, until their own
    /// deadlines.
    ///
    /// Otherwise they fail when an attempt to connect to every server has failed.
    package var waitsForServer = false

    package var userAgent = "relation-chain-swift"

    /// The event loops of which one has all connections; nil for those of the process.
    package var eventLoopGroup: (any EventLoopGroup)?

    /// The log that is notified of connections; nil for none.
    package var logger: Logger?

    /// Makes a connection to an address; nil for the sockets of the event loop.
    ///
    /// It lets the given function set the channel up before it connects.
    package var connect: Connect?

    /// Decides which server has the first call, and how long the waits between attempts are.
    package var chance = ChannelChance.system

    /// Finds the addresses of names.
    package var resolver: any AddressResolver = SystemResolver()

    /// The way in which a channel gets a connection, in place of a socket's.
    package typealias Connect =
        @Sendable (
            _ address: SocketAddress, _ eventLoop: any EventLoop,
            _ setUp: @escaping @Sendable (any NIOCore.Channel) -> EventLoopFuture<Void>
        ) -> EventLoopFuture<any NIOCore.Channel>

    package init(servers: [ServerTarget]) {
        self.servers = servers
    }

    package init(host: String, port: Int) {
        self.init(servers: [.host(host, port: port)])
    }

    /// ``keepalive`` within its limits.
    var boundedKeepalive: TimeAmount? {
        keepalive.map {
            let least = Duration.seconds(CallLimits.leastKeepaliveSeconds)
            let longest = Duration.seconds(CallLimits.longestKeepaliveSeconds)
            return TimeAmount(min(max($0, least), longest))
        }
    }
}
