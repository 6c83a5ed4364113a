import RelationClient

/// The admin endpoints that a command reads, which are those of the server that it was asked for.
///
/// Each page names the instance of the server that shows it, and so does the server itself. So no
/// figures of another server are taken for its own, whatever address the endpoints were given.
struct ServerPages {
    private let reader: PageReader
    /// The server that the endpoints must be of; nil if the endpoints themselves were asked for.
    private let connection: Connection?
    /// The instance that the server named last.
    private var instance: String?

    init(_ reader: PageReader, of connection: Connection?) {
        self.reader = reader
        self.connection = connection
    }

    var address: PageAddress { reader.address }

    /// The text of a page.
    ///
    /// - Throws: ``Failure`` if it cannot be read, or is of another server.
    mutating func text(of path: String) async throws -> String {
        let page = try await reader.page(path)
        guard let connection else { return page.text }
        if let instance, instance == page.instance { return page.text }
        // A server that was started again is another instance.
        let own = try await connection.calling {
            try await $0.serverHealth(timeout: .seconds(Limits.probeSeconds)).instance
        }
        let server = try connection.target().server
        guard let own, let shown = page.instance else {
            throw Failure(
                "it is not known whether the admin endpoints of \(address.server) are those of "
                    + "\(server): \(own == nil ? "the server does" : "they do") not name an "
                    + "instance. " + Self.advice)
        }
        guard own == shown else {
            throw Failure(
                "the admin endpoints of \(address.server) are those of another server than "
                    + "\(server). " + Self.advice)
        }
        instance = own
        return page.text
    }

    private static let advice: PlainText =
        "--pages names other ones; without --server and a profile it shows any"
}
