internal import CPostgres

/// The rows of one statement, each value in the binary form of the protocol.
struct StatementResult: ~Copyable {
    /// It was made by libpq, is freed in `deinit`, and lends its values until then.
    private let raw: OpaquePointer

    init(_ raw: OpaquePointer) {
        self.raw = raw
    }

    deinit {
        PQclear(raw)
    }

    var count: Int { Int(PQntuples(raw)) }

    /// The bytes of a value; those of a NULL are none.
    func bytes(_ row: Int, _ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(raw, Int32(row), column),
            count: Int(PQgetlength(raw, Int32(row), column)))
    }

    /// A value of the type `bigint`.
    func number(_ row: Int, _ column: Int32) -> Int64 {
        let bytes = bytes(row, column)
        precondition(bytes.count == 8, "a value of another type than the statement's")
        return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    }
}
