import Glibc
import HTTP2

/// Which pages of a browser may call the server, and by which names it is reached.
///
/// They hold for requests in the protocols of the web. No browser can make a call of gRPC itself.
package struct BrowserRules: Sendable {
    /// The origins whose pages may call, such as `https://app.example`; `*` stands for any.
    ///
    /// The server asks for no cookies and never lets a browser send any, so `*` gives away nothing
    /// that a caller needs a credential for.
    package var origins: [String] = []
    /// Names by which the server may be reached, besides those of the machine itself.
    package var hosts: [String] = []
    /// Whether requests that name another host are refused.
    ///
    /// A page can give its own name the address of this machine. Its requests then look like those
    /// of a page of ours, but for the name.
    package var checksHosts = false
    /// Whether an address in the place of a name is taken: no page can give itself one.
    ///
    /// On a loopback address no client has a reason to name another one.
    package var takesAddresses = false

    package init() {}

    /// Whether the text is `*`, or an origin as browsers write it: in lower case, with a scheme and
    /// a host, perhaps with a port, and without a path.
    package static func isOrigin(_ text: String) -> Bool {
        if text == "*" { return true }
        guard let range = text.firstRange(of: "://"), range.lowerBound > text.startIndex else {
            return false
        }
        return isHost(String(text[range.upperBound...])) && text == text.lowercased()
    }

    /// Whether the text is a host, perhaps with a port.
    package static func isHost(_ text: String) -> Bool {
        let isPlain = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || ".-_:[]".utf8.contains(byte)
        }
        return !text.isEmpty && isPlain
    }

    /// Why a request is refused; nil if it is not.
    func refusal(
        host: UnsafeRawBufferPointer?, origin: UnsafeRawBufferPointer?
    ) -> String? {
        let name = host.map { String(decoding: $0, as: UTF8.self) } ?? ""
        if let why = refusal(host: name) { return why }
        if let origin, !allows(origin) {
            let name = String(decoding: origin.prefix(128), as: UTF8.self)
            return "the origin \"\(name)\" is not in browser-origins"
        }
        return nil
    }

    /// Why a request that names that host is refused; nil if it is not.
    package func refusal(host: String) -> String? {
        guard checksHosts, !isHere(host) else { return nil }
        return """
            the host "\(host.prefix(128))" is not a name of this machine, and not in browser-hosts
            """
    }

    func allows(_ origin: UnsafeRawBufferPointer) -> Bool {
        let name = String(decoding: origin, as: UTF8.self)
        return origins.contains { $0 == "*" || $0 == name }
    }

    private func isHere(_ host: String) -> Bool {
        let authority = host.lowercased()
        let name = Self.withoutPort(authority)
        return Self.isLoopback(name) || takesAddresses && Self.isAddress(name)
            || hosts.contains { $0 == authority || $0 == name }
    }

    private static func withoutPort(_ authority: String) -> String {
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            return String(authority[...end])
        }
        return String(authority.prefix { $0 != ":" })
    }

    private static func isLoopback(_ name: String) -> Bool {
        if name == "localhost" || name.hasSuffix(".localhost") || name == "[::1]" { return true }
        return name.hasPrefix("127.") && isAddress(name)
    }

    /// Whether the name is an address of IPv4, or one of IPv6 in brackets.
    private static func isAddress(_ name: String) -> Bool {
        if name.hasPrefix("["), name.hasSuffix("]") {
            let text = String(name.dropFirst().dropLast())
            return withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) {
                inet_pton(AF_INET6, text, $0.baseAddress) == 1
            }
        }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}
