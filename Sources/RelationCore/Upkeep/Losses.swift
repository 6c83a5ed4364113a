package import Storage

/// Losses of the whole store, which are known of every app until the app has taken note.
///
/// Whose writes are missing cannot be told: what is missing says nothing any more. So each app is
/// told, and each acknowledges for itself.
package enum Losses {
    /// A loss, and when it was found.
    package struct Known: Equatable {
        package let foundMs: Int64
        package let record: LossRecord
    }

    /// Writes a loss into the rows; one that is there already stays once.
    package static func keep(_ loss: StoreLoss, in store: any Store) throws(StorageError) {
        var record = LossRecord()
        record.mostWrites = Int64(clamping: loss.mostWrites)
        (record.sinceMs, record.untilMs) = (loss.sinceMs, loss.untilMs)
        let partition = App.registry.partition
        try store.write(touching: [partition]) { (transaction) throws(StorageError) in
            try Tables.losses.set(
                record, at: partition, UInt64(clamping: loss.foundMs), in: transaction)
        }
    }

    /// The losses that the app has not taken note of, in the order in which they were found.
    ///
    /// An app that was made after a loss was found has lost nothing by it.
    package static func unknown(
        to app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Known] {
        let known = try Tables.knownLosses.record(app.maintenance, OnlyPlace(), in: transaction)
        let madeMs = try AppRules.record(of: app.id, in: transaction)?.createdMs ?? 0
        let first = max(madeMs, (known?.foundMs ?? -1) + 1)
        var losses: [Known] = []
        let table = Tables.losses
        try table.scan(
            table.all(of: App.registry.partition), limit: .max, in: transaction
        ) { foundMs, bytes in
            let foundMs = Int64(clamping: foundMs)
            if foundMs >= first, let record = table.decode(bytes, in: transaction.arena) {
                losses.append(Known(foundMs: foundMs, record: record))
            }
            return .more
        }
        return losses
    }

    /// The app has taken note of all losses that were found up to `foundMs`.
    package static func acknowledge(
        through foundMs: Int64, in ledger: Ledger
    ) throws(StorageError) {
        var record = KnownLossRecord()
        record.foundMs = foundMs
        try Tables.knownLosses.set(
            record, at: ledger.app.maintenance, OnlyPlace(), in: ledger.transaction)
    }
}
