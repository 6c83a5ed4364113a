package import GRPCWire

/// The limits of what a client waits for and keeps.
extension CallLimits {
    /// Time for the answer to the ping of a client whose call ended by its deadline while nothing
    /// came.
    package static let doubtAnswerSeconds: Int64 = 10

    /// The shortest time of silence after which a client may ping its server: the least that gRPC's
    /// clients accept.
    package static let leastKeepaliveSeconds: Int64 = 10

    /// The longest time of silence to which a client's keepalive may be set or is doubled.
    package static let longestKeepaliveSeconds: Int64 = 7_200

    /// Time in which a client's connection must be made.
    package static let connectSeconds: Int64 = 10

    /// How long a client waits at most after its first failed attempt to connect; after each
    /// further failure it waits up to twice as long.
    package static let firstConnectWaitMilliseconds: Int64 = 100

    /// The longest wait between two attempts to connect: a server that is back is found within this
    /// time.
    package static let longestConnectWaitMilliseconds: Int64 = 2_000

    /// How far apart at least a client looks up the same name: gRPC's customary 30 seconds.
    ///
    /// A name server is not asked at each lost connection, and a server that moved is found within
    /// this time.
    package static let lookUpSeconds: Int64 = 30

    /// Addresses of one name to which a client connects: a connection to each costs memory at both
    /// ends.
    package static let addressesOfName = 32

    /// How long at most after the beginning of a client's first health stream the next one begins,
    /// if the first failed; after each further failure it is up to twice as long.
    package static let firstHealthWaitMilliseconds: Int64 = 1_000

    /// The longest time between the beginnings of two health streams that fail: gRPC's customary
    /// two minutes.
    package static let longestHealthWaitMilliseconds: Int64 = 120_000

    /// Names of a server's certificate that an error reports.
    package static let namesInError = 8

    /// Calls of a client that wait for a connection or a free stream.
    package static let waitingCalls = 10_000
}
