/// The bounds of webhooks that no setting changes.
package enum WebhookLimits {
    /// The longest address of a receiver.
    package static let urlBytes = 2_048

    /// The longest name of a host, and of a label in it (RFC 1035).
    package static let hostBytes = 253
    static let labelBytes = 63

    /// The addresses of one name that are looked at; a name with more is refused.
    static let addressesPerName = 32

    /// The addresses of one name that a connection is tried with.
    static let triedAddresses = 4

    /// The bytes of the headers of a request, beside the sender's own.
    static let requestHeaderBytes = 16_384

    /// The bytes of the status line and the headers of an answer, with those of its trailers.
    package static let answerHeaderBytes = 16_384

    /// The bytes of an answer's body that a caller may keep.
    package static let keptBodyBytes = 65_536

    /// The bytes of an answer's body that are read to use the connection again; a longer body ends
    /// the connection.
    package static let readBodyBytes = 65_536

    /// The bytes of the message with which a receiver answers a call of gRPC.
    package static let replyBytes = 65_536

    /// How long an encrypted connection waits for the receiver to end it too.
    static let closeMilliseconds: Int64 = 500

    /// The bytes of a secret of Standard Webhooks.
    package static let secretBytes = 24...64

    /// The secrets with which a message is signed at most, while they are exchanged.
    package static let secrets = 4

    /// Threads that ask name servers, and those of them that the names of one tenant take at most.
    package static let lookupThreads = 16
    package static let lookupsOfTenant = 4
    /// Names of one tenant that wait for such a thread; beyond them a name is not found.
    package static let waitingLookupsOfTenant = 64
}
