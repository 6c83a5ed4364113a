/// Looks for bytes that are not printable ASCII (0x20 to 0x7E), eight at a time.
@usableFromInline package enum PrintableASCII {
    /// Whether all eight bytes of the word are printable, in a few instructions.
    @inlinable @inline(__always)
    package static func arePrintable(_ word: UInt64) -> Bool {
        let (each, top): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        // A byte borrows into its top bit if it is below 0x20, and carries into it if it is 0x7F;
        // from 0x80 on that bit is set already. A borrow that crosses into the next byte comes from
        // a bad byte.
        return (word | (word &- each &* 0x20) | (word &+ each)) & top == 0
    }

    @inlinable @inline(__always)
    package static func arePrintable(_ byte: UInt8) -> Bool { byte &- 0x20 <= 0x5E }

    /// Whether all bytes are printable.
    @inlinable @inline(__always)
    package static func arePrintable(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 8 else { return areFewPrintable(bytes) }
        var offset = 0
        while offset &+ 8 < bytes.count {
            guard arePrintable(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) else {
                return false
            }
            offset &+= 8
        }
        // The last eight bytes; some of them may be read a second time.
        return arePrintable(bytes.loadUnaligned(fromByteOffset: bytes.count &- 8, as: UInt64.self))
    }

    /// Whether less than eight bytes are printable.
    @inlinable @inline(__always)
    static func areFewPrintable(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.count >= 4 {
            let first = bytes.loadUnaligned(as: UInt32.self)
            let last = bytes.loadUnaligned(fromByteOffset: bytes.count &- 4, as: UInt32.self)
            return arePrintable(UInt64(first) &<< 32 | UInt64(last))
        }
        for byte in bytes where !arePrintable(byte) { return false }
        return true
    }
}
