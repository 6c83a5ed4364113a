import RelationClient

/// The addresses of the servers that a client calls: of one, or of several of one store.
struct ServerList: CustomStringConvertible {
    let addresses: [ServerAddress]

    /// Reads addresses with commas between them.
    ///
    /// A path of a socket may have commas, so such an address may only stand last.
    ///
    /// - Throws: ``AddressError`` for one that is none.
    init(_ text: String) throws(AddressError) {
        var (rest, addresses) = (Substring(text), [ServerAddress]())
        while !rest.hasPrefix("unix:"), let comma = rest.firstIndex(of: ",") {
            addresses.append(try ServerAddress(String(rest[..<comma])))
            rest = rest[rest.index(after: comma)...]
        }
        addresses.append(try ServerAddress(String(rest)))
        self.addresses = addresses
    }

    var description: String { addresses.map(\.description).joined(separator: ",") }
}
