public import Memory

/// Reads and writes one type of message.
///
/// Make it where the type is known. There the compiler specialises the visits, and code that holds
/// the closures need not see through the generic type. If they are called with a generic type, they
/// cost a third more.
///
/// Its type has no condition, and neither have those that are made of it for each call. For a
/// condition the runtime looks through all conformances of the program, once for each message.
@usableFromInline package struct Coder<M>: Sendable {
    /// Reads the message from bytes; its views point into the arena.
    ///
    /// The bytes are not used afterwards. Earlier views into the arena stay valid.
    ///
    /// Throws ``CodecError``: `malformed`, `invalidUTF8`, `tooDeep`, `tooLarge` or `outOfMemory`.
    @usableFromInline package let read:
        @Sendable (UnsafeRawBufferPointer, Arena) throws(CodecError) -> M

    /// Reads the message into one that was read before, whose lists keep their memory.
    ///
    /// Every field gets its value, or that of an absent field. Otherwise as ``read``.
    @usableFromInline package let fill:
        @Sendable (inout M, UnsafeRawBufferPointer, Arena) throws(CodecError) -> Void

    /// Appends the message's encoding to the buffer.
    ///
    /// The memory that it takes of the arena may be given back at once, by mark and rewind.
    ///
    /// Throws ``CodecError``: `outOfMemory`, `tooDeep` or `tooLarge`; the buffer is then as before.
    @usableFromInline package let write:
        @Sendable (borrowing M, Arena, OutputBuffer) throws(CodecError) -> Void

    @inlinable package init(_: M.Type) where M: CodedMessage {
        read = { (bytes, arena) throws(CodecError) in
            var message = M()
            try Codec.fill(&message, bytes, arena)
            return message
        }
        fill = { (message, bytes, arena) throws(CodecError) in
            try Codec.fill(&message, bytes, arena)
        }
        write = { (message, arena, output) throws(CodecError) in
            try Codec.write(message, arena, output)
        }
    }

    init(
        read: @escaping @Sendable (UnsafeRawBufferPointer, Arena) throws(CodecError) -> M,
        write: @escaping @Sendable (borrowing M, Arena, OutputBuffer) throws(CodecError) -> Void
    ) {
        self.read = read
        fill = { (message, bytes, arena) throws(CodecError) in
            message = try read(bytes, arena)
        }
        self.write = write
    }

    /// The message's encoding as a value, for records that are stored.
    ///
    /// It gives back the memory that it takes of the arena.
    @inlinable package func bytes(
        _ message: borrowing M, _ arena: Arena
    ) throws(CodecError) -> [UInt8] {
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        let output = OutputBuffer(capacity: 256)
        try write(message, arena, output)
        return [UInt8](output.bytes)
    }

    /// The message of an encoding held as a value.
    @inlinable package func message(_ bytes: [UInt8], _ arena: Arena) throws(CodecError) -> M {
        // `withUnsafeBytes` would lose the error's type.
        try bytes.withUnsafeBufferPointer { (buffer) throws(CodecError) in
            try read(UnsafeRawBufferPointer(buffer), arena)
        }
    }
}

/// The two directions of the codec: guard, C struct, visitor.
@usableFromInline enum Codec {
    @inlinable static func fill<M: CodedMessage>(
        _ message: inout M, _ bytes: UnsafeRawBufferPointer, _ arena: Arena
    ) throws(CodecError) {
        let layout = M.schema.layout
        var decoder = Decoder(
            base: try unpack(bytes, as: layout, arena), slot: layout.pointee.slots)
        message.visit(&decoder)
    }

    @inlinable static func write<M: CodedMessage>(
        _ message: borrowing M, _ arena: Arena, _ output: OutputBuffer
    ) throws(CodecError) {
        let layout = M.schema.layout
        guard let base = arena.allocateZeroed(layout.pointee.size) else { throw .arenaIsFull }
        base.storeBytes(of: layout.pointee.descriptor, as: UnsafeRawPointer.self)
        var encoder = Encoder(base: base, slot: layout.pointee.slots, arena: arena)
        var copy = copy message
        copy.visit(&encoder)
        // Views in the C struct may point into the message's own memory, so it must live until it
        // is packed.
        defer { withExtendedLifetime(copy) {} }
        if encoder.isOutOfMemory { throw .arenaIsFull }
        if encoder.isTooDeep { throw .isTooDeep }
        try pack(base, bound: encoder.bound, output)
    }
}
