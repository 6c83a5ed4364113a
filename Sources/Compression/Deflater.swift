import CZlib

/// Compresses bytes in one format, for speed rather than for size.
///
/// It is made once and used for many messages.
///
/// - Important: It belongs to one thread.
package final class Deflater {
    private let stream = ZlibStream()
    private var room = Room()

    /// Nil only if zlib has no memory for its tables.
    package init?(_ format: CompressionFormat) {
        let size = Int32(MemoryLayout<z_stream>.size)
        let code = deflateInit2_(
            stream.pointer, Z_BEST_SPEED, Z_DEFLATED, format.windowBits, Self.memoryLevel,
            Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        guard code == Z_OK else { return nil }
    }

    /// zlib's own default; its header has no name for it.
    private static let memoryLevel: Int32 = 8

    deinit {
        deflateEnd(stream.pointer)
    }

    /// `bytes` in compressed form, valid until the next call; nil if that would not be shorter.
    package func deflate(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard bytes.count > 0, deflateReset(stream.pointer) == Z_OK else { return nil }
        room.grow(to: bytes.count, keeping: 0)
        stream.setInput(bytes)
        stream.setOutput(room.start, bytes.count)
        // If zlib has not come to its end, the result is longer than the bytes that went in.
        guard CZlib.deflate(stream.pointer, Z_FINISH) == Z_STREAM_END else { return nil }
        let made = bytes.count - Int(stream.pointer.pointee.avail_out)
        return UnsafeRawBufferPointer(start: room.start, count: made)
    }

    /// Gives back the memory of large results; the bytes that ``deflate(_:)`` returned are then
    /// invalid.
    package func trim(to limit: Int) {
        room.shrink(to: limit)
    }
}
