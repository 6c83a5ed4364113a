package import GRPCWire

/// The limits of what a server accepts from its clients and keeps for them.
extension CallLimits {
    /// Messages of a stream that wait while an interceptor holds it up; see
    /// ``InterceptedDispatcher``.
    static let heldMessages = 1_000

    /// Bytes of a path that an error may name, because no method has it.
    static let toldPathBytes = 128

    /// Bytes of messages that all calls of one connection may hold together: messages of which only
    /// a part has been received, and messages that other threads work on.
    ///
    /// A call that needs more ends with `RESOURCE_EXHAUSTED`. The windows alone would let a
    /// thousand streams of one connection gather gigabytes.
    package static let assemblingBytes = 32 * 1_024 * 1_024

    /// Queued answers of one stream, beyond which a handler that does not wait loses its call.
    package static let queuedBytes = 16 * 1_024 * 1_024

    /// Queued answers of all streams of one connection.
    ///
    /// Beyond it the call with the most bytes waiting ends with `RESOURCE_EXHAUSTED`; a stream that
    /// has less than ``highWaterBytes`` is left alone.
    package static let connectionQueuedBytes = 64 * 1_024 * 1_024

    /// Bytes that all connections of a server may hold for messages that come in and for answers
    /// that wait to go out.
    ///
    /// This is a sixteenth of the memory of a small server, and eight times the bytes that one
    /// connection can hold by the limits above. So a few greedy connections do no harm. Beyond it
    /// the connections that hold the most lose streams, the largest first.
    package static let heldBytes = 1_024 * 1_024 * 1_024

    /// The divisor of ``ServerConfiguration/maxHeldBytes`` for the memory that must be free again
    /// when connections have given up something: an eighth, so that they need not do so at each
    /// time slice.
    package static let memoryRelief = 8

    /// The divisor of ``ServerConfiguration/maxHeldBytes`` for the memory that must be added, after
    /// a search that freed nothing, before all connections are looked at again.
    package static let memoryLooks = 64

    /// Bytes of free memory below which nothing is given back to the system: they will be needed
    /// again.
    package static let givenBackBytes = 32 * 1_024 * 1_024

    /// The smallest change in the bytes held that a loop reports to the other loops.
    package static let publishedBytes = 64 * 1_024

    /// Bytes that a loop produces in a second by expanding compressed messages, at most half of
    /// them for one address.
    ///
    /// One address takes up to a tenth of a core with its half, so that others keep nine tenths of
    /// it. The half is eight messages of the longest kind, or some thirty thousand short ones.
    package static let expandedBytesPerSecond = 64 * 1_024 * 1_024

    /// ``expandedBytesPerSecond`` for callers without a credential: enough for five hundred of the
    /// longest names of services.
    package static let unauthenticatedBytesPerSecond = 1_024 * 1_024

    /// Bytes that a compressed message counts for at least: to begin one is work too.
    package static let leastExpandedBytes = 1_024

    /// Bytes that a loop expands, or translates from JSON, before it looks at its sockets again:
    /// that takes some tenths of a millisecond.
    ///
    /// A message of so many ends its connection's time slice.
    package static let largeExpansionBytes = 64 * 1_024

    /// The shortest message in JSON that counts for ``largeExpansionBytes``; to translate a shorter
    /// one costs no more than the rest of its call.
    package static let longJSONBytes = 4 * 1_024

    /// The longest message to a method that needs no credential: the name of a service, and room
    /// for fields that another version may add.
    package static let unauthenticatedMessageBytes = 2 * 1_024

    /// Open calls of one connection that need no credential, such as watches of health.
    ///
    /// A client watches the health of a server once for a connection. Such a call keeps a stream
    /// and the name of a service: some three kilobytes.
    package static let unauthenticatedCallsPerConnection = 100

    /// Such calls of all connections: one for each that a server keeps open.
    package static let unauthenticatedCalls = connections

    /// The longest request to reflection: it holds a name.
    package static let reflectionRequestBytes = 8 * 1_024

