/// A hash of user ids, with a key that is new in each process: no one outside can choose ids that
/// all fall into one slot.
///
/// It only says where to look. A reader that finds something there compares the bytes.
struct IDHash: Sendable {
    private let keys: (UInt64, UInt64)
    /// Every bit but those that a test takes away to make ids collide.
    private let mask: UInt64

    init(mask: UInt64 = .max) {
        var system = SystemRandomNumberGenerator()
        // An odd factor loses no bit of the other one.
        keys = (system.next() | 1, system.next() | 1)
        self.mask = mask
    }

    @inline(__always)
    func callAsFunction(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let count = bytes.count
        var state = keys.0 ^ UInt64(truncatingIfNeeded: count)
        var (one, other): (UInt64, UInt64) = (0, 0)
        // All offsets lie within the bytes: each load ends at or before `count`.
        if count >= 8 {
            var offset = 0
            while offset &+ 16 < count {
                state = Self.fold(
                    bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ keys.1,
                    bytes.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self) ^ state)
                offset &+= 16
            }
            one = bytes.loadUnaligned(
                fromByteOffset: count > 16 ? count &- 16 : 0, as: UInt64.self)
            other = bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        } else if count >= 4 {
            one = UInt64(bytes.loadUnaligned(as: UInt32.self))
            other = UInt64(bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
        } else if count > 0 {
            one =
                UInt64(bytes[0]) << 16 | UInt64(bytes[count >> 1]) << 8 | UInt64(bytes[count &- 1])
        }
        let folded = Self.fold(one ^ keys.1, other ^ state)
        return Self.fold(folded ^ keys.0, keys.1) & mask
    }

    /// Mixes an app into the hash of one of its users.
    @inline(__always)
    static func slot(_ hash: UInt64, in app: UInt32) -> UInt64 {
        hash ^ (UInt64(app) &* 0x9E37_79B9_7F4A_7C15)
    }

    @inline(__always)
    private static func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = one.multipliedFullWidth(by: other)
        return product.high ^ product.low
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are those at `other`; names are short, and a call of a function would cost
    /// more.
    ///
    /// - Precondition: As many bytes stand at `other`.
    @inline(__always)
    func isSame(at other: UnsafeRawPointer) -> Bool {
        guard let start = baseAddress else { return true }
        // Every load below ends at or before `count`, on both sides.
        if count >= 8 {
            var offset = 0
            while offset &+ 8 < count {
                guard
                    start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                        == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                else { return false }
                offset &+= 8
            }
            return start.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
                == other.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        }
        if count >= 4 {
            return start.loadUnaligned(as: UInt32.self) == other.loadUnaligned(as: UInt32.self)
                && start.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
                    == other.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
        }
        var offset = 0
        while offset < count {
            guard
                start.load(fromByteOffset: offset, as: UInt8.self)
                    == other.load(fromByteOffset: offset, as: UInt8.self)
            else { return false }
            offset &+= 1
        }
        return true
    }
}
