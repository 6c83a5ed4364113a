internal import CPostgres
internal import Glibc
package import Storage

/// A connection for single statements of text.
///
/// `@unchecked Sendable`: it has one owner, which lends it to one thread at a time.
package struct PostgresSession: ~Copyable, @unchecked Sendable {
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

    /// Waits for notices of the channels that the session listens to, and returns their texts.
    func notices(milliseconds: Int) throws(StorageError) -> [String] {
        let texts = takeNotices()
        guard texts.isEmpty else { return texts }
        var socket = pollfd(fd: PQsocket(raw), events: Int16(POLLIN), revents: 0)
        guard poll(&socket, 1, Int32(clamping: milliseconds)) > 0 else { return [] }
        guard PQconsumeInput(raw) == 1 else { throw ServerFault(connection: raw).error }
        return takeNotices()
    }

    private func takeNotices() -> [String] {
        var texts: [String] = []
        while let notice = PQnotifies(raw) {
            // The text is a part of the notice, which is freed here.
            texts.append(String(cString: notice.pointee.extra))
            PQfreemem(notice)
        }
        return texts
    }
}
