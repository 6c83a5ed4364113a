import RelationModel
import Storage

/// The events that an erasure has taken out of the feed, as hooks learn of them.
enum ErasedEvents {
    /// Notes at each hook of the app that an erasure has taken events out of the feed.
    ///
    /// A server that delivers for one then forgets the events that it has in memory, and names no
    /// user in what it stores of them.
    ///
    /// - Returns: The number of hooks.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    static func note(in ledger: Ledger) throws(StorageError) -> Int {
        let (table, partition) = (Tables.hookProgress, ledger.app.partition)
        var found: [(id: HookID, progress: HookProgressRecord)] = []
        var isBroken = false
        try table.scan(table.all(of: partition), limit: .max, in: ledger.transaction) { id, bytes in
            guard let progress = table.decode(bytes, in: ledger.transaction.arena) else {
                isBroken = true
                return .stop
            }
            found.append((id, progress))
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "the progress of a hook does not decode") }
        for (id, progress) in found {
            var progress = progress
            progress.erasures += 1
            try table.set(progress, at: partition, id, in: ledger.transaction)
        }
        return found.count
    }
}