    /// Bytes that are read from one connection in one time slice of its loop.
    ///
    /// A request is some fifty bytes, so other connections wait for some hundred calls. A large
    /// message comes in as many time slices as it needs, and each time slice costs a fraction of
    /// the whole message.
    package static let bytesPerSlice = 16 * 1_024

    /// Bytes that a new connection may send in its first time slice: what clients send before they
    /// know the server's settings is shorter.
    ///
    /// SwiftNIO keeps the buffer of the first read for the life of the connection.
    package static let firstReadBytes = 256

    /// Time for which a connection's calls run in one time slice of its loop, before others have
    /// theirs.
    ///
    /// Enough for some five hundred short calls: more than a time slice brings, unless the calls
    /// are unusually expensive.
    package static let sliceMicroseconds: Int64 = 2_000

    /// Time between two time slices of connections that have more to do; in that time the loop
    /// looks at its sockets.
    package static let sliceGapMicroseconds: Int64 = 50

    /// Bytes of a time slice that are taken before the clock is read again: so many bytes of the
    /// most expensive header blocks take two milliseconds.
    package static let bytesPerLook = 1_024

    /// Calls of a time slice that are run before the clock is read again; to read it costs a
    /// hundredth of a short call.
    package static let stepsPerLook = 8

    /// How long at most a connection is not read after one of its calls was refused.
    ///
    /// Reading goes on at the next multiple of this time, which is the same moment for all
    /// connections.
    ///
    /// It is short beside the time that a client is asked to wait before it tries again, and long
    /// enough for some calls to come together.
    package static let refusedReadMilliseconds: Int64 = 10

    /// Header bytes of a status that we send, unless the peer has set a lower limit.
    package static let statusListBytes = 8 * 1_024

    /// Resets that a client may send at once, before they cost it the connection.
    package static let resetBurst = 1_000

    /// Resets a second that a client may send for as long as it likes.
    package static let resetsPerSecond = 100

    /// Settings that a client may send at once.
    ///
    /// A frame that changes the windows is work for each open stream: a hundred frames of 32
    /// entries with a thousand streams take some milliseconds.
    package static let settingsBurst = 100

    /// Settings a second that a client may send for as long as it likes: no library that measures
    /// its line sends so many.
    package static let settingsPerSecond = 10

    /// Pings that come too early and are forgiven; see ``pingSecondsWithCalls``.
    package static let pingStrikes = 2

    /// The longest name of a service whose health may be watched.
    package static let serviceNameBytes = 1_024

    /// Time for the preface and for the acknowledgement of our settings.
    package static let handshakeSeconds: Int64 = 10

    /// Time for a header block to be complete once it has begun: no other frame can come on its
    /// connection meanwhile.
    package static let headerSeconds: Int64 = 10

    /// Seconds of silence after which we ping the peer.
    package static let keepaliveSeconds: Int64 = 120

    /// How long a socket may refuse all bytes before the connection is given up.
    package static let stalledSeconds: Int64 = 60

    /// How long a stream's answers may wait for a client that takes fewer than
    /// ``streamStalledBytes``.
    package static let streamStalledSeconds: Int64 = 120

    /// Bytes that a client must take of a stream's answers in ``streamStalledSeconds``.
    package static let streamStalledBytes = 4 * 1_024

    /// How long one message, or one frame, may take to arrive, and how long the only request of a
    /// call may take to begin.
    ///
    /// The time counts only while the call would take the message: if a handler lets requests wait,
    /// that is not the client's error.
    package static let messageSeconds: Int64 = 120

    /// The divisor of a connection's longest age for the time by which it may end earlier: a tenth,
    /// so that connections made at once do not all end at once.
    package static let connectionAgeSpread = 10

    /// How long at most a connection waits before it checks again whether its client's certificate
    /// has expired.
    ///
    /// Certificates go by the wall clock, which may be set, and timers do not. So a clock that was
    /// set is noticed within an hour.
    package static let certificateLookMilliseconds: Int64 = 3_600_000

