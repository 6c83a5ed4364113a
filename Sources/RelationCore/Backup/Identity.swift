package import Protobuf
package import Storage

/// The identity of a store.
package struct IdentityRecord: CodedMessage, Equatable {
    /// A random number in hexadecimal digits; a backup and what is restored from it have the same.
    package var id = ""

    package init() {}

    package static let schema = Schema("relation.store.Identity", IdentityRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "id", &id)
    }
}

/// Rules over the identity of a store.
package enum Identity {
    /// The identity of the store; nil if it has none yet.
    package static func record(
        in transaction: any ReadTransaction
    ) throws(StorageError) -> IdentityRecord? {
        try Tables.identity.record(App.registry.partition, OnlyKey(), in: transaction)
    }

    /// Gives the store an identity, if it has none.
    package static func settle(in transaction: any WriteTransaction) throws(StorageError) {
        guard try record(in: transaction) == nil else { return }
        var record = IdentityRecord()
        record.id = newID()
        try write(record, in: transaction)
    }

    /// Begins another era of each app: the store goes on from an earlier moment than clients have
    /// seen.
    ///
    /// The tokens of streams that were issued before lead to the present state. Events
    /// between that moment and the restore are gone, and others get the same positions.
    package static func beginEra(in store: any Store) throws(StorageError) {
        let partition = App.registry.partition
        try store.write(touching: [partition]) { (transaction) throws(StorageError) in
            for (id, record) in try AppRules.list(after: 0, limit: .max, in: transaction) {
                var record = record
                record.eras = record.eras.suffix(CoreLimits.eras - 1)
                record.eras.append(UInt32.random(in: 1 ... .max))
                try Tables.apps.set(record, at: partition, AppNumber(id), in: transaction)
            }
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
