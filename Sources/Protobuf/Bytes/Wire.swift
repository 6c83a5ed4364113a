/// A position in encoded bytes: the reads that the guard, the normaliser and the walk share.
///
/// Every read stays below `end`, and returns nil or false if the bytes break the format. The caller
/// keeps the buffer alive for the walk.
@usableFromInline struct Wire {
    @usableFromInline var next: UnsafePointer<UInt8>
    @usableFromInline let end: UnsafePointer<UInt8>

    @inlinable @inline(__always)
    init(next: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) {
        self.next = next
        self.end = end
    }

    @inlinable @inline(__always) var isAtEnd: Bool { next >= end }
    @inlinable @inline(__always) var rest: Int { end - next }

    /// A tag of at most five bytes with a number above 0.
    @inlinable @inline(__always) mutating func tag() -> UInt32? {
        guard next < end else { return nil }
        let first = next.pointee
        guard first >= 0x80 else {
            next += 1
            return first < 8 ? nil : UInt32(first)
        }
        return longTag()
    }

    @usableFromInline mutating func longTag() -> UInt32? {
        var tag: UInt64 = 0
        for index in 0..<min(5, rest) {
            let byte = next[index]
            tag |= UInt64(byte & 0x7F) << UInt64(7 * index)
            guard byte < 0x80 else { continue }
            next += index + 1
            return tag >= 8 && tag <= UInt64(UInt32.max) ? UInt32(tag) : nil
        }
        return nil
    }

    /// A length of at most five bytes that ends below `end`.
    @inlinable @inline(__always) mutating func length() -> Int? {
        guard next < end else { return nil }
        let first = next.pointee
        guard first >= 0x80 else {
            next += 1
            return Int(first) <= rest ? Int(first) : nil
        }
        return longLength()
    }

    @usableFromInline mutating func longLength() -> Int? {
        var length = 0
        for index in 0..<min(5, rest) {
            let byte = next[index]
            length |= Int(byte & 0x7F) << (7 * index)
            guard byte < 0x80 else { continue }
            next += index + 1
            return length <= rest ? length : nil
        }
        return nil
    }

    /// Skips a varint of at most ten bytes; bits beyond 64 are dropped, as the format demands.
    @inline(__always) mutating func skipVarint() -> Bool {
        for index in 0..<min(10, rest) where next[index] < 0x80 {
            next += index + 1
            return true
        }
        return false
    }

    /// The value of a varint of at most ten bytes.
    @inlinable @inline(__always) mutating func varint() -> UInt64? {
        guard next < end, next.pointee < 0x80 else { return longVarint() }
        defer { next += 1 }
        return UInt64(next.pointee)
    }

    @usableFromInline mutating func longVarint() -> UInt64? {
        // Most end within eight bytes, which are taken at once.
        if rest >= 8 {
            let word = UInt64(
                littleEndian: UnsafeRawPointer(next).loadUnaligned(as: UInt64.self))
            let ends = ~word & 0x8080_8080_8080_8080
            if ends != 0 {
                // Bits up to the first end, seven of each byte, moved together by halves.
                var value = word & (ends ^ (ends &- 1)) & 0x7F7F_7F7F_7F7F_7F7F
                value = value & 0x007F_007F_007F_007F | (value & 0x7F00_7F00_7F00_7F00) &>> 1
                value = value & 0x0000_3FFF_0000_3FFF | (value & 0x3FFF_0000_3FFF_0000) &>> 2
                value = value & 0x0000_0000_0FFF_FFFF | (value & 0x0FFF_FFFF_0000_0000) &>> 4
                next += ends.trailingZeroBitCount / 8 + 1
                return value
            }
        }
        return varintByBytes()
    }

    private mutating func varintByBytes() -> UInt64? {
        var value: UInt64 = 0
        for index in 0..<min(10, rest) {
            let byte = next[index]
            // A shift by 63 keeps the one bit of the tenth byte for which there is room.
            value |= UInt64(byte & 0x7F) << UInt64(7 * index)
            guard byte < 0x80 else { continue }
            next += index + 1
            return value
        }
        return nil
    }

    @inline(__always) mutating func skip(_ count: Int) -> Bool {
        guard count <= rest else { return false }
        next += count
        return true
    }

    @usableFromInline enum Skip {
        case done, malformed, tooDeep
    }

    /// Skips the payload of `tag`; a group ends with its own end tag.
    @usableFromInline mutating func skipPayload(of tag: UInt32, depth: Int = 0) -> Skip {
        switch tag & 7 {
        case 0: return skipVarint() ? .done : .malformed
        case 1: return skip(8) ? .done : .malformed
        case 2:
            guard let length = length(), skip(length) else { return .malformed }
            return .done
        case 3:
            guard depth < CodecLimits.groupDepth else { return .tooDeep }
            while let inner = self.tag() {
                // The end tag has the same number with wire type 4.
                if inner == tag + 1 { return .done }
                let skipped = skipPayload(of: inner, depth: depth + 1)
                guard skipped == .done else { return skipped }
            }
            return .malformed
        case 5: return skip(4) ? .done : .malformed
        default: return .malformed
        }
    }
}

extension [UInt8] {
    /// Adds a field whose value has a length: its tag, the length, and the payload.
    mutating func append(record payload: [UInt8], tag: UInt32) {
        append(varint: UInt64(tag))
        append(varint: UInt64(payload.count))
        self += payload
    }

    mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}
