/// Copies of texts that are mostly short, such as ids: a call of the C library costs more than such
/// a copy.
@usableFromInline package enum ShortCopy {
    /// Copies `count` bytes, eight at a time.
    ///
    /// It reads and writes no byte beyond them: the last eight overlap those before.
    ///
    /// - Precondition: Both have `count` bytes, and do not overlap.
    @inlinable @inline(__always)
    package static func copy(
        _ source: UnsafeRawPointer, _ count: Int, to target: UnsafeMutableRawPointer
    ) {
        guard count >= 8 else { return copyFew(source, count, to: target) }
        var offset = 0
        while offset &+ 8 < count {
            copy(UInt64.self, source, offset, to: target)
            offset &+= 8
        }
        copy(UInt64.self, source, count &- 8, to: target)
    }

    /// Copies less than eight bytes.
    @inlinable @inline(__always)
    static func copyFew(
        _ source: UnsafeRawPointer, _ count: Int, to target: UnsafeMutableRawPointer
    ) {
        if count >= 4 {
            copy(UInt32.self, source, 0, to: target)
            copy(UInt32.self, source, count &- 4, to: target)
        } else if count > 0 {
            // One to three bytes: the first, the middle and the last.
            copy(UInt8.self, source, 0, to: target)
            copy(UInt8.self, source, count &>> 1, to: target)
            copy(UInt8.self, source, count &- 1, to: target)
        }
    }

    @inlinable @inline(__always)
    static func copy<Word: FixedWidthInteger & BitwiseCopyable>(
        _: Word.Type, _ source: UnsafeRawPointer, _ offset: Int,
        to target: UnsafeMutableRawPointer
    ) {
        target.storeBytes(
            of: source.loadUnaligned(fromByteOffset: offset, as: Word.self),
            toByteOffset: offset, as: Word.self)
    }
}

extension Text {
    /// Copies the bytes to `target`, which has room for them.
    @inlinable @inline(__always)
    package func copy(to target: UnsafeMutableRawPointer) {
        guard let start else { return }
        ShortCopy.copy(UnsafeRawPointer(start), count, to: target)
    }
}
