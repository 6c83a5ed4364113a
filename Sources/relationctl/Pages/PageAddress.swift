import RelationClient

/// Where the admin endpoints of a server are.
struct PageAddress {
    let server: ServerAddress
    /// Whether the address itself says that the endpoints are encrypted; nil if it says nothing.
    let isEncrypted: Bool?

    static let usual = PageAddress(server: .host("127.0.0.1", port: 7451), isEncrypted: nil)

    private init(server: ServerAddress, isEncrypted: Bool?) {
        self.server = server
        self.isEncrypted = isEncrypted
    }

    /// The address as ``init(_:)`` reads it.
    var text: String {
        let scheme = isEncrypted.map { $0 ? "https://" : "http://" } ?? ""
        return scheme + server.description
    }

    /// Reads an address such as `127.0.0.1:7451`, also as the start of a URL.
    ///
    /// - Throws: `AddressError`, which says what to write instead.
    init(_ text: String) throws {
        let schemes = [("http://", false), ("https://", true)]
        let scheme = schemes.first { text.hasPrefix($0.0) }
        var rest = text.dropFirst(scheme?.0.count ?? 0)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        server = try ServerAddress(String(rest))
        isEncrypted = scheme?.1
    }
}
