/// What the call layer accepts from a peer, and keeps for it; beside ``HTTP2/SessionLimits``.
package enum CallLimits {
    /// The longest message received, and the longest sent, unless configured: gRPC's customary
    /// 4 MiB.
    package static let messageBytes = 4 * 1_024 * 1_024

    /// Bytes of messages that all calls of one connection may hold together: those that are half
    /// received, and those that other threads work on.
    ///
    /// Beyond it the call that needs more ends with `RESOURCE_EXHAUSTED`: the windows alone would
    /// let a thousand streams of one connection gather gigabytes.
    package static let assemblingBytes = 32 * 1_024 * 1_024

    /// Queued answers of one stream at which its handler is told to wait.
    package static let highWaterBytes = 128 * 1_024

    /// Queued answers of one stream below which its handler may go on.
    package static let lowWaterBytes = 32 * 1_024

    /// Queued answers of one stream, beyond which a handler that does not wait loses its call.
    package static let queuedBytes = 16 * 1_024 * 1_024

    /// Queued answers of all streams of one connection.
    ///
    /// Beyond it the call whose answers wait most ends with `RESOURCE_EXHAUSTED`; a stream that has
    /// less than ``highWaterBytes`` is left alone.
    package static let connectionQueuedBytes = 64 * 1_024 * 1_024

    /// Memory that all connections of a server hold for what comes in and for what waits to go out.
    ///
    /// A sixteenth of what a small server has, and eight times what one connection can hold by the
    /// limits above: a few that are greedy harm nobody. Beyond it those that hold the most lose
    /// streams, the largest first.
    package static let heldBytes = 1_024 * 1_024 * 1_024

    /// The share of that which is to be free again when connections have given up something: an
    /// eighth, so that they need not do so at each turn.
    package static let memoryRelief = 8

    /// The share of it that must come anew, where nothing could be had, before all connections are
    /// looked at again.
    package static let memoryLooks = 64

    /// Memory that is not worth giving back to the system: it will be needed again.
    package static let givenBackBytes = 32 * 1_024 * 1_024

    /// By how much what a loop holds may change before it tells the other loops.
    package static let toldBytes = 64 * 1_024

    /// The shortest message that is compressed: below it the wrapping eats what is won.
    package static let compressibleBytes = 1_024

    /// Bytes to which a loop expands compressed messages in a second, half of them at most for one
    /// address.
    ///
    /// A tenth to a third of a core, as zlib is fast. One address may so have sixteen messages of
    /// the longest kind in a second, or some ten thousand short ones.
    package static let expandedBytesPerSecond = 128 * 1_024 * 1_024

    /// The same for callers who have shown no credential: as many as five hundred of the longest
    /// names of services.
    package static let strangersBytesPerSecond = 1_024 * 1_024

    /// What a compressed message counts for at least: to begin one is work too.
    package static let leastExpandedBytes = 1_024

    /// Bytes to which one message expands, from which on its connection's turn ends with it: some
    /// tenths of a millisecond.
    package static let largeExpansionBytes = 64 * 1_024

    /// The longest message of a caller who needs to show nothing: the name of a service, and room
    /// for what another version may send with it.
    package static let strangersMessageBytes = 2 * 1_024

    /// The longest question to reflection: a name.
    package static let reflectionRequestBytes = 8 * 1_024

    /// Memory that a loop keeps for encoding and for packing; what a large message took is
    /// given back.
    package static let keptOutputBytes = 256 * 1_024

    /// Bytes that one connection may bring in one turn of its loop.
    ///
    /// A request is some fifty bytes, so these are some hundred calls that others wait for; a large
    /// message comes in as many turns as it needs, each a fraction of what it costs to take it.
    package static let bytesPerTurn = 16 * 1_024

    /// Time for which a connection's calls run in one turn of its loop, before others have theirs.
    ///
    /// Some five hundred short calls: more than a turn brings, unless they cost more than others.
    package static let turnMicroseconds: Int64 = 2_000

    /// Time between two turns of connections that have more to do, in which sockets are looked at.
    package static let turnGapMicroseconds: Int64 = 50

    /// Bytes of a turn that are taken before the clock is looked at again: the dearest heads take
    /// two milliseconds in so many.
    package static let bytesPerLook = 1_024

    /// Calls of a turn that are run before the clock is looked at again, which costs a hundredth
    /// of a short call.
    package static let stepsPerLook = 8

    /// How long at most a connection is not read after one of its calls was refused: until the next
    /// of these moments, which are the same for all connections.
    ///
    /// Little beside what a client is asked to wait before it tries again, and enough for some
    /// calls to come together.
    package static let refusedReadMilliseconds: Int64 = 10

    /// Bytes gathered for one write to a socket.
    package static let writeBatchBytes = 128 * 1_024

    /// Bytes of a `grpc-message` before percent-encoding; what is longer is cut.
    package static let statusMessageBytes = 1_024

    /// Header bytes of a status that we send when the peer has not set a lower limit.
    package static let statusListBytes = 8 * 1_024

    /// Resets that a client may send at once, before they cost it the connection.
    package static let resetBurst = 1_000

    /// Resets a second that a client may send for as long as it likes.
    package static let resetsPerSecond = 100

    /// Settings that a client may send at once.
    ///
    /// One that changes the windows is work for each open stream: a hundred frames of 32 entries
    /// with a thousand streams take some milliseconds.
    package static let settingsBurst = 100

    /// Settings a second that a client may send for as long as it likes: more often than any
    /// library measures its line.
    package static let settingsPerSecond = 10

    /// Early pings that are forgiven; see ``pingSecondsWithCalls``.
    package static let pingStrikes = 2

    /// How far apart a client's pings must be while it has calls open.
    package static let pingSecondsWithCalls: Int64 = 30

    /// How far apart a client's pings must be while it has no calls open.
    package static let pingSecondsWithoutCalls: Int64 = 300

    /// The longest name of a service whose health may be watched.
    package static let serviceNameBytes = 1_024

    /// Time for the preface and for the acknowledgement of our settings.
    package static let handshakeSeconds: Int64 = 10

    /// Time for a header block to be complete once it has begun: nothing else can come on its
    /// connection meanwhile.
    package static let headSeconds: Int64 = 10

    /// Silence after which we ask the peer for a sign of life.
    package static let keepaliveSeconds: Int64 = 120

    /// Time for that sign of life.
    package static let keepaliveAnswerSeconds: Int64 = 20

    /// The longest silence to which a client's keepalive is doubled.
    package static let longestKeepaliveSeconds: Int64 = 7_200

    /// How long a socket may refuse all bytes before the connection is given up.
    package static let stalledSeconds: Int64 = 60

    /// How long a stream's answers may wait for its client while it takes hardly any.
    package static let streamStalledSeconds: Int64 = 120

    /// What "hardly any" is: fewer bytes than this in ``streamStalledSeconds``.
    package static let streamStalledBytes = 4 * 1_024

    /// How long one message may take to arrive, and the only one of a call to begin; and a frame.
    ///
    /// Counted while its call would take it: a handler that lets requests wait is no fault of the
    /// client's.
    package static let messageSeconds: Int64 = 120

    /// The share of a connection's longest age by which it may end earlier: a tenth, so that
    /// connections made at once do not all end at once.
    package static let connectionAgeSpread = 10

    /// How long at most a connection waits before it looks again whether its client's certificate
    /// has ended.
    ///
    /// Certificates go by the clock on the wall, which may be set, and timers do not: an hour after
    /// that it is noticed.
    package static let certificateLookMilliseconds: Int64 = 3_600_000

    /// How long a session of TLS may be taken up again where clients show certificates: an hour.
    ///
    /// What is not looked at again then, an issuer between the client's certificate and the
    /// authority, may have ended by so much.
    package static let sessionMilliseconds: Int64 = 3_600_000

    /// How long a connection stays that has no call, unless configured.
    ///
    /// A client that answers our pings could otherwise keep its place for ever, and the number of
    /// places is bounded. An hour: who calls now and then keeps its connection, and who comes back
    /// later pays one handshake.
    package static let connectionIdleSeconds: Int64 = 3_600

    /// How often the connections of a loop are looked at for the limits above.
    package static let sweepSeconds: Int64 = 5

    /// Connections that wait in the system for the server to take them.
    package static let waitingConnections: Int32 = 1_024

    /// Connections that one server keeps open.
    package static let connections = 10_000

    /// Connections from one address, whether or not they ever say who they are.
    ///
    /// A tenth of all: one host that opens sockets and sends nothing shuts nobody else out. Behind
    /// a balancer all clients have its address, and the number is to be set higher.
    package static let connectionsPerAddress = 1_000

    /// Connections a second that one address may make for as long as it likes.
    ///
    /// A handshake of TLS takes a core a millisecond or less: one host must not have all of it.
    package static let connectionsPerSecondOfAddress = 500

    /// Seconds of that which it may use up at once.
    ///
    /// Two thousand connections: a host that comes back with all that it may have open, after a
    /// server was restarted, is not slowed down.
    package static let connectionBurstSeconds: Int64 = 4

    /// Addresses that are remembered for how often they came, before those that came long enough
    /// ago are looked for and forgotten.
    package static let rememberedAddresses = 4_096

    /// Callers that count a connection as theirs: those whose calls came on it last.
    ///
    /// One that carries calls of more is a gateway's, and no user's own.
    package static let callersPerConnection = 16

    /// Lines of the log that clients may cause at once.
    package static let logBurst = 50

    /// Lines of the log a second that clients may cause for as long as they like: 70 MB a day.
    package static let logPerSecond = 5

    /// Time for the other side to read to the end of a connection that we end, and to say so.
    package static let closeSeconds: Int64 = 1

    /// Time for a client to answer that it was warned of the end of its connection; longer than any
    /// way there and back, and short enough that clients that are gone hold up no stop.
    package static let warningSeconds: Int64 = 2

    /// Time that running calls have to finish when the server stops.
    package static let graceSeconds: Int64 = 10

    /// Time in which a client's connection must be made.
    package static let connectSeconds: Int64 = 10

    /// How long a client waits at most after its first attempt to connect that failed; twice as
    /// long after each further one.
    package static let firstConnectWaitMilliseconds: Int64 = 100

    /// The longest that it waits: a server that is back is found within this time.
    package static let longestConnectWaitMilliseconds: Int64 = 2_000

    /// Calls of a client that wait for a connection or a free stream.
    package static let waitingCalls = 10_000
}
