import Memory

/// The part of a key after its kind, written so that bytes sort as row keys do.
@usableFromInline package protocol RowKey: Sendable {
    init?(reading bytes: UnsafeRawBufferPointer)
    func append(to bytes: inout [UInt8])

    /// Appends the same bytes to a key that is written in the memory of a call.
    func write(to writer: inout KeyWriter)
}

extension RowKey {
    package func write(to writer: inout KeyWriter) {
        var bytes: [UInt8] = []
        append(to: &bytes)
        writer.append(bytes)
    }
}

extension UInt64: RowKey {
    @usableFromInline package init?(reading bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 8 else { return nil }
        self = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    }

    @usableFromInline package func append(to bytes: inout [UInt8]) {
        bytes.append(bigEndian: self)
    }

    @inlinable package func write(to writer: inout KeyWriter) {
        writer.append(bigEndian: self)
    }
}
