import Storage

/// The rows of one store, on their way into another one.
struct StoreCopy {
    /// A piece of a store: rows in the order of their keys.
    private struct Piece: Equatable {
        struct Row: Equatable {
            let key: [UInt8]
            let value: [UInt8]
        }

        private(set) var rows: [Row] = []

        /// Reads the rows after a key.
        init(of snapshot: any Snapshot, after key: [UInt8]) throws(StorageError) {
            var rows: [Row] = []
            var bytes = 0
            try snapshot.read { (transaction) throws(StorageError) in
                try transaction.scan(
                    KeyRange(after: key), .ascending, limit: CopyLimits.rows
                ) { key, value in
                    rows.append(Row(key: Array(key), value: Array(value)))
                    bytes += key.count + value.count
                    return bytes < CopyLimits.bytes ? .more : .stop
                }
            }
            self.rows = rows
        }
    }

    let source: any Snapshot
    let target: any Store

    /// Copies all rows, and reports how many it has copied so far.
    ///
    /// - Returns: The number of rows.
    func run(_ progress: (Int64) -> Void) throws(StorageError) -> Int64 {
        var count: Int64 = 0
        var last: [UInt8] = []
        while true {
            let piece = try Piece(of: source, after: last)
            guard let end = piece.rows.last else { return count }
            try target.write(touching: []) { (transaction) throws(StorageError) in
                for row in piece.rows {
                    guard let key = row.key.withUnsafeBytes({ Key(scanned: $0) }) else {
                        throw StorageError(.corrupted, "a row of the source has no partition")
                    }
                    transaction.set(key, to: row.value)
                }
            }
            last = end.key
            count += Int64(piece.rows.count)
            progress(count)
        }
    }

    /// Compares all rows of both, and reports how many it has compared so far.
    ///
    /// - Throws: ``StorageError`` with the code `corrupted` if any differs.
    func compare(_ progress: (Int64) -> Void) throws(StorageError) {
        let copy = try target.snapshot()
        defer { copy.close() }
        var count: Int64 = 0
        var last: [UInt8] = []
        while true {
            let piece = try Piece(of: source, after: last)
            guard piece == (try Piece(of: copy, after: last)) else {
                throw StorageError(
                    .corrupted, "the copy differs from its source after row \(count)")
            }
            guard let end = piece.rows.last else { return }
            last = end.key
            count += Int64(piece.rows.count)
            progress(count)
        }
    }
}
