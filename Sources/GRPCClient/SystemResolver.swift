import Glibc
import NIOCore
import NIOPosix

/// The system's resolver, which reads its hosts file and asks its name servers.
struct SystemResolver: AddressResolver {
    func addresses(
        of host: String, port: Int, on eventLoop: any EventLoop
    ) -> EventLoopFuture<[SocketAddress]> {
        // The system's function blocks its thread until the name servers have answered.
        NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) { try Self.resolve(host, port) }
    }

    private static func resolve(_ host: String, _ port: Int) throws -> [SocketAddress] {
        var hints = addrinfo()
        // Each address comes once, not once for each kind of socket.
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &first)
        guard code == 0 else {
            let words =
                code == EAI_SYSTEM ? UnsafePointer(strerror(errno)) : gai_strerror(code)
            throw ResolverError(description: words.map { String(cString: $0) } ?? "error \(code)")
        }
        defer { freeaddrinfo(first) }
        var found: [SocketAddress] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ai_next
            if let address = Self.address(entry, host, port) { found.append(address) }
        }
        return found
    }

    private static func address(_ entry: addrinfo, _ host: String, _ port: Int) -> SocketAddress? {
        guard let bytes = UnsafeRawPointer(entry.ai_addr) else { return nil }
        var address: SocketAddress
        switch entry.ai_family {
        case AF_INET: address = SocketAddress(bytes.load(as: sockaddr_in.self), host: host)
        case AF_INET6: address = SocketAddress(bytes.load(as: sockaddr_in6.self), host: host)
        default: return nil
        }
        address.port = port
        return address
    }
}
