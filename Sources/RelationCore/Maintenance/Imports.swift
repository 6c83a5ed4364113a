import RelationModel
import Storage

/// The progress of imports, so that a broken one can be taken up again.
package enum Imports {
    /// The state of the import at `key`; nil if it is new, or has not moved for too long.
    package static func record(
        _ key: ImportKey, in ledger: Ledger
    ) throws(StorageError) -> ImportRecord? {
        let record = try Tables.imports.record(
            ledger.app.maintenance, key, in: ledger.transaction)
        guard let record, !isOver(record, at: ledger.now) else { return nil }
        return record
    }

    /// Stores the progress of the import, in the transaction that wrote its rows.
    package static func store(
        _ record: ImportRecord, at key: ImportKey, in ledger: Ledger
    ) throws(StorageError) {
        var record = record
        record.timeMs = ledger.now.milliseconds
        try Tables.imports.set(record, at: ledger.app.maintenance, key, in: ledger.transaction)
    }

    static func isOver(_ record: ImportRecord, at now: Timestamp) -> Bool {
        record.timeMs < now.milliseconds - Limits.importRecordMilliseconds
    }
}

/// The row key of an import's record: each call has import ids of its own.
package struct ImportKey: RowKey, Hashable {
    package let call: String
    package let id: String

    /// - Parameter call: The name of the call, without a space.
    package init(_ call: String, _ id: String) {
        self.call = call
        self.id = id
    }

    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard let space = bytes.firstIndex(of: 0x20) else { return nil }
        call = String(decoding: bytes[..<space], as: UTF8.self)
        id = String(decoding: bytes[(space + 1)...], as: UTF8.self)
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: call.utf8)
        bytes.append(0x20)
        bytes.append(contentsOf: id.utf8)
    }
}
