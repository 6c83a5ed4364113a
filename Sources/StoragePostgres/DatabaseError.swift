internal import CPostgres
internal import Storage

/// A failure that the database or libpq reports, with its code of five letters.
struct DatabaseError {
    /// The SQLSTATE; empty if the failure is not the database's.
    let state: String
    /// The words, on one line.
    let words: String

    init(state: String, words: String) {
        self.state = state
        self.words = words
    }

    /// The failure that a result reports.
    init(_ result: OpaquePointer) {
        // Both texts live as long as the result.
        state = PQresultErrorField(result, DatabaseError.sqlState).map { String(cString: $0) } ?? ""
        words = DatabaseError.line(PQresultErrorMessage(result).map { String(cString: $0) } ?? "")
    }

    /// The failure of a connection.
    init(connection: OpaquePointer) {
        state = ""
        words = DatabaseError.line(PQerrorMessage(connection).map { String(cString: $0) } ?? "")
    }

    /// `PG_DIAG_SQLSTATE`, which is a macro.
    private static let sqlState = Int32(UInt8(ascii: "C"))

    var error: StorageError {
        // A prepared statement of this session is another's, or is gone.
        let isOfPooler = ["42P05", "26000"].contains(state)
        return StorageError(
            code, (isOfPooler ? "\(Pooler.words): " : "") + "the database says: \(words)")
    }

    /// Whether the connection is of no use after it, or leads to a server that takes no writes.
    var endsConnection: Bool { !isOfStatement || state.hasPrefix("25") }

    /// Whether the database has refused the statement, and has not ended the connection.
    var isOfStatement: Bool {
        // A statement that took too long has the class of an operator's word, and ends nothing.
        if state == "57014" { return true }
        return !state.isEmpty && !["08", "57", "58", "XX"].contains(String(state.prefix(2)))
    }

    /// The classes of SQLSTATE that mean something to a store.
    private var code: StorageError.Code {
        switch state {
        // A serialization failure, or a deadlock: another transaction was first.
        case "40001", "40P01": return .conflict
        // The disk is full.
        case "53100": return .diskLow
        // A page, or an index, cannot be read.
        case "XX001", "XX002": return .corrupted
        // A row without a value: the lease has run out before the commit; see ``Statement/note``.
        case "23502": return .unavailable
        // The table is missing, or is another one.
        case "42P01", "42703", "42804": return .foreign
        case "42P05", "26000": return .foreign
        default: break
        }
        switch state.prefix(2) {
        // No connection, no resources, an operator's word, a system error, a standby.
        case "", "08", "53", "57", "58", "25", "55": return .unavailable
        default: return .failed
        }
    }

    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
