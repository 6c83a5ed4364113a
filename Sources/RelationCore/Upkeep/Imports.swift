import RelationModel
package import Storage

/// How far imports have come, so that one that broke is taken up again.
package enum Imports {
    /// The import at `place` as it stands; nil if it is new, or stood still for too long.
    package static func record(
        _ place: ImportPlace, in ledger: Ledger
    ) throws(StorageError) -> ImportRecord? {
        let record = try Tables.imports.record(
            ledger.app.maintenance, place, in: ledger.transaction)
        guard let record, !isOver(record, at: ledger.now) else { return nil }
        return record
    }

    /// Keeps how far the import has come, in the transaction that wrote its rows.
    package static func keep(
        _ record: ImportRecord, at place: ImportPlace, in ledger: Ledger
    ) throws(StorageError) {
        var record = record
        record.timeMs = ledger.now.milliseconds
        try Tables.imports.set(record, at: ledger.app.maintenance, place, in: ledger.transaction)
    }

    static func isOver(_ record: ImportRecord, at now: Timestamp) -> Bool {
        record.timeMs < now.milliseconds - Limits.importRecordMilliseconds
    }
}

/// Where an import is kept: the ids of one call say nothing to the other.
package struct ImportPlace: KeyPlace, Hashable {
    package let call: String
    package let id: String

    /// - Parameter call: The name of the call, which has no space.
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
