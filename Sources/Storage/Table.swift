public import Memory
public import Protobuf

/// The rows of one kind: a one-byte kind, a row key, and a record.
///
/// A record is a message, so it can change by the rules of proto3. The bytes of row keys sort in
/// the order of their parts, so a range of rows is a range of keys.
@usableFromInline package struct Table<TableKey: RowKey, Record: CodedMessage>: Sendable {
    @usableFromInline package let kind: UInt8
    @usableFromInline let coder: Coder<Record>

    package init(_ kind: UInt8, coder: Coder<Record>) {
        self.kind = kind
        self.coder = coder
    }

    @usableFromInline package func key(_ partition: Partition, _ rowKey: TableKey) -> Key {
        var bytes = partition.bytes
        let partitionCount = bytes.count
        bytes.append(kind)
        rowKey.append(to: &bytes)
        return Key(bytes: bytes, partitionCount: partitionCount)
    }

    /// The key of the row at `rowKey`, in the arena.
    @inlinable func view(
        _ partition: Partition, _ rowKey: TableKey, in arena: Arena
    ) throws(StorageError) -> KeyView {
        guard let view = KeyView(partition, kind, rowKey, in: arena) else { throw arenaIsFull }
        return view
    }

    /// Adds the key of the row at `rowKey` to `keys`.
    @inlinable package func add(_ partition: Partition, _ rowKey: TableKey, to keys: inout KeyList)
    {
        keys.append(partition, kind: kind, rowKey)
    }

    /// Adds the key of the row at `rowKey` in the partition of `app` and `name`.
    @inlinable package func add(
        _ app: UInt32, _ name: String.UTF8View, _ rowKey: TableKey, to keys: inout KeyList
    ) {
        keys.append(Partition(app: app, name: name), kind: kind, rowKey)
    }

    /// The record at `rowKey`; nil if there is none.
    ///
    /// - Throws: ``StorageError`` with the code `corrupted` if the bytes there are no such record.
    @inlinable package func record(
        _ partition: Partition, _ rowKey: TableKey, in transaction: any ReadTransaction
    ) throws(StorageError) -> Record? {
        let arena = transaction.arena
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        var record: Record?
        var isBroken = false
        try transaction.read(try view(partition, rowKey, in: arena)) { bytes in
            guard let bytes else { return }
            record = decode(bytes, in: arena)
            isBroken = record == nil
        }
        if isBroken { throw corrupted }
        return record
    }

    /// The records of `keys`, in their order.
    ///
    /// All must be keys of this table.
    @inlinable package func records(
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

    @inlinable package func contains(
        _ partition: Partition, _ rowKey: TableKey, in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        let arena = transaction.arena
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        var found = false
        try transaction.read(try view(partition, rowKey, in: arena)) { found = $0 != nil }
        return found
    }

    /// Sets the row at `rowKey`.
    ///
    /// Key and record are written in memory of the transaction, which copies them once.
    @inlinable package func set(
        _ record: Record, at partition: Partition, _ rowKey: TableKey,
        in transaction: any WriteTransaction
    ) throws(StorageError) {
        let output = try encoded(record, in: transaction)
        try set(encoded: output.bytes, at: partition, rowKey, in: transaction)
    }

    /// Sets the row at `rowKey` to a record that is encoded already.
    @inlinable package func set(
        encoded record: UnsafeRawBufferPointer, at partition: Partition, _ rowKey: TableKey,
        in transaction: any WriteTransaction
    ) throws(StorageError) {
        let arena = transaction.arena
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        transaction.set(try view(partition, rowKey, in: arena), to: record)
    }

    /// The record's encoding, in the transaction's buffer: the next record overwrites it.
    @inlinable package func encoded(
        _ record: Record, in transaction: any WriteTransaction
    ) throws(StorageError) -> OutputBuffer {
        let arena = transaction.arena
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        let output = transaction.scratch
        output.truncate(to: 0)
        do throws(CodecError) {
            try coder.write(record, arena, output)
        } catch {
            throw unencodable(error)
        }
        return output
    }

    @inlinable package func remove(
        _ partition: Partition, _ rowKey: TableKey, in transaction: any WriteTransaction
    ) {
        let arena = transaction.arena
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        // An arena without room for a key still has it on the heap.
        guard let view = KeyView(partition, kind, rowKey, in: arena) else {
            return transaction.remove(key(partition, rowKey))
        }
        transaction.remove(view)
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

    /// Calls `body` with the bytes of each row key instead of its parts, for long lists.
    ///
    /// A caller that reads the bytes knows their type. The general way costs as much again as the
    /// engine's step to the next row.
    ///
    /// - Parameter body: Answers nil for bytes that are not a row key.
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

    @inlinable package func decode(_ bytes: UnsafeRawBufferPointer, in arena: Arena) -> Record? {
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
            throw unencodable(error)
        }
    }

    @usableFromInline func unencodable(_ error: CodecError) -> StorageError {
        StorageError(.failed, "table \(kind): a record does not encode: \(error)")
    }

    @usableFromInline var arenaIsFull: StorageError {
        StorageError(.failed, "table \(kind): the memory of a call has no room for a key")
    }

    @usableFromInline var corrupted: StorageError {
        StorageError(.corrupted, "table \(kind): a row does not decode as \(Record.self)")
    }
}
