package import Storage

/// Losses of writes by the whole store, each reported to every app until the app acknowledges it.
///
/// It is not known whose writes are missing, since they left no trace. So each app is notified, and
/// each acknowledges for itself.
package enum Losses {
    /// A loss, and the time at which it was found.
    package struct Known: Equatable {
        package let foundMs: Int64
        package let record: LossRecord
    }

    /// Writes a loss as a row; a loss that has a row already keeps that one row.
    package static func store(_ loss: StoreLoss, in store: any Store) throws(StorageError) {
        var record = LossRecord()
        record.mostWrites = Int64(clamping: loss.mostWrites)
        (record.sinceMs, record.untilMs) = (loss.sinceMs, loss.untilMs)
        let partition = App.registry.partition
        try store.write(touching: [partition]) { (transaction) throws(StorageError) in
            try Tables.losses.set(
                record, at: partition, UInt64(clamping: loss.foundMs), in: transaction)
        }
    }

    /// The losses that the app has not acknowledged, in the order in which they were found.
    ///
    /// An app that was made after a loss was found has lost nothing by it, and does not get it.
    package static func unknown(
        to app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Known] {
        let known = try Tables.knownLosses.record(app.maintenance, OnlyKey(), in: transaction)
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

    /// Notes that the app has acknowledged all losses that were found up to `foundMs`.
    package static func acknowledge(
        through foundMs: Int64, in ledger: Ledger
    ) throws(StorageError) {
        var record = KnownLossRecord()
        record.foundMs = foundMs
        try Tables.knownLosses.set(
            record, at: ledger.app.maintenance, OnlyKey(), in: ledger.transaction)
    }
}
