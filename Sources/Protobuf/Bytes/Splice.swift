public import Memory

/// A message that is put together from encoded parts, in the memory of an arena.
///
/// It decodes nothing. The fields of a stored row go into the answer as they are, and an encoding
/// that many answers share is copied into each. The caller writes the fields in the order of their
/// numbers, and leaves out those that have the value of an absent field. Then the bytes are those
/// that the codec would write.
@usableFromInline package struct Splice {
    @usableFromInline let start: UnsafeMutableRawPointer
    @usableFromInline var next: UnsafeMutableRawPointer
    @usableFromInline let end: UnsafeMutableRawPointer

    /// The most bytes of a tag and a length.
    package static let prefixBytes = 10
    /// The most bytes of a tag and a number.
    package static let numberBytes = 15

    /// - Parameter room: The most bytes that the message will have.
    /// - Throws: ``CodecError/Code/outOfMemory``.
    @inlinable package init(room: Int, in arena: Arena) throws(CodecError) {
        guard let start = arena.allocate(room) else { throw .arenaIsFull }
        self.start = start
        next = start
        end = start + room
    }

    /// Appends fields that are encoded already.
    @inlinable package mutating func append(_ fields: UnsafeRawBufferPointer) {
        precondition(fields.count <= end - next, "a splice stays in its room")
        guard let source = fields.baseAddress else { return }
        next.copyMemory(from: source, byteCount: fields.count)
        next += fields.count
    }

    /// Appends fields that are encoded already, and are mostly short.
    @inlinable @inline(__always)
    package mutating func append(short fields: UnsafeRawBufferPointer) {
        precondition(fields.count <= end - next, "a splice stays in its room")
        guard let source = fields.baseAddress else { return }
        ShortCopy.copy(source, fields.count, to: next)
        next += fields.count
    }

    /// Appends a string, bytes, or a message.
    @inlinable package mutating func append(_ field: SplicedField, _ bytes: UnsafeRawBufferPointer)
    {
        appendPrefix(of: field, count: bytes.count)
        append(bytes)
    }

    /// Appends a string that is mostly short, such as an id.
    @inlinable @inline(__always)
    package mutating func append(_ field: SplicedField, short text: Text) {
        appendPrefix(of: field, count: text.count)
        text.withBytes { append(short: $0) }
    }

    /// Appends the tag and the length of a string, bytes, or a message, whose `count` bytes are
    /// appended next.
    @inlinable @inline(__always)
    package mutating func appendPrefix(of field: SplicedField, count: Int) {
        appendVarint(UInt64(field.tag))
        appendVarint(UInt64(count))
    }

    /// Appends a number.
    @inlinable package mutating func append(_ field: SplicedField, _ number: UInt64) {
        appendVarint(UInt64(field.tag))
        appendVarint(number)
    }

    @inlinable @inline(__always) mutating func appendVarint(_ number: UInt64) {
        guard number < 0x80 else {
            next = Self.writeLongVarint(number, to: next, end)
            return
        }
        precondition(next < end, "a splice stays in its room")
        next.storeBytes(of: UInt8(truncatingIfNeeded: number), as: UInt8.self)
        next += 1
    }

    /// Writes a number of several bytes, and returns where they end.
    ///
    /// It takes pointers and no splice, which would then have to stand in memory.
    @usableFromInline static func writeLongVarint(
        _ number: UInt64, to start: UnsafeMutableRawPointer, _ end: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        var (next, rest) = (start, number)
        while rest >= 0x80 {
            precondition(next < end, "a splice stays in its room")
            next.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, as: UInt8.self)
            next += 1
            rest >>= 7
        }
        precondition(next < end, "a splice stays in its room")
        next.storeBytes(of: UInt8(truncatingIfNeeded: rest), as: UInt8.self)
        return next + 1
    }

    /// The message; it is valid as long as the arena's memory is.
    @inlinable package func finished<M: CodedMessage>(as _: M.Type = M.self) -> Encoded<M> {
        Encoded(borrowing: UnsafeRawBufferPointer(start: start, count: next - start))
    }
}
