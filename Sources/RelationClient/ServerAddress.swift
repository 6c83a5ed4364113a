internal import GRPC

/// Where a server is: a host with a port, or a socket on the same machine.
///
/// ```swift
/// let server = ServerAddress.host("relation.example", port: 7450)
/// let same = try ServerAddress("relation.example:7450")
/// ```
///
/// The name of a host may have several addresses. Then calls go in turn to all of them.
public struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// The most bytes that the path of a socket may have: as many as Linux takes.
    static let longestSocketPath = 107

    let target: ServerTarget

    /// A host, by its name or by its IP address.
    public static func host(_ name: String, port: Int) -> ServerAddress {
        ServerAddress(target: .host(name, port: port))
    }

    /// A socket on the same machine, by the path of its file.
    public static func unixSocket(path: String) -> ServerAddress {
        ServerAddress(target: .unixSocket(path: path))
    }

    /// Reads an address as people write it: `relation.example:7450`, `127.0.0.1:7450`,
    /// `[::1]:7450`, or `unix:/run/relation.sock`.
    ///
    /// - Throws: ``AddressError``, which says what to write instead.
    public init(_ text: String) throws(AddressError) {
        target = try Self.target(text)
    }

    private init(target: ServerTarget) {
        self.target = target
    }

    /// The address as ``init(_:)`` reads it.
    public var description: String { target.description }

    // MARK: - Reading

    private static func target(_ text: String) throws(AddressError) -> ServerTarget {
        guard !text.isEmpty else {
            throw AddressError("the address is empty: write host:port")
        }
        if let mark = text.firstRange(of: "://") {
            throw AddressError("\(text) is a URL: write \(plain(text[mark.upperBound...], text))")
        }
        if text.hasPrefix("unix:") { return try socket(text) }
        return try hostAndPort(text)
    }

    /// The address in a URL: the part between `://` and the path.
    private static func plain(_ rest: Substring, _ url: String) -> String {
        if url.hasPrefix("unix:") { return "unix:\(rest)" }
        // `dns:///host:port`, which gRPC's clients take, has the host after a third slash.
        let rest = rest.drop { $0 == "/" }
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let place = String(rest[..<end])
        do throws(AddressError) {
            return try hostAndPort(place).description
        } catch {
            return "host:port"
        }
    }

    private static func socket(_ text: String) throws(AddressError) -> ServerTarget {
        let path = String(text.dropFirst("unix:".count))
        guard !path.isEmpty else {
            throw AddressError("\(text) has no path: write unix:/path/of/the/socket")
        }
        guard path.utf8.count <= longestSocketPath else {
            throw AddressError(
                "the path of the socket has \(path.utf8.count) bytes: it may have "
                    + "\(longestSocketPath)")
        }
        return .unixSocket(path: path)
    }

    private static func hostAndPort(_ text: String) throws(AddressError) -> ServerTarget {
        guard let colon = text.lastIndex(of: ":") else { throw missingPort(text) }
        var host = text[..<colon]
        let digits = text[text.index(after: colon)...]
        if host.hasPrefix("[") {
            guard text.last != "]" else { throw missingPort(text) }
            guard host.hasSuffix("]") else {
                throw AddressError("\(text) is no address: write [address]:port")
            }
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw AddressError(
                "\(text) has several colons: write an IPv6 address in brackets, such as "
                    + "[::1]:7450")
        }
        guard !host.isEmpty else { throw AddressError("\(text) has no host: write host:port") }
        guard host.allSatisfy({ !$0.isWhitespace && !"/@[]".contains($0) }) else {
            throw AddressError("\(host) is no name of a host: write host:port")
        }
        guard !digits.isEmpty else { throw missingPort(String(host)) }
        // Swift's own parser would accept a sign too.
        guard digits.allSatisfy(\.isASCII), digits.first != "+", let port = UInt16(digits), port > 0
        else {
            throw AddressError("the port \(digits) is no number from 1 to \(UInt16.max)")
        }
        return .host(String(host), port: Int(port))
    }

    private static func missingPort(_ text: String) -> AddressError {
        AddressError("\(text) has no port: write \(text):port, such as \(text):7450")
    }
}

/// Why a text is no address of a server.
public struct AddressError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason in words, which say what to write instead.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
