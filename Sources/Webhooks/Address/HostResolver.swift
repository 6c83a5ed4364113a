import Glibc

/// Finds the addresses of a name; a test has one that changes its mind.
package protocol HostResolver: Sendable {
    /// The addresses of a name, in the order in which they are tried.
    ///
    /// - Parameter tenant: For whom the name is looked up: its names delay those of no other.
    /// - Returns: None if the name has none.
    /// - Throws: An error if the name servers do not answer.
    func addresses(of name: String, for tenant: UInt32) async throws -> [IPAddress]
}

/// The system's resolver, which reads its hosts file and asks its name servers.
package struct SystemHostResolver: HostResolver {
    /// The name servers do not answer.
    private struct NoAnswer: Error {}

    /// glibc's code for a name that exists and has no address.
    private static let noData: Int32 = -5

    package init() {}

    package func addresses(of name: String, for tenant: UInt32) async throws -> [IPAddress] {
        try await withCheckedThrowingContinuation { waiting in
            HostLookups.shared.find(name, for: tenant) { waiting.resume(with: $0) }
        }
    }

    /// Blocks its thread until the name servers have answered.
    static func resolve(_ name: String) throws -> [IPAddress] {
        var hints = addrinfo()
        // Each address comes once, not once for each kind of socket.
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &first)
        guard code != EAI_NONAME, code != noData else { return [] }
        guard code == 0 else { throw NoAnswer() }
        defer { freeaddrinfo(first) }
        var found: [IPAddress] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ai_next
            if let address = address(entry) { found.append(address) }
        }
        return found
    }

    private static func address(_ entry: addrinfo) -> IPAddress? {
        // The system has written an address of the family that it names.
        guard let bytes = UnsafeRawPointer(entry.ai_addr) else { return nil }
        switch entry.ai_family {
        case AF_INET:
            return .four(UInt32(bigEndian: bytes.load(as: sockaddr_in.self).sin_addr.s_addr))
        case AF_INET6:
            return withUnsafeBytes(of: bytes.load(as: sockaddr_in6.self).sin6_addr) {
                IPAddress(sixteen: $0)
            }
        default: return nil
        }
    }
}
