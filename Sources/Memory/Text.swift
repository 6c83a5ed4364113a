internal import Glibc

/// The UTF-8 bytes of a string field: a view that owns nothing.
///
/// A decoded `Text` points into the arena of its call, and one made from a literal points into the
/// program. It is valid until the arena is reset or rewound below it, so it must not be stored
/// outside the call. In debug builds a reset overwrites the arena, so that a test sees it if this
/// rule is broken.
///
/// Its two words are in the order of C's `ProtobufCBinaryData`.
///
/// `Sendable` is unchecked because of the pointer: the bytes behind it are never written after the
/// view was made, and the call that owns the arena is in one place at a time.
@usableFromInline package struct Text: BitwiseCopyable, @unchecked Sendable {
    @usableFromInline package let count: Int
    /// Nil only for an empty text.
    @usableFromInline package let start: UnsafePointer<UInt8>?

    @inlinable package init() {
        count = 0
        start = nil
    }

    @inlinable package init(start: UnsafePointer<UInt8>?, count: Int) {
        self.count = count
        self.start = count == 0 ? nil : start
    }

    /// A view of `bytes`.
    ///
    /// - Precondition: The bytes are valid UTF-8 and outlive every use of the text.
    @inlinable package init(borrowing bytes: UnsafeRawBufferPointer) {
        self.init(
            start: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    }

    @inlinable package var isEmpty: Bool { count == 0 }

    /// Calls `body` with the bytes, which are valid as long as the text is.
    @inlinable package func withBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: start, count: count))
    }
}

extension Text: ExpressibleByStringLiteral {
    /// The literal is in the program's read-only memory, so the view is valid for ever.
    @inlinable package init(stringLiteral literal: StaticString) {
        self.init(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
    }
}

extension Text: Hashable, Comparable {
    @inlinable package static func == (one: Text, other: Text) -> Bool {
        guard one.count == other.count else { return false }
        guard let first = one.start, let second = other.start, one.count > 0 else { return true }
        // Most ids that differ do so at their end, and the comparison is a call.
        let last = one.count &- 1
        return first[last] == second[last] && compare(one, other, last) == 0
    }

    /// The order of bytes, which is the order of code points.
    @usableFromInline package static func < (one: Text, other: Text) -> Bool {
        let order = compare(one, other, min(one.count, other.count))
        return order < 0 || (order == 0 && one.count < other.count)
    }

    @usableFromInline package func hash(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: $0) }
        hasher.combine(count)
    }

    @usableFromInline static func compare(_ one: Text, _ other: Text, _ count: Int) -> Int32 {
        guard count > 0, let first = one.start, let second = other.start else { return 0 }
        return memcmp(first, second, count)
    }
}

extension Text: CustomStringConvertible {
    @usableFromInline package var description: String { String(self) }
}

extension String {
    /// A copy of the text.
    @inlinable package init(_ text: Text) {
        // `String(validating:as:)` looks up generic metadata at every call, and costs seven times
        // as much. The bytes are valid, so nothing is repaired here.
        self.init(unsafeUninitializedCapacity: text.count) { buffer in
            text.withBytes { bytes in
                UnsafeMutableRawBufferPointer(buffer).copyMemory(from: bytes)
            }
            return text.count
        }
    }
}
