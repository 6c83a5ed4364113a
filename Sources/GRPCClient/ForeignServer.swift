/// A server that speaks another protocol than the client expects, by its first bytes.
///
/// A client that got the port or the security wrong learns this way what to change.
enum ForeignServer {
    /// A record of TLS: an alert, or a part of a handshake.
    case encrypted
    /// An answer of HTTP/1; `isPassing` if its status is one that may pass.
    case http1(isPassing: Bool)

    /// Returns nil if the bytes may be those of HTTP/2.
    init?(_ bytes: some Collection<UInt8>) {
        // The kinds of record, and the first byte of the version, which is 3 for all of TLS. A
        // frame of HTTP/2 that begins so would be longer than we allow.
        if let kind = bytes.first, (20...23).contains(kind), bytes.dropFirst().first == 3 {
            self = .encrypted
        } else if bytes.starts(with: "HTTP/1.".utf8) {
            let status = bytes.dropFirst("HTTP/1.1 ".utf8.count).prefix(3)
            let passes = ["408", "425", "429"].contains { status.elementsEqual($0.utf8) }
            self = .http1(isPassing: status.first == UInt8(ascii: "5") || passes)
        } else {
            return nil
        }
    }

    /// Whether another connection would meet the same, until one side is set up otherwise.
    var isLasting: Bool {
        if case .http1(isPassing: true) = self { false } else { true }
    }

    var words: String {
        switch self {
        case .encrypted: "the server speaks TLS, and this client does not: let the client use TLS"
        case .http1: "the server speaks HTTP/1, not gRPC: look whether the port is right"
        }
    }

    /// The words for a server that has closed a connection without encryption, and said nothing.
    static let silence =
        "the server said nothing; it may be stopping, or it may speak TLS, and this client does not"
}
