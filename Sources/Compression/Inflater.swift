import CZlib

/// Expands compressed bytes, within a bound that holds while they are expanded.
///
/// It is made once and used for many messages.
///
/// - Important: It belongs to one thread.
package final class Inflater {
    private let stream = ZlibStream()
    private var room = Room()
    private var isReady = false

    /// How many bytes the last call made, even if it failed in the end.
    private var made = 0
    /// Members of the last stream that were begun after its first.
    private var furtherMembers = 0

    /// The work of the last call, as a number of expanded bytes.
    ///
    /// It includes the work of beginning members, and the work of a call that failed in the end.
    package var work: Int { made + furtherMembers * CompressionLimits.memberBytes }

    package init() {}

    deinit {
        // `inflateInit2_` has made the stream, as its state shows.
        if isReady { inflateEnd(stream.pointer) }
    }

    /// The bytes that `bytes` expand to; valid until the next call.
    ///
    /// Whether or not the bytes claim more, the result takes at most twice its size of memory, and
    /// never more than `limit` bytes and one.
    ///
    /// - Throws: ``InflateError/malformed``, ``InflateError/tooManyMembers``, or
    ///   ``InflateError/tooLong`` if all members together have more than `limit` bytes.
    package func inflate(
        _ bytes: UnsafeRawBufferPointer, _ format: CompressionFormat, limit: Int
    ) throws(InflateError) -> UnsafeRawBufferPointer {
        made = 0
        furtherMembers = 0
        try begin(format)
        stream.setInput(bytes)
        room.grow(to: min(limit + 1, max(1_024, bytes.count * 2)), keeping: 0)
        while true {
            if made == room.count {
                room.grow(to: min(limit + 1, room.count * 2), keeping: made)
            }
            // The room may be larger than this message may become, because of an earlier message.
            let end = min(room.count, limit + 1)
            stream.setOutput(room.start + made, end - made)
            let code = CZlib.inflate(stream.pointer, Z_NO_FLUSH)
            made = end - Int(stream.pointer.pointee.avail_out)
            guard made <= limit else { throw .tooLong }
            switch code {
            case Z_STREAM_END:
                guard stream.pointer.pointee.avail_in > 0 else {
                    return UnsafeRawBufferPointer(start: room.start, count: made)
                }
                try beginMember(format)
            case Z_OK where stream.pointer.pointee.avail_out == 0:
                continue
            default:
                // The input may also have ended before the format did.
                throw .malformed
            }
        }
    }

    /// Goes on after the end of a member: only another member may follow.
    private func beginMember(_ format: CompressionFormat) throws(InflateError) {
        guard format == .gzip else { throw .malformed }
        guard furtherMembers + 1 < CompressionLimits.gzipMembers else { throw .tooManyMembers }
        guard inflateReset(stream.pointer) == Z_OK else { throw .malformed }
        furtherMembers += 1
    }

    /// Gives back the memory of large results; the bytes that ``inflate(_:_:limit:)`` returned are
    /// then invalid.
    package func trim(to limit: Int) {
        room.shrink(to: limit)
    }

    /// The present size of the room for results.
    var roomBytes: Int { room.count }

    private func begin(_ format: CompressionFormat) throws(InflateError) {
        if isReady {
            guard inflateReset2(stream.pointer, format.windowBits) == Z_OK else {
                throw .malformed
            }
            return
        }
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream.pointer, format.windowBits, ZLIB_VERSION, size) == Z_OK else {
            throw .malformed
        }
        isReady = true
    }
}
