import RelationModel
import Storage

/// A digest that is the same in every process: 128 bits of FNV-1a.
///
/// It tells apart the requests of an honest caller. It is no defence against a caller that makes
/// two requests look alike: such a caller deceives only itself.
package enum Digest {
    /// The digest of `bytes`.
    ///
    /// It takes an array, not any sequence: other rooms call it without specialization, and would
    /// pay a dynamic call for each byte of a sequence.
    package static func of(_ bytes: [UInt8]) -> [UInt8] {
        var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
        for byte in bytes {
            hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b
        }
        var digest: [UInt8] = []
        digest.append(bigEndian: hash)
        return digest
    }
}
