/// The bounds of the admin endpoints.
package enum AdminLimits {
    /// Connections at once, besides those with a call under way.
    ///
    /// An operator has a few scrapers, probes, browsers, and a command line now and then. A further
    /// connection evicts the one that does the least; see ``ConnectionSlots``.
    package static let connections = 32

    /// Calls at once that pages of a browser have under way; a further one is refused.
    ///
    /// A browser opens six connections to one address, for all its tabs together, so this is room
    /// for a few operators.
    package static let calls = 24

    /// Bytes of answers that wait for clients to read them, of all connections together.
    ///
    /// The longest answers, the contract as OpenAPI and as a page, take some 800 KiB if they are
    /// not compressed. Beyond this the connection closes that has not read its answer for the
    /// longest time.
    package static let queuedBytes = 8 << 20

    /// Bytes of an answer from which on it is compressed for clients that accept it.
    static let packedBytes = 1_024

    /// Bytes of one answer that was compressed: more than any has.
    static let contentBytes = 4 << 20

    /// The descriptors of all that: a call has a socket to its client, and two to the server.
    package static let descriptors = connections + 3 * calls

    /// Bytes of a request up to the end of its header section.
    package static let headBytes = 8 * 1_024

    /// Bytes of a request's body: no endpoint takes one, and a few bytes are let pass.
    package static let bodyBytes = 1_024

    /// Bytes of a call's request that have to come within ``requestMilliseconds``.
    package static let progressBytes = 64 * 1_024

    /// How long a request may take to arrive, from its first byte on, and a handshake of TLS.
    package static let requestMilliseconds: Int64 = 10_000

    /// How long a client may take to read an answer.
    package static let answerMilliseconds: Int64 = 30_000

    /// How long a connection may wait for its next request: scrapers come once a minute or so.
    package static let idleMilliseconds: Int64 = 150_000

    /// How long an answer that costs something is repeated before it is made again.
    ///
    /// However many clients ask, the counters are then read twice a second at most.
    package static let pageMilliseconds: UInt64 = 500

    /// Bytes that are read of a file in which the system describes a process or the machine.
    static let systemFileBytes = 64 * 1_024

    /// How far the admin thread stands back for all others when processors are scarce.
    package static let niceness: Int32 = 10
}
