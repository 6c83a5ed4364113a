import Memory

/// A run of bytes that another owner keeps: a name of a plan, or a part of a text.
struct JSONBytes {
    let start: UnsafePointer<UInt8>
    let count: Int

    @inline(__always) init(start: UnsafePointer<UInt8>, count: Int) {
        self.start = start
        self.count = count
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        // An empty buffer may have no start, and any start will do for it.
        start =
            bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? StaticString("").utf8Start
        count = bytes.count
    }

    var text: String {
        String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The text as an error shows it: a sender's own name may be as long as its message.
    var shown: String {
        guard count > CodecLimits.shownNameBytes else { return text }
        return JSONBytes(start: start, count: CodecLimits.shownNameBytes).text + "…"
    }

    var raw: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    static var empty: JSONBytes { JSONBytes(start: StaticString("").utf8Start, count: 0) }

    /// Whether the bytes are those of `other`.
    @inline(__always) func equals(_ other: JSONBytes) -> Bool {
        count == other.count && Self.areEqual(start, other.start, count)
    }

    func equals(_ literal: StaticString) -> Bool {
        equals(JSONBytes(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    /// Compares eight bytes at a time; the last eight overlap those before.
    @inline(__always)
    static func areEqual(
        _ one: UnsafePointer<UInt8>, _ other: UnsafePointer<UInt8>, _ count: Int
    ) -> Bool {
        guard count >= 8 else {
            for index in 0..<count where one[index] != other[index] { return false }
            return true
        }
        var offset = 0
        while offset &+ 8 < count {
            if word(one, offset) != word(other, offset) { return false }
            offset &+= 8
        }
        return word(one, count &- 8) == word(other, count &- 8)
    }

    @inline(__always)
    private static func word(_ start: UnsafePointer<UInt8>, _ offset: Int) -> UInt64 {
        UnsafeRawPointer(start).loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    /// The order of bytes, which is the order of code points.
    static func precedes(_ one: JSONBytes, _ other: JSONBytes) -> Bool {
        Text(start: one.start, count: one.count) < Text(start: other.start, count: other.count)
    }
}

/// Tests of eight bytes of a string at once.
enum JSONWord {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Marks the high bit of each byte that ends a run of plain bytes: a quote, a backslash, a
    /// control character.
    ///
    /// Only the lowest mark is exact: a borrow may mark a byte above it.
    @inline(__always) static func stops(_ word: UInt64) -> UInt64 {
        let quotes = word ^ (ones &* 0x22)
        let slashes = word ^ (ones &* 0x5C)
        let found =
            ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes)
            | ((word &- ones &* 0x20) & ~word)
        return found & highBits
    }

    /// As ``stops``, and for the character DEL too, which is written as an escape.
    @inline(__always) static func escaped(_ word: UInt64) -> UInt64 {
        let deletes = word ^ (ones &* 0x7F)
        return stops(word) | ((deletes &- ones) & ~deletes & highBits)
    }
}
