package import Protobuf

/// The rows of one kind: a one-byte kind, a row key, and a record.
///
/// A record is a message, so it can change by the rules of proto3. The bytes of row keys sort in
/// the order of their parts, so a range of rows is a range of keys.
package struct Table<TableKey: RowKey, Record: CodedMessage>: Sendable {
    package let kind: UInt8
    private let coder: Coder<Record>

    package init(_ kind: UInt8, coder: Coder<Record>) {
        self.kind = kind
        self.coder = coder
    }

    package func key(_ partition: Partition, _ rowKey: TableKey) -> Key {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(partition.bytes.count + 80)
        bytes.append(contentsOf: partition.bytes)
        bytes.append(kind)
        rowKey.append(to: &bytes)
        return Key(bytes: bytes, partitionCount: partition.bytes.count)
    }

    /// Adds the key of the row at `rowKey` to `keys`.
    package func add(_ partition: Partition, _ rowKey: TableKey, to keys: inout KeyList) {
        keys.append(partition) { bytes in
            bytes.append(kind)
            rowKey.append(to: &bytes)
        }
    }

    /// Adds the key of the row at `rowKey` in the partition of `app` and `name`.
    package func add(
        _ app: UInt32, _ name: String.UTF8View, _ rowKey: TableKey, to keys: inout KeyList
    ) {
        keys.append(app: app, name: name) { bytes in
            bytes.append(kind)
            rowKey.append(to: &bytes)
        }
    }

    /// The record at `rowKey`; nil if there is none.
    ///
    /// - Throws: ``StorageError`` with the code `corrupted` if the bytes there are no such record.
    package func record(
        _ partition: Partition, _ rowKey: TableKey, in transaction: any ReadTransaction
    ) throws(StorageError) -> Record? {
        var keys = KeyList()
        add(partition, rowKey, to: &keys)
        return try records(keys, in: transaction)[0]
    }

    /// The records of `keys`, in their order.
    ///
    /// All must be keys of this table.
    package func records(
        _ keys: KeyList, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Record?] {
        var records: [Record?] = []
        records.reserveCapacity(keys.count)
        var broken = false
        try transaction.read(keys) { _, bytes in
            guard let bytes else { return records.append(nil) }
            let record = decode(bytes, in: transaction.arena)
            if record == nil { broken = true }
            records.append(record)
        }
        if broken { throw corrupted }
        return records
    }

    package func contains(
        _ partition: Partition, _ rowKey: TableKey, in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        var found = false
        var keys = KeyList()
        add(partition, rowKey, to: &keys)
        try transaction.read(keys) { _, bytes in found = bytes != nil }
        return found
    }

    package func set(
        _ record: Record, at partition: Partition, _ rowKey: TableKey,
        in transaction: any WriteTransaction
    ) throws(StorageError) {
        transaction.set(
            key(partition, rowKey), to: try encode(record, in: transaction.arena))
    }

    package func remove(
        _ partition: Partition, _ rowKey: TableKey, in transaction: any WriteTransaction
    ) {
        transaction.remove(key(partition, rowKey))
    }

    /// Calls `body` with the row keys and the encoded records of `range`, in the order asked for.
    ///
    /// - Important: The bytes are valid only during that call.
    package func scan(
        _ range: KeyRange, _ order: ScanOrder = .ascending, limit: Int,
        in transaction: any ReadTransaction,
        _ body: (TableKey, UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        try scanBytes(range, order, limit: limit, in: transaction) { rowKey, value in
            TableKey(reading: rowKey).map { body($0, value) }
        }
    }

    /// Calls `body` with the bytes of each row key in the place of its parts, for long lists.
    ///
    /// A caller that reads the bytes knows their type. The general way costs as much again as the
    /// engine's step to the next row.
    ///
    /// - Parameter body: Answers nil for bytes that are no row key.
    package func scanBytes(
        _ range: KeyRange, _ order: ScanOrder = .ascending, limit: Int,
        in transaction: any ReadTransaction,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> ScanStep?
    ) throws(StorageError) {
        var broken = false
        try transaction.scan(range, order, limit: limit) { key, value in
            let rowKey = UnsafeRawBufferPointer(rebasing: key[(range.partitionCount + 1)...])
            if let step = body(rowKey, value) { return step }
            broken = true
            return .stop
        }
        if broken { throw corrupted }
    }

    /// Every row of this table in `partition`.
    package func all(of partition: Partition) -> KeyRange {
        KeyRange(in: partition, prefix: [kind])
    }

    /// The rows of `partition` whose row keys sort after `rowKey`.
    package func rows(of partition: Partition, after rowKey: TableKey) -> KeyRange {
        var lower = [kind]
        rowKey.append(to: &lower)
        lower.append(0)
        return KeyRange(in: partition, from: lower, to: [kind + 1])
    }

    /// The rows of `partition` whose row keys sort before `rowKey`.
    package func rows(of partition: Partition, before rowKey: TableKey) -> KeyRange {
        var upper = [kind]
        rowKey.append(to: &upper)
        return KeyRange(in: partition, from: [kind], to: upper)
    }

    package func decode(_ bytes: UnsafeRawBufferPointer, in arena: Arena) -> Record? {
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        do {
            return try coder.read(bytes, arena)
        } catch {
            return nil
        }
    }

    package func encode(_ record: Record, in arena: Arena) throws(StorageError) -> [UInt8] {
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        do {
            return try coder.bytes(record, arena)
        } catch {
            throw StorageError(.failed, "table \(kind): a record does not encode: \(error)")
        }
    }

    private var corrupted: StorageError {
        StorageError(.corrupted, "table \(kind): a row does not decode as \(Record.self)")
    }
}

/// The part of a key after its kind, written so that bytes sort as row keys do.
package protocol RowKey: Sendable {
    init?(reading bytes: UnsafeRawBufferPointer)
    func append(to bytes: inout [UInt8])
}

extension UInt64: RowKey {
    package init?(reading bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 8 else { return nil }
        self = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    }

    package func append(to bytes: inout [UInt8]) {
        bytes.append(bigEndian: self)
    }
}