    /// How long a TLS session may be resumed where clients show certificates: an hour.
    ///
    /// A resumed session checks no issuers. So an issuer between the client's certificate and the
    /// authority may have expired by up to this time.
    package static let sessionMilliseconds: Int64 = 3_600_000

    /// How long a connection without calls stays open, unless configured.
    ///
    /// A client that answers our pings could otherwise keep its connection for ever, and the number
    /// of connections is bounded. With an hour, a client that calls now and then keeps its
    /// connection, and a client that comes back later pays one handshake.
    package static let connectionIdleSeconds: Int64 = 3_600

    /// The longest method of HTTP/1.1, by which a connection is known to speak it.
    ///
    /// The longest registered one, `UPDATEREDIRECTREF`, has 17 letters.
    package static let methodBytes = 32

    /// Bytes of a first line after its method in which a version of HTTP is looked for, if they
    /// do not begin with a path.
    static let firstLineBytes = 1_024

    /// Bytes that wait on a connection of HTTP/1.1 for the answer to the request before them.
    ///
    /// It is one read of the largest size: the next one follows when the answer has left.
    package static let http1WaitingBytes = 64 * 1_024

    /// How long a connection of HTTP/1.1 stays open without a request.
    ///
    /// Such a client makes one connection for each call at a time, and keeps more of them than it
    /// needs. Two minutes are longer than the pools of most clients keep one.
    package static let http1IdleSeconds: Int64 = 120

    /// How often the connections of a loop are looked at for the limits above.
    package static let sweepSeconds: Int64 = 5

    /// A sweep that comes so late shows that the process or its machine was stopped.
    package static let stopSeconds: Int64 = 1

    /// Connections that wait in the system for the server to take them.
    package static let waitingConnections: Int32 = 1_024

    /// Connections that one server keeps open.
    package static let connections = 10_000

    /// Connections from one address, with or without a credential.
    ///
    /// It is a tenth of all, so one host that opens sockets and sends nothing does not shut out
    /// others. Behind a balancer all clients have its address, and the number must be set higher.
    package static let connectionsPerAddress = 1_000

    /// Connections a second that one address may make for as long as it likes.
    ///
    /// A TLS handshake takes a core a millisecond or less: one host must not have the whole core.
    package static let connectionsPerSecondOfAddress = 500

    /// Seconds of ``connectionsPerSecondOfAddress`` that one address may use up at once.
    ///
    /// They allow two thousand connections. So a host that opens all its connections again, after a
    /// server was restarted, is not slowed down.
    package static let connectionBurstSeconds: Int64 = 4

    /// Addresses whose connections are remembered before the server looks for old entries to
    /// forget.
    package static let rememberedAddresses = 4_096

    /// Callers that count a connection as theirs: the callers of its latest calls.
    ///
    /// A connection with calls of more callers belongs to a gateway, not to one user.
    package static let callersPerConnection = 16

    /// Reasons of failed calls that are counted each by itself, beginning with 0.
    ///
    /// There is room for about twice the reasons of the contract.
    package static let countedReasons = 64

    /// Calls that may end in one wake-up of a loop before their times are counted; further calls
    /// have them counted at once.
    static let unsettledCalls = 256

    /// The slowest calls that each loop remembers, of the present span of time and of the last one.
    package static let slowCalls = 16

    /// The length of such a span.
    package static let slowSpanSeconds: Int64 = 60

    /// Connections that are shown to an operator at once, the busiest first.
    static let shownConnections = 1_000

    /// How long a loop may owe an answer before it counts as hung, in seconds.
    package static let hungLoopSeconds: UInt64 = 10

    /// The parts of a call's way that its notes have; further ones are left out.
    package static let notedPhases = 16

    /// Time for a client to answer the warning that its connection will end.
    ///
    /// It is longer than any round trip, and short enough that clients that are gone do not hold up
    /// a stop.
    package static let warningSeconds: Int64 = 2

    /// Time that running calls have to finish when the server stops.
    package static let graceSeconds: Int64 = 10
}
