/// Why a text is not an address of a server, in words that say what to write instead.
package struct TargetError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension ServerTarget {
    /// The most bytes that the path of a socket may have: as many as Linux takes.
    package static let longestSocketPath = 107

    /// The most bytes that the name of a host may have, by the rules of DNS.
    package static let longestHost = 253

    /// Reads an address as people write it: `relation.example:7450`, `127.0.0.1:7450`,
    /// `[::1]:7450`, or `unix:/run/relation.sock`.
    ///
    /// Clients and servers read it alike.
    ///
    /// - Parameter takesZero: Whether the port may be 0, for any port that is free: only a server
    ///   may ask for it.
    package init(_ text: String, takesZero: Bool = false) throws(TargetError) {
        self = try Self.read(text, (takesZero ? 0 : 1)...UInt16.max)
    }

    private static func read(
        _ text: String, _ ports: ClosedRange<UInt16>
    ) throws(TargetError) -> ServerTarget {
        guard !text.isEmpty else {
            throw TargetError("the address is empty: write host:port")
        }
        if let mark = text.firstRange(of: "://") {
            let address = plain(text[mark.upperBound...], text, ports)
            throw TargetError("\(text) is a URL: write \(address)")
        }
        if text.hasPrefix("unix:") { return try socket(text) }
        return try hostAndPort(text, ports)
    }

    /// The address in a URL: the part between `://` and the path.
    private static func plain(
        _ rest: Substring, _ url: String, _ ports: ClosedRange<UInt16>
    ) -> String {
        if url.hasPrefix("unix:") { return "unix:\(rest)" }
        // `dns:///host:port`, which gRPC's clients take, has the host after a third slash.
        let rest = rest.drop { $0 == "/" }
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let address = String(rest[..<end])
        do throws(TargetError) {
            return try hostAndPort(address, ports).description
        } catch {
            return "host:port"
        }
    }

    private static func socket(_ text: String) throws(TargetError) -> ServerTarget {
        let path = String(text.dropFirst("unix:".count))
        guard !path.isEmpty else {
            throw TargetError("\(text) has no path: write unix:/path/of/the/socket")
        }
        guard !path.utf8.contains(0) else {
            throw TargetError("the path of the socket has a zero byte in it")
        }
        guard path.utf8.count <= longestSocketPath else {
            throw TargetError(
                "the path of the socket has \(path.utf8.count) bytes: it may have "
                    + "\(longestSocketPath)")
        }
        return .unixSocket(path: path)
    }

    private static func hostAndPort(
        _ text: String, _ ports: ClosedRange<UInt16>
    ) throws(TargetError) -> ServerTarget {
        guard let colon = text.lastIndex(of: ":") else {
            guard UInt16(text) == nil else {
                throw TargetError("\(text) has no host: write host:\(text)")
            }
            throw missingPort(text)
        }
        var host = text[..<colon]
        let digits = text[text.index(after: colon)...]
        if host.hasPrefix("[") {
            guard text.last != "]" else { throw missingPort(text) }
            guard host.hasSuffix("]") else {
                throw TargetError("\(text) is not an address: write [address]:port")
            }
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw TargetError(
                "\(text) has several colons: write an IPv6 address in brackets, such as "
                    + "[::1]:7450")
        }
        guard !host.isEmpty else { throw TargetError("\(text) has no host: write host:port") }
        // Other characters would be sent as they are, and no name server knows them so.
        guard host.utf8.count <= longestHost,
            host.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"/@[]\\\"<>".utf8.contains($0) })
        else {
            let name = String(decoding: host.utf8.prefix(longestHost).map(plain), as: UTF8.self)
            throw TargetError("\(name) is not a name of a host: write host:port")
        }
        guard !digits.isEmpty else { throw missingPort(String(host)) }
        // Swift's own parser would accept a sign too.
        guard digits.allSatisfy(\.isASCII), digits.first != "+", let port = UInt16(digits),
            ports.contains(port)
        else {
            throw TargetError(
                "the port \(digits) is not a number from \(ports.lowerBound) to "
                    + "\(ports.upperBound)")
        }
        return .host(String(host), port: Int(port))
    }

    /// A byte as it may stand in an error.
    private static func plain(_ byte: UInt8) -> UInt8 {
        (0x20...0x7E).contains(byte) ? byte : UInt8(ascii: "?")
    }

    private static func missingPort(_ text: String) -> TargetError {
        TargetError("\(text) has no port: write \(text):port, such as \(text):7450")
    }
}
