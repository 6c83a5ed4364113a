import RelationModel
import Storage

/// The removal of an app.
package enum AppDeletion {
    /// Removes the next rows of `app`; with the last of them, also its rows in the registry.
    ///
    /// - Returns: Whether no row is left.
    static func step(
        _ app: App, _ now: Timestamp, in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        let rows = try transaction.removeRows(
            of: KeyRange(app: app.id), limit: Limits.rowsPerMaintenanceStep)
        let isLast = rows < Limits.rowsPerMaintenanceStep
        let ledger = Ledger(
            app: .registry, now: now, origin: Origin(user: nil), transaction: transaction)
        try AppRules.removed(rows, of: app.id, isLast: isLast, in: ledger)
        try ledger.close()
        return isLast
    }
}

extension WriteTransaction {
    /// Removes the first rows of `range`, at most `limit`.
    ///
    /// - Returns: The number of rows removed.
    func removeRows(of range: KeyRange, limit: Int) throws(StorageError) -> Int {
        var keys: [Key] = []
        var isBroken = false
        try scan(range, .ascending, limit: limit) { bytes, _ in
            // The range of an app has many partitions, and each key says itself which one is its
            // own.
            guard let key = Key(scanned: bytes) else {
                isBroken = true
                return .stop
            }
            keys.append(key)
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "a row has no partition") }
        for key in keys { remove(key) }
        return keys.count
    }
}
