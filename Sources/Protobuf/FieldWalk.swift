/// A walk over the fields of an encoded message, in the order in which they were written.
///
/// It is for code that needs two or three small fields of many messages: nothing is decoded, copied
/// or kept. Unlike ``Coder`` it knows no schema. So it does not check the types of fields or
/// whether text is UTF-8, and it finds a repeated field each time.
@usableFromInline package struct FieldWalk {
    @usableFromInline package enum Value {
        case varint(UInt64)
        /// The payload of a string, bytes, message or packed field.
        case bytes(UnsafeRawBufferPointer)
        /// A fixed number or a group, which is skipped.
        case other
    }

    @usableFromInline var wire: Wire
    @usableFromInline let start: UnsafePointer<UInt8>

    /// - Parameter bytes: They must be valid as long as the walk and its results are used.
    @inlinable package init(_ bytes: UnsafeRawBufferPointer) {
        // An empty buffer may have no start, and any start will do for it.
        start =
            bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? StaticString("").utf8Start
        wire = Wire(next: start, end: start + bytes.count)
    }

    /// The bytes of the fields that were passed.
    package var offset: Int { wire.next - start }

    /// The next field; nil at the end.
    ///
    /// - Throws: ``CodecError``: `malformed`, `tooDeep`.
    @inlinable @inline(__always)
    package mutating func next() throws(CodecError) -> (number: UInt32, value: Value)? {
        guard !wire.isAtEnd else { return nil }
        guard let tag = wire.tag() else { throw Self.malformed }
        switch tag & 7 {
        case 0:
            guard let value = wire.varint() else { throw Self.malformed }
            return (tag >> 3, .varint(value))
        case 2:
            guard let length = wire.length() else { throw Self.malformed }
            defer { wire.next += length }
            return (tag >> 3, .bytes(UnsafeRawBufferPointer(start: wire.next, count: length)))
        default:
            switch wire.skipPayload(of: tag) {
            case .done: return (tag >> 3, .other)
            case .malformed: throw Self.malformed
            case .tooDeep: throw Self.tooDeep
            }
        }
    }

    @usableFromInline static var tooDeep: CodecError {
        CodecError(.tooDeep, "groups nest too deep")
    }

    @usableFromInline static var malformed: CodecError {
        CodecError(.malformed, "the bytes are not a message")
    }
}
