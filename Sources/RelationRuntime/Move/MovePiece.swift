import RelationCore
import Storage

/// Some rows of an app, in the order of their keys.
struct MovePiece {
    private(set) var rows: [(key: Key, value: [UInt8])] = []
    /// Whether no row comes after them.
    private(set) var isLast = true

    /// Reads rows after a key.
    init(
        of app: UInt32, in store: any Store, after key: [UInt8], limit: Int
    ) throws(StorageError) {
        var rows: [(key: Key, value: [UInt8])] = []
        var (bytes, isLast, isBroken) = (0, true, false)
        try store.read { (transaction) throws(StorageError) in
            (rows, bytes, isLast) = ([], 0, true)
            // One more tells whether it is the last piece.
            try transaction.scan(
                KeyRange(app: app, afterKey: key), .ascending, limit: limit + 1
            ) { key, value in
                guard rows.count < limit, bytes < MoveLimits.bytes else {
                    isLast = false
                    return .stop
                }
                guard let key = Key(scanned: key) else {
                    isBroken = true
                    return .stop
                }
                rows.append((key, Array(value)))
                bytes += key.bytes.count + value.count
                return .more
            }
        }
        if isBroken { throw StorageError(.corrupted, "a row of the source has no partition") }
        (self.rows, self.isLast) = (rows, isLast)
    }

    /// The keys whose rows differ from those of `other`, among those up to the end of the shorter
    /// of both.
    ///
    /// - Returns: The keys, and the one up to which both were compared.
    func differences(from other: MovePiece) -> (keys: [Key], end: [UInt8]?) {
        let ends = [(self, rows.last?.key), (other, other.rows.last?.key)]
            .compactMap { piece, key in piece.isLast ? nil : key }
        let end = ends.min()
        var mine: [Key: [UInt8]] = [:]
        for row in rows where end.map({ row.key <= $0 }) ?? true { mine[row.key] = row.value }
        var keys: [Key] = []
        for row in other.rows where end.map({ row.key <= $0 }) ?? true {
            if mine.removeValue(forKey: row.key) != row.value { keys.append(row.key) }
        }
        keys += mine.keys
        return (keys.sorted(), end?.bytes)
    }
}
