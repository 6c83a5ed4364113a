/// A hash of keys for the table of one process, with a seed of its own.
///
/// Keys are short, and each row is looked up several times: Swift's own hash of a key costs ten
/// times as much. Eight bytes at a time are multiplied with a secret to twice their width, and both
/// halves are folded together. A caller that does not know the secrets cannot choose keys that
/// collide.
struct KeyHash: Sendable {
    private let first: UInt64
    private let second: UInt64

    init() {
        first = KeyHash.secret(1)
        second = KeyHash.secret(2)
    }

    /// An odd number that Swift's own seed decides: it is new in each process.
    private static func secret(_ number: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        return UInt64(bitPattern: Int64(hasher.finalize())) | 1
    }

    func hash(_ key: UnsafeRawBufferPointer) -> Int {
        var hash = first ^ UInt64(truncatingIfNeeded: key.count)
        var next = 0
        while next &+ 8 <= key.count {
            hash = fold(hash ^ key.loadUnaligned(fromByteOffset: next, as: UInt64.self))
            next &+= 8
        }
        var rest: UInt64 = 0
        while next < key.count {
            rest = rest << 8 | UInt64(key[next])
            next &+= 1
        }
        return Int(truncatingIfNeeded: fold(fold(hash ^ rest) ^ first))
    }

    private func fold(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: second)
        return product.high ^ product.low
    }
}
