/// CRC-32C, as the engine writes it into its logs, eight bytes in a step.
struct Checksum {
    private var rest: UInt32 = ~0

    /// Eight tables.
    ///
    /// The first is for single bytes; each further one is for a byte one position further on.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value >> 1 ^ (value & 1 == 0 ? 0 : 0x82F6_3B78) }
            tables[byte] = value
        }
        for index in 256..<8 * 256 {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        Checksum.tables.withUnsafeBufferPointer { table in
            var (value, offset) = (rest, 0)
            while offset + 8 <= bytes.count {
                let word = UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                let low = UInt32(truncatingIfNeeded: word) ^ value
                let high = UInt32(truncatingIfNeeded: word >> 32)
                value = table[7 * 256 + Int(low & 0xFF)]
                value ^= table[6 * 256 + Int(low >> 8 & 0xFF)]
                value ^= table[5 * 256 + Int(low >> 16 & 0xFF)]
                value ^= table[4 * 256 + Int(low >> 24)]
                value ^= table[3 * 256 + Int(high & 0xFF)]
                value ^= table[2 * 256 + Int(high >> 8 & 0xFF)]
                value ^= table[256 + Int(high >> 16 & 0xFF)]
                value ^= table[Int(high >> 24)]
                offset += 8
            }
            while offset < bytes.count {
                value = value >> 8 ^ table[Int((value ^ UInt32(bytes[offset])) & 0xFF)]
                offset += 1
            }
            rest = value
        }
    }

    var value: UInt32 { ~rest }

    /// The form that the engine stores: a checksum of bytes that hold checksums would be weak.
    var masked: UInt32 { (value >> 15 | value << 17) &+ 0xA282_EAD8 }
}
