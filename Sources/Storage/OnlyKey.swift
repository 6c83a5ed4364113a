import Protobuf

/// The only row key of a table with one row in a partition.
@usableFromInline package struct OnlyKey: RowKey {
    @inlinable package init() {}

    @usableFromInline package init?(reading bytes: UnsafeRawBufferPointer) {
        guard bytes.isEmpty else { return nil }
    }

    @usableFromInline package func append(to bytes: inout [UInt8]) {}

    @inlinable package func write(to writer: inout KeyWriter) {}
}
