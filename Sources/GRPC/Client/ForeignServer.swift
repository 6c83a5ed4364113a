/// A server that speaks another protocol than the client expects, by its first bytes.
///
/// A client that got the port or the security wrong learns this way what to change.
enum ForeignServer {
    /// A record of TLS: an alert, or a part of a handshake.
    case encrypted
    case http1

    /// Returns nil if the bytes may be those of HTTP/2.
    init?(_ bytes: some Collection<UInt8>) {
        // The kinds of record, and the first byte of the version, which is 3 for all of TLS. A
        // frame of HTTP/2 that begins so would be longer than we allow.
        if let kind = bytes.first, (20...23).contains(kind), bytes.dropFirst().first == 3 {
            self = .encrypted
        } else if bytes.starts(with: "HTTP/1.".utf8) {
            self = .http1
        } else {
            return nil
        }
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
