/// Compares bytes that an attacker may choose with bytes that it must not learn.
package enum ConstantTime {
    /// Whether both hold the same bytes; the time of the answer depends only on their lengths.
    ///
    /// A comparison that ends at the first difference would reveal, by its time, how many bytes
    /// were right.
    package static func areEqual(
        _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer
    ) -> Bool {
        guard one.count == other.count else { return false }
        var difference: UInt64 = 0
        var offset = 0
        while offset + 8 <= one.count {
            difference |=
                one.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                ^ other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        while offset < one.count {
            difference |= UInt64(one[offset] ^ other[offset])
            offset += 1
        }
        return difference == 0
    }

    package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.withUnsafeBytes { one in other.withUnsafeBytes { areEqual(one, $0) } }
    }
}
