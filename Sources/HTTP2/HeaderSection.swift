import Glibc

/// The bytes of HTTP/1.1 in which a cached header block came: the same bytes mean the same header
/// block.
///
/// They may differ in the length of the body, whose digits lie in a gap between two parts.
///
/// It is trivial, and the header block that has it frees it.
struct HeaderSection {
    /// Where a header section stands in bytes that have come, and what its reader needs of it.
    struct Span {
        /// Where it ends.
        let end: Int
        /// The digits of its length; empty if it has none.
        let digits: UnsafeRawBufferPointer
        /// The note of its reader.
        let note: Bool
    }

    /// The bytes of the header section without the digits.
    private let bytes: UnsafeMutableRawBufferPointer
    /// Where the gap is; nil if there is none.
    private let gap: Int?
    private let note: Bool

    var memoryBytes: Int { bytes.count }

    /// More digits than a message may have, and fewer than a number of 64 bits.
    private static let mostDigits = 9

    /// Nil for a header section that is too long, or whose length has too many digits.
    init?(_ section: UnsafeRawBufferPointer, gap: Range<Int>?, note: Bool) {
        guard section.count <= SessionLimits.headerSectionBytes,
            gap.map({ (1...Self.mostDigits).contains($0.count) }) ?? true
        else { return nil }
        bytes = .allocate(byteCount: section.count - (gap?.count ?? 0), alignment: 8)
        self.gap = gap?.lowerBound
        self.note = note
        let front = section[..<(gap?.lowerBound ?? section.count)]
        bytes.copyBytes(from: front)
        if let gap {
            UnsafeMutableRawBufferPointer(rebasing: bytes[gap.lowerBound...])
                .copyBytes(from: section[gap.upperBound...])
        }
    }

    func free() {
        bytes.deallocate()
    }

    /// Where the header section stands if `other` begins with it.
    func span(in other: UnsafeRawBufferPointer) -> Span? {
        // Both have a start: a header section has bytes, and what is shorter is none.
        guard other.count >= bytes.count, let start = other.baseAddress,
            let own = bytes.baseAddress
        else { return nil }
        guard let gap else {
            guard memcmp(start, own, bytes.count) == 0 else { return nil }
            let none = UnsafeRawBufferPointer(start: nil, count: 0)
            return Span(end: bytes.count, digits: none, note: note)
        }
        guard memcmp(start, own, gap) == 0 else { return nil }
        var after = gap
        let most = min(other.count, gap + Self.mostDigits)
        while after < most, other[after] &- 0x30 <= 9 { after += 1 }
        let rest = bytes.count - gap
        guard after > gap, other.count - after >= rest,
            memcmp(start + after, own + gap, rest) == 0
        else { return nil }
        let digits = UnsafeRawBufferPointer(rebasing: other[gap..<after])
        return Span(end: after + rest, digits: digits, note: note)
    }
}
