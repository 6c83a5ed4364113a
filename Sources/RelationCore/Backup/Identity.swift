package import RelationModel
package import Storage

/// Rules over the identity of a store.
package enum Identity {
    /// The identity of the store; nil if it has none yet.
    package static func record(
        in transaction: any ReadTransaction
    ) throws(StorageError) -> IdentityRecord? {
        try Tables.identity.record(App.registry.partition, OnlyKey(), in: transaction)
    }

    /// The app that stands for the server as a whole, with the history of the store.
    package static func registry(
        in transaction: any ReadTransaction
    ) throws(StorageError) -> App {
        var app = App.registry
        app.settings.history = try record(in: transaction)?.history ?? History()
        return app
    }

    /// Gives the store an identity, if it has none.
    package static func settle(in transaction: any WriteTransaction) throws(StorageError) {
        guard try record(in: transaction) == nil else { return }
        var record = IdentityRecord()
        record.id = newID()
        try write(record, in: transaction)
    }

    /// Gives the store an identity and each app a history, where an older server made them without.
    ///
    /// The tokens of streams that this server issued still count.
    package static func settleHistories(in store: any Store) throws(StorageError) {
        try store.write(touching: [App.registry.partition]) {
            (transaction) throws(StorageError) in
            try settle(in: transaction)
        }
        try changeApps(of: store) { record in
            guard record.historyID == 0 else { return }
            record.history.id = .random(in: 1 ... .max)
            record.history.keepsOlderTokens = true
        }
    }

    /// Begins another history of each app, and of those to come: the store goes on from an earlier
    /// state than clients have seen.
    ///
    /// The tokens of streams that were issued before lead to the present state. Events between that
    /// moment and the restore are gone, and others get their positions; but no sequence and no
    /// version is given out for a second time.
    package static func beginHistory(
        in store: any Store, at now: Timestamp
    ) throws(StorageError) {
        try store.write(touching: [App.registry.partition]) {
            (transaction) throws(StorageError) in
            try settle(in: transaction)
            guard var record = try record(in: transaction) else { return }
            record.floor = record.history.renewed(at: now).floor
            try write(record, in: transaction)
        }
        // The last step, for it has servers of the store read both again.
        try changeApps(of: store) { $0.history = $0.history.renewed(at: now) }
    }

    private static func changeApps(
        of store: any Store, _ change: (inout AppRecord) -> Void
    ) throws(StorageError) {
        let partition = App.registry.partition
        try store.write(touching: [partition]) { (transaction) throws(StorageError) in
            guard try AppRules.active(in: transaction) != nil else { return }
            for (id, old) in try AppRules.list(after: 0, limit: .max, in: transaction) {
                var record = old
                change(&record)
                guard record != old else { continue }
                try Tables.apps.set(record, at: partition, AppNumber(id), in: transaction)
            }
            _ = try AppRules.renew(in: transaction)
        }
    }

    private static func newID() -> String {
        let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    private static func write(
        _ record: IdentityRecord, in transaction: any WriteTransaction
    ) throws(StorageError) {
        try Tables.identity.set(
            record, at: App.registry.partition, OnlyKey(), in: transaction)
    }
}

/// The steps from older formats of the rows to the present one.
package enum Formats {
    package static let steps = [
        // Format 6 has the identity of the store.
        FormatStep(to: 6, touching: [App.registry.partition]) {
            (_, transaction) throws(StorageError) in
            try Identity.settle(in: transaction)
            return nil
        }
    ]
}
