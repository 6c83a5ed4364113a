/// Checks that bytes are UTF-8, as proto3 demands of every string.
@usableFromInline package enum UTF8Check {
    /// Reads eight bytes at a time while they are ASCII, and the rest byte by byte.
    ///
    /// The caller guarantees `count` readable bytes at `start`.
    @inlinable @inline(__always)
    package static func isValid(_ start: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        isASCII(UnsafeRawPointer(start), count) || isValidSlowly(start, count)
    }

    @inlinable @inline(__always)
    static func isASCII(_ start: UnsafeRawPointer, _ count: Int) -> Bool {
        guard count >= 8 else { return areFewASCII(start, count) }
        var bits: UInt64 = 0
        var offset = 0
        while offset &+ 8 < count {
            bits |= start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        // The last eight bytes; some of them may be read a second time.
        bits |= start.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        return bits & 0x8080_8080_8080_8080 == 0
    }

    /// Whether less than eight bytes are ASCII.
    @inlinable @inline(__always)
    static func areFewASCII(_ start: UnsafeRawPointer, _ count: Int) -> Bool {
        if count >= 4 {
            let bits =
                start.loadUnaligned(as: UInt32.self)
                | start.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
            return bits & 0x8080_8080 == 0
        }
        var bits: UInt8 = 0
        for index in 0..<count {
            bits |= start.loadUnaligned(fromByteOffset: index, as: UInt8.self)
        }
        return bits < 0x80
    }

    /// Table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing above U+10FFFF.
    @usableFromInline @inline(never)
    static func isValidSlowly(_ start: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        var index = 0
        func follows(_ offset: Int, _ low: UInt8 = 0x80, _ high: UInt8 = 0xBF) -> Bool {
            index + offset < count && start[index + offset] >= low && start[index + offset] <= high
        }
        while index < count {
            switch start[index] {
            case 0x00...0x7F: index += 1
            case 0xC2...0xDF:
                guard follows(1) else { return false }
                index += 2
            case 0xE0:
                guard follows(1, 0xA0), follows(2) else { return false }
                index += 3
            case 0xE1...0xEC, 0xEE...0xEF:
                guard follows(1), follows(2) else { return false }
                index += 3
            case 0xED:
                guard follows(1, 0x80, 0x9F), follows(2) else { return false }
                index += 3
            case 0xF0:
                guard follows(1, 0x90), follows(2), follows(3) else { return false }
                index += 4
            case 0xF1...0xF3:
                guard follows(1), follows(2), follows(3) else { return false }
                index += 4
            case 0xF4:
                guard follows(1, 0x80, 0x8F), follows(2), follows(3) else { return false }
                index += 4
            default: return false
            }
        }
        return true
    }
}
