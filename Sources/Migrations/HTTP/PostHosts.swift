/// Sends bodies to one of several hosts that serve the same, until it does not answer.
actor PostHosts {
    private let clients: [PostClient]
    private var present = 0

    /// - Parameter origins: At least one; the first is the one to begin with.
    init(_ origins: [PostOrigin]) throws(MigrationError) {
        guard !origins.isEmpty else { throw MigrationError("no host is given") }
        var clients: [PostClient] = []
        for origin in origins { clients.append(try PostClient(origin)) }
        self.clients = clients
    }

    /// The answer to a body; after an error another host is asked by the calls that come.
    func post(
        _ target: String, _ body: [UInt8], as type: String, headers: [(String, String)]
    ) async throws -> PostAnswer {
        let asked = present
        do {
            return try await clients[asked].post(target, body, as: type, headers: headers)
        } catch {
            // Of many calls that fail together, one alone goes over to the next host.
            if present == asked { present = (asked + 1) % clients.count }
            throw error
        }
    }

    func close() async {
        for client in clients { await client.close() }
    }
}
