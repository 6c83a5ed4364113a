import GRPCClient
import Glibc

/// An address to listen on: `127.0.0.1:7450`, `[::1]:7450`, `localhost:0`,
/// `unix:/run/relation.sock`.
enum ListenAddress: CustomStringConvertible, Sendable {
    case port(Int, host: String)
    case socket(path: String)

    /// The address that `argument` is, in the words that clients use too.
    ///
    /// - Throws: ``TargetError``, which says what to write instead.
    init(argument: String) throws(TargetError) {
        switch try ServerTarget(argument, takesZero: true) {
        case .host(let host, let port): self = .port(port, host: host)
        case .unixSocket(let path): self = .socket(path: path)
        }
    }

    /// Whether only this machine can reach it.
    var isLocal: Bool {
        switch self {
        case .socket: true
        case .port(_, let host): host == "localhost" || Self.isLoopback(host)
        }
    }

    /// Whether `host` is an address of the loopback, and not a name that looks like one.
    private static func isLoopback(_ host: String) -> Bool {
        var four = in_addr()
        if inet_pton(AF_INET, host, &four) == 1 {
            return UInt32(bigEndian: four.s_addr) >> 24 == 127
        }
        var (six, own) = (in6_addr(), in6addr_loopback)
        return inet_pton(AF_INET6, host, &six) == 1
            && memcmp(&six, &own, MemoryLayout<in6_addr>.size) == 0
    }

    var description: String {
        switch self {
        case .socket(let path): "unix:\(path)"
        case .port(let port, let host): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }
}
