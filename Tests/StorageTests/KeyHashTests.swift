import Testing

@testable import Storage

/// The hash by which a write transaction finds its rows.
@Suite struct KeyHashTests {
    /// Keys that differ in one byte, or in their length, as keys of one user do.
    private static let keys: [[UInt8]] = {
        var keys: [[UInt8]] = []
        for length in 0..<40 { keys.append([UInt8](repeating: 0, count: length)) }
        for number in 0..<4_000 {
            keys.append(Array("\u{0}\u{0}\u{0}\u{7}user-\(number)\u{0}\u{11}".utf8))
        }
        for index in 0..<24 {
            for bit in 0..<8 {
                var key = [UInt8](repeating: 7, count: 24)
                key[index] ^= 1 << UInt8(bit)
                keys.append(key)
            }
        }
        return keys
    }()

    @Test func keysThatDifferLittleHaveDifferentHashes() {
        let hash = KeyHash()
        let hashes = Set(Self.keys.map { key in key.withUnsafeBytes { hash.hash($0) } })
        #expect(hashes.count == Self.keys.count)
    }

    @Test func theLowBitsThatChooseASlotAreSpread() {
        let hash = KeyHash()
        var slots = [Int](repeating: 0, count: 256)
        for key in Self.keys { key.withUnsafeBytes { slots[hash.hash($0) & 255] += 1 } }
        let mean = Self.keys.count / slots.count
        #expect(slots.max() ?? .max < 4 * mean)
        #expect(slots.count { $0 == 0 } < 8)
    }

    @Test func theSameKeyHasTheSameHash() {
        let hash = KeyHash()
        for key in Self.keys.prefix(100) {
            let copy = key.map { $0 }
            #expect(
                key.withUnsafeBytes { hash.hash($0) } == copy.withUnsafeBytes { hash.hash($0) })
        }
    }
}
