/// Why a receiver has given no answer that counts, in words that name no secret.
package enum WebhookFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The policy refuses what the name resolves to.
    case refused(AddressRefusal)
    /// The name servers do not answer.
    case unresolved
    /// The request itself cannot be sent: a header or the query is not allowed.
    case badRequest
    case notConnected
    case notSecured(TLSFailure)
    case timedOut(Phase)
    /// As many requests wait for a connection as may.
    case tooManyWaiting
    /// The connection ended before the answer was complete.
    case cutOff
    /// The answer is not HTTP/1.1, or its header section is too long.
    case badAnswer
    /// A call of gRPC has no status: the connection was lost, or the answer is none of gRPC, or
    /// it is too long.
    case badReply
    /// The receiver sends to another address, to which a message is never sent.
    case redirected(status: Int)
    /// The sender is closed.
    case closed
    /// The task of the caller is cancelled.
    case cancelled

    /// The part of the way on which the time ended.
    package enum Phase: String, Sendable {
        case waiting = "no connection became free in time"
        case resolving = "the name servers did not answer in time"
        case connecting = "no connection was made in time"
        case answering = "no answer came in time"
    }

    /// Why a connection is not encrypted.
    package enum TLSFailure: String, Sendable {
        case untrusted = "its certificate is not signed by a trusted authority, or not valid now"
        case otherName = "its certificate is for another name"
        case asksCertificate = "it asks for a certificate of the sender, or refuses the one it got"
        case notTLS = "it does not speak TLS"
        case noGRPC = """
            its certificate is not trusted, not valid now or for another name, or it does not \
            speak HTTP/2 in TLS
            """
        case silent = """
            it ended the connection after the TLS handshake without a word; it may ask for a \
            certificate of the sender
            """
        case other = "the TLS handshake failed; it may ask for a certificate of the sender"
    }

    /// Whether the receiver may have the message all the same.
    package var mayHaveArrived: Bool {
        switch self {
        case .timedOut(.answering), .cutOff, .badAnswer, .badReply, .redirected, .closed,
            .cancelled:
            true
        default: false
        }
    }

    package var description: String {
        switch self {
        case .refused(let refusal): refusal.description
        case .unresolved: "the name servers did not answer"
        case .badRequest: "the request has a header or a query that cannot be sent"
        case .notConnected: "the receiver takes no connection"
        case .notSecured(let tlsFailure): "the receiver cannot be trusted: \(tlsFailure.rawValue)"
        case .timedOut(let phase): phase.rawValue
        case .tooManyWaiting: "too many requests wait for a connection"
        case .cutOff: "the receiver closed the connection before its answer was complete"
        case .badAnswer: "the receiver does not answer in HTTP/1.1, or its headers are too long"
        case .badReply:
            "the connection was lost, or the answer is not an answer of gRPC, or it is too long"
        case .redirected(let status):
            "the receiver answers \(status) and names another address, which is not followed"
        case .closed: "the sender is closed"
        case .cancelled: "the delivery was cancelled"
        }
    }

    /// A short name for metrics.
    package var label: String {
        switch self {
        case .refused: "refused"
        case .unresolved: "unresolved"
        case .badRequest: "bad_request"
        case .notConnected: "not_connected"
        case .notSecured: "not_secured"
        case .timedOut: "timed_out"
        case .tooManyWaiting: "too_many_waiting"
        case .cutOff: "cut_off"
        case .badAnswer: "bad_answer"
        case .badReply: "bad_reply"
        case .redirected: "redirected"
        case .closed: "closed"
        case .cancelled: "cancelled"
        }
    }

    /// The status of an answer that is a failure whatever it says; 0 if there was no answer.
    package var status: Int {
        if case .redirected(let status) = self { status } else { 0 }
    }
}
