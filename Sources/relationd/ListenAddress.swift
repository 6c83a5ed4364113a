import Glibc

/// An address to listen on: `127.0.0.1:7450`, `[::1]:7450`, `localhost:0`,
/// `unix:/run/relation.sock`.
enum ListenAddress: CustomStringConvertible, Sendable {
    case port(Int, host: String)
    case socket(path: String)

    init?(argument: String) {
        let scheme = "unix:"
        if argument.hasPrefix(scheme) {
            let path = String(argument.dropFirst(scheme.count))
            // The system has room for so many bytes, and for the byte 0 at their end.
            guard (1...107).contains(path.utf8.count) else { return nil }
            self = .socket(path: path)
            return
        }
        guard let colon = argument.lastIndex(of: ":"),
            let port = Self.port(argument[argument.index(after: colon)...])
        else { return nil }
        var host = argument[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else { return nil }
        self = .port(Int(port), host: String(host))
    }

    /// The number that `text` is.
    ///
    /// Swift's own parser would accept a sign too.
    private static func port(_ text: Substring) -> UInt16? {
        text.first == "+" ? nil : UInt16(text)
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
