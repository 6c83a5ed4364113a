extension [UInt8] {
    /// Appends `value` with its most significant byte first, so that bytes sort as numbers do.
    @inlinable package mutating func append<Number: FixedWidthInteger & UnsignedInteger>(
        bigEndian value: Number
    ) {
        // As one piece: bytes one by one cost ten times as much.
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
