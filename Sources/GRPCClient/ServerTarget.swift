import Glibc
import NIOCore

/// A server as its client names it.
package enum ServerTarget: Sendable, Hashable, CustomStringConvertible {
    /// A name, which may have several addresses, or one address.
    case host(String, port: Int)
    /// The path of a socket on the same machine.
    case unixSocket(path: String)

    /// The server in words: `relation.example:7450`, `[::1]:7450` or `unix:/run/relation.sock`.
    package var description: String {
        switch self {
        case .host(let host, let port):
            host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unixSocket(let path): "unix:\(path)"
        }
    }

    /// The value of `:authority`.
    var authority: String {
        // A socket has no name; gRPC's clients send this.
        if case .unixSocket = self { "localhost" } else { description }
    }

    /// The name that the server's certificate must have; nil if there is only an address.
    ///
    /// An address is not sent as a name; the certificate is then checked for the address.
    var certificateName: String? {
        guard case .host(let host, _) = self, !Self.isAddress(host) else { return nil }
        return host
    }

    /// The address that needs no resolver; nil for a name.
    ///
    /// - Throws: An error of NIO if there can be no such address.
    func address() throws -> SocketAddress? {
        switch self {
        case .host(let host, let port):
            if UInt16(exactly: port) == nil {
                throw TargetError("the port \(port) is not a number from 1 to \(UInt16.max)")
            } else if Self.isAddress(host) {
                try SocketAddress(ipAddress: host, port: port)
            } else {
                nil
            }
        case .unixSocket(let path): try SocketAddress(unixDomainSocketPath: path)
        }
    }

    private static func isAddress(_ host: String) -> Bool {
        // Room for 16 bytes, the longer of the two kinds. It needs no C struct, whose module
        // depends on the order of compilation.
        var room = (UInt64(0), UInt64(0))
        return withUnsafeMutableBytes(of: &room) { room in
            [AF_INET, AF_INET6].contains { inet_pton($0, host, room.baseAddress) == 1 }
        }
    }
}

/// One address of a server, to which a connection is made.
struct Endpoint: Hashable, CustomStringConvertible {
    let target: ServerTarget
    let address: SocketAddress

    /// The server as its client names it, with the address if that was not the name.
    var description: String {
        guard target.certificateName != nil, let address = address.ipAddress else {
            return target.description
        }
        return "\(target) (\(address))"
    }
}
