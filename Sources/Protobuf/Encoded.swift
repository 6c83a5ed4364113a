public import Memory

/// A message kept as its bytes: read from storage, spliced into a response, never decoded here.
///
/// A view like ``Text``: valid until the arena of its call is reset, or as long as the memory that
/// it was made from. On the wire and in the contract the field is of type `M`.
///
/// `Sendable` is unchecked because of the pointer; ``Text`` says why this is safe.
@usableFromInline
package struct Encoded<M: CodedMessage>: Message, BitwiseCopyable,
    @unchecked Sendable
{
    @usableFromInline let text: Text

    @inlinable init(text: Text) {
        self.text = text
    }

    /// A view of `bytes`, which are an encoding of `M` and outlive every use of the view.
    @inlinable package init(borrowing bytes: UnsafeRawBufferPointer) {
        text = Text(borrowing: bytes)
    }

    @inlinable package var count: Int { text.count }

    @inlinable package func withBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try text.withBytes(body)
    }

    /// The message.
    ///
    /// - Throws: ``CodecError`` if the bytes are not an encoding of `M`.
    @inlinable package func decoded(_ arena: Arena) throws(CodecError) -> M {
        var message = M()
        try withBytes { (bytes) throws(CodecError) in try Codec.fill(&message, bytes, arena) }
        return message
    }
}

extension Encoded {
    @usableFromInline package var description: String {
        let message = Arena.temporary { arena in try? decoded(arena).description }
        return message ?? "<\(count) bytes of no \(M.schema.fullName)>"
    }
}

extension Arena {
    /// Encodes `message` into the arena, and gives back the other memory that this needs.
    ///
    /// - Throws: ``CodecError``: `outOfMemory`, `tooDeep`.
    @inlinable package func encode<M: CodedMessage>(
        _ message: M
    ) throws(CodecError) -> Encoded<M> {
        let bytes = try Coder(M.self).bytes(message, self)
        return try encoded(bytes)
    }

    /// A copy of `bytes`, which are an encoding of `M`.
    ///
    /// - Throws: ``CodecError/Code/outOfMemory``.
    @inlinable package func encoded<M: CodedMessage>(
        _ bytes: [UInt8], as type: M.Type = M.self
    ) throws(CodecError) -> Encoded<M> {
        guard let copy = bytes.withUnsafeBytes({ copy($0) }) else { throw .arenaIsFull }
        return Encoded(borrowing: copy)
    }

    /// The fields of `one`, followed by those of `other`; neither is decoded.
    ///
    /// This is right because two encodings, one after the other, are the encoding of their merge.
    ///
    /// - Throws: ``CodecError/Code/outOfMemory``.
    @usableFromInline package func joined<M: CodedMessage>(
        _ one: Encoded<M>, _ other: [UInt8]
    ) throws(CodecError) -> Encoded<M> {
        guard let room = allocate(one.count + other.count) else { throw .arenaIsFull }
        let all = UnsafeMutableRawBufferPointer(start: room, count: one.count + other.count)
        one.withBytes { all.copyMemory(from: $0) }
        other.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(rebasing: all[one.count...]).copyMemory(from: bytes)
        }
        return Encoded(borrowing: UnsafeRawBufferPointer(all))
    }
}
