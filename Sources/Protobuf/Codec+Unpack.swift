internal import CProtobufC
public import Memory

extension Codec {
    /// Checks `bytes`, and lets libprotobuf-c unpack them into the arena.
    ///
    /// - Returns: The C struct that `layout` describes.
    /// - Throws: The error of the guard, or `outOfMemory` if the arena is full. libprotobuf-c has
    ///   no other reason left to refuse.
    @usableFromInline static func unpack(
        _ bytes: UnsafeRawBufferPointer, as layout: UnsafePointer<Layout>, _ arena: Arena
    ) throws(CodecError) -> UnsafeRawPointer {
        guard bytes.count <= CodecLimits.longestEncodingBytes else {
            throw CodecError(.tooLarge, "\(layout.pointee.name) is longer than any message may be")
        }
        var allocator = ProtobufCAllocator(
            alloc: { state, count in Codec.allocate(state, count) },
            // The arena frees everything at once.
            free: { _, _ in },
            allocator_data: arena.state)
        let descriptor = layout.pointee.descriptor.assumingMemoryBound(
            to: ProtobufCMessageDescriptor.self)
        let unpacked: UnsafeMutablePointer<ProtobufCMessage>?
        switch try Guard.check(bytes, layout) {
        case .clean:
            unpacked = protobuf_c_message_unpack(
                descriptor, &allocator, bytes.count,
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        case .unusual(let joins):
            let normal = Normal.rewrite(bytes, layout, joins: joins)
            unpacked = protobuf_c_message_unpack(descriptor, &allocator, normal.count, normal)
        }
        guard let unpacked else { throw .arenaIsFull }
        return UnsafeRawPointer(unpacked)
    }

    /// Lets libprotobuf-c pack the C struct at `base` straight into the output.
    ///
    /// The library checks no bounds, and asking it for the size costs as much as packing. So the
    /// encoder adds up a bound while it fills the struct. That sum proves that the room suffices.
    /// The tests pack into buffers of exactly this size, under AddressSanitizer.
    @usableFromInline static func pack(
        _ base: UnsafeMutableRawPointer, bound: Int, _ output: OutputBuffer
    ) throws(CodecError) {
        guard bound <= CodecLimits.longestEncodingBytes else {
            throw CodecError(.tooLarge, "the message is longer than any message may be")
        }
        let count = protobuf_c_message_pack(
            base.assumingMemoryBound(to: ProtobufCMessage.self),
            output.reserve(bound).assumingMemoryBound(to: UInt8.self))
        precondition(count <= bound, "the bound of an encoding was too small")
        output.advance(count)
    }

    /// The entry from C: memory for libprotobuf-c.
    private static func allocate(
        _ state: UnsafeMutableRawPointer?, _ count: Int
    ) -> UnsafeMutableRawPointer? {
        guard let state = state?.assumingMemoryBound(to: Arena.State.self) else { return nil }
        return Arena(state: state).allocate(count)
    }
}
