internal import CPostgres
package import Storage

/// A connection for single statements of text.
package struct PostgresSession: ~Copyable {
    private let raw: OpaquePointer

    package init(_ options: PostgresOptions) throws(StorageError) {
        raw = try DatabaseConnection.connect(options)
    }

    deinit {
        PQfinish(raw)
    }

    /// The first column of the rows of the last statement.
    @discardableResult
    package func run(_ sql: String) throws(StorageError) -> [String] {
        guard let result = PQexec(raw, sql) else {
            throw ServerFault(connection: raw).error
        }
        defer { PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK: return []
        case PGRES_TUPLES_OK:
            return (0..<PQntuples(result)).map { row in
                // The text lives as long as the result, which is cleared later.
                PQgetvalue(result, row, 0).map { String(cString: $0) } ?? ""
            }
        default: throw ServerFault(result).error
        }
    }
}
