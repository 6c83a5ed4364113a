import Memory

/// A digest that is the same in every process: 128 bits of FNV-1a.
///
/// It tells apart the requests of an honest caller. It is not a defence against a caller that makes
/// two requests look alike: such a caller deceives only itself.
package struct Digest: Sendable {
    private var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d

    /// The digest of no bytes; those that are added come one after another.
    package init() {}

    package mutating func add(_ byte: UInt8) {
        hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b
    }

    /// Adds several bytes.
    ///
    /// It takes an array, not any sequence: other rooms call it without specialization, and would
    /// pay a dynamic call for each byte of a sequence.
    package mutating func add(_ bytes: [UInt8]) {
        for byte in bytes { add(byte) }
    }

    /// Adds eight bytes, the most significant one first.
    package mutating func add(bigEndian number: UInt64) {
        // A stride of other numbers than `Int` is not specialised, and costs four times as much.
        var rest = number.byteSwapped
        for _ in 0..<8 {
            add(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    /// The first 64 bits.
    package var first: UInt64 { UInt64(truncatingIfNeeded: hash >> 64) }

    /// The digest of `bytes`.
    package static func of(_ bytes: [UInt8]) -> [UInt8] {
        var digest = Digest()
        digest.add(bytes)
        var all: [UInt8] = []
        all.reserveCapacity(16)
        all.append(bigEndian: digest.first)
        all.append(bigEndian: UInt64(truncatingIfNeeded: digest.hash))
        return all
    }
}
