internal import GRPCClient
internal import GRPCWire
public import Logging
public import NIOCore
internal import RPC
internal import Release

/// The servers of a client, the credential that it shows to them, and how its calls are made.
///
/// ```swift
/// var options = ClientOptions(host: "relation.example", port: 7450)
/// options.security = .tls()
/// options.credential = .apiKey(key)
/// let client = try Client(options)
/// ```
public struct ClientOptions: Sendable {
    /// The shortest time that ``keepalive`` may be.
    public static let leastKeepalive = Duration.seconds(CallLimits.leastKeepaliveSeconds)
    /// The longest time that ``keepalive`` may be.
    public static let longestKeepalive = Duration.seconds(CallLimits.longestKeepaliveSeconds)

    /// The most servers that ``servers`` may name.
    public static let mostServers = 100
    /// The highest value of ``maxReceivedMessageBytes`` and ``maxSentMessageBytes``.
    public static let mostMessageBytes = 1 << 30

    /// The servers, each by its name or its address: 1 to ``mostServers``.
    ///
    /// Calls go to all that are healthy, one after the other. A name may have several addresses; it
    /// is looked up again when a connection is lost.
    public var servers: [ServerAddress]
    /// The app to act in: needed with the operator's key and with a client certificate.
    public var appID: UInt32?
    /// The credential to show with each call; nil for a server that asks for none.
    public var credential: ClientCredential?
    /// Whether and how connections are encrypted.
    public var security = ClientSecurity.plaintext

    /// How long a call of one message each way may take, with all its attempts and waits.
    ///
    /// ``CallOptions/timeout`` sets another time for one call. A stream has no timeout of its own.
    public var timeout = Duration.seconds(30)
    /// Whether calls wait for a server that cannot be reached, as long as their timeouts allow.
    ///
    /// Otherwise an attempt fails when no server can be reached, and ``retries`` says whether
    /// another one is made. ``CallOptions/waitsForReady`` decides for one call.
    public var waitsForReady = false
    /// How calls are made again after an error; nil means never.
    public var retries: RetryPolicy? = RetryPolicy()
    /// How long a server with open calls may be silent before it is asked for a sign of life.
    ///
    /// Nil means that it is never asked. A call on a network that forgets connections then waits
    /// until its deadline.
    public var keepalive: Duration? = .seconds(120)
    /// Code that runs around each call: the first one is outermost.
    public var interceptors: [any ClientInterceptor] = []
    /// The cache of ``Client/profiles(of:as:forceUpdate:options:)``.
    public var profileCache = ProfileCacheOptions()
    /// The cache of ``Client/chain(of:forceUpdate:options:)``.
    public var chainCache = ChainCacheOptions()

    /// Whether a read for a user sees the writes of this client that were answered before it, and
    /// the events of its streams, also where standbys answer reads.
    ///
    /// Such a read names the greatest sequence that the client knows of the user, or that of the
    /// write that was answered last, for a minute; a `min_sequence` of the request is left alone. A
    /// server without standbys needs none of this, and then answers fewer reads from its cache.
    public var readsOwnWrites = false

    /// The log that is notified of connections; nil for none.
    ///
    /// A line of the level `info` says that a server was reached, or that a connection takes no
    /// more calls, and one of `warning` that a server cannot be reached, with the reason. There are
    /// few lines a second, whatever happens. A ``LoggingInterceptor`` tells of calls.
    public var logger: Logger?

    /// The event loops of which one has all connections of the client; nil for those that NIO keeps
    /// for the process.
    ///
    /// A server in Swift gives its own, so that the process has one set of threads. They are of
    /// `NIOPosix`, and run until the client is closed: ``Client/close()`` comes before their end.
    public var eventLoopGroup: (any EventLoopGroup)?

    /// Whether requests are compressed by gzip, and answers may be.
    public var isCompressing = false
    /// The longest answer that is received, in bytes.
    ///
    /// No server of this version sends more than 4,000,000.
    public var maxReceivedMessageBytes = CallLimits.messageBytes
    /// The longest request that is sent, in bytes.
    ///
    /// No server of this version accepts more than 4,194,304.
    public var maxSentMessageBytes = CallLimits.messageBytes

    /// The program and its version, which `user-agent` names before the library and its version.
    package var program: String?

    /// Creates the options of servers that encrypt nothing and ask for no credential.
    public init(servers: [ServerAddress]) {
        self.servers = servers
    }

    /// Creates the options of a server that encrypts nothing and asks for no credential.
    public init(host: String = "127.0.0.1", port: Int = 7450) {
        servers = [.host(host, port: port)]
    }

    /// The metadata of every call that the options know beforehand.
    var metadata: Metadata {
        var metadata = Metadata()
        if let appID { metadata.append("x-app-id", "\(appID)") }
        if let value = credential?.authorization { metadata.append("authorization", value) }
        return metadata
    }

    /// The program, if it said its name, and the library, each with its version.
    var userAgent: String {
        let library = "relation-chain-swift/\(Version.text)"
        return program.map { "\($0) \(library)" } ?? library
    }

    /// The channel of these options, or why they cannot be used.
    var made: Result<ClientConfiguration, OptionsError> {
        do throws(OptionsError) {
            return .success(try configuration())
        } catch {
            return .failure(error)
        }
    }

    /// The channel of these options.
    func configuration() throws(OptionsError) -> ClientConfiguration {
        if let problem { throw OptionsError(problem) }
        var configuration = ClientConfiguration(servers: servers.map(\.target))
        configuration.tls = try security.tls()
        configuration.maxReceivedMessageBytes = maxReceivedMessageBytes
        configuration.maxSentMessageBytes = maxSentMessageBytes
        if isCompressing { configuration.encoding = .gzip }
        configuration.keepalive = keepalive
        configuration.waitsForServer = waitsForReady
        configuration.eventLoopGroup = eventLoopGroup
        configuration.logger = logger
        guard configuration.hasSockets else {
            throw OptionsError("eventLoopGroup: must be one of NIOPosix")
        }
        return configuration
    }
}

/// Options of a client that cannot be used.
public struct OptionsError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The option, and the values that it may have.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
