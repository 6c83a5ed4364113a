internal import Foundation
package import Storage
package import StoragePostgres
internal import StorageSuite

/// PostgreSQL as an engine: a database of its own on the server that `RELATION_POSTGRES` names.
///
/// `make test` starts that server. The database is removed with the last reference.
package final class PostgresEngine: Engine {
    package let name = "postgresql"
    package let options: PostgresOptions
    private let server: PostgresOptions
    private let database: String

    /// Whether there is a server to test with.
    package static var isThere: Bool { address != nil }

    private static var address: String? {
        ProcessInfo.processInfo.environment["RELATION_POSTGRES"]
    }

    package init(_ change: (inout PostgresOptions) -> Void = { _ in }) throws(StorageError) {
        guard let address = Self.address else {
            throw StorageError(.unavailable, "RELATION_POSTGRES names no server")
        }
        server = PostgresOptions(address: address + "/postgres")
        database = "test_" + UUID().uuidString.lowercased().replacing("-", with: "")
        try PostgresSession(server).run("CREATE DATABASE \(database)")
        var options = PostgresOptions(address: "\(address)/\(database)")
        change(&options)
        self.options = options
        try Schema.make(options, format: PostgresStore.format)
    }

    deinit {
        // A database that stays goes with its server.
        _ = try? PostgresSession(server).run("DROP DATABASE \(database) WITH (FORCE)")
    }

    package func open() throws(StorageError) -> any Store { try PostgresStore(options) }

    /// Runs SQL on the database, and answers the first column of the last statement's rows.
    @discardableResult
    package func sql(_ text: String) throws(StorageError) -> [String] {
        try PostgresSession(options).run(text)
    }
}
