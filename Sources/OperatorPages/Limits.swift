/// The bounds of the pages for operators.
package enum PageLimits {
    /// Connections at once; a further one is closed at once.
    ///
    /// An operator has a few scrapers, and a command line now and then.
    package static let connections = 16

    /// Bytes of a request up to the end of its head.
    package static let headBytes = 8 * 1_024

    /// Bytes of a request's body: no page takes one, and a few bytes are let pass.
    package static let bodyBytes = 1_024

    /// Bytes that the parser gets at once, until it has found the end of a head.
    static let pieceBytes = 1_024

    /// How long a request may take to arrive, from its first byte on, and a handshake of TLS.
    package static let requestMilliseconds: Int64 = 10_000

    /// How long a client may take to read an answer.
    package static let answerMilliseconds: Int64 = 30_000

    /// How long a connection may wait for its next request: scrapers come once a minute or so.
    package static let idleMilliseconds: Int64 = 150_000

    /// How long a page that costs something is shown again before it is made anew.
    ///
    /// However many clients ask, the counters are then read twice a second at most.
    package static let pageMilliseconds: UInt64 = 500

    /// Bytes that are read of a file in which the system tells of a process or of the machine.
    static let systemFileBytes = 64 * 1_024

    /// How far the thread of the pages stands back for all others when processors are scarce.
    package static let niceness: Int32 = 10
}
