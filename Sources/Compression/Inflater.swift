import CZlib

/// Expands compressed bytes, within a bound that holds while they are expanded.
///
/// Made once and used for many messages. - Important: Belongs to one thread.
package final class Inflater {
    private let stream = ZlibStream()
    private var room = Room()
    private var isReady = false

    /// How many bytes the last call made, also if it failed in the end.
    private var made = 0
    /// Members of the last stream that were begun after its first.
    private var furtherMembers = 0

    /// What the last call took, in bytes that were made; what it takes to begin a member is counted
    /// too, and a call that failed in the end as well.
    package var work: Int { made + furtherMembers * CompressionLimits.memberBytes }

    package init() {}

    deinit {
        // The stream was made by `inflateInit2_`, and its state says so.
        if isReady { inflateEnd(stream.pointer) }
    }

    /// What `bytes` expand to; valid until the next call.
    ///
    /// No more memory than twice the result, and never more than `limit` bytes and one, is taken
    /// for it, whatever the bytes claim.
    ///
    /// - Throws: ``InflateError/malformed``, ``InflateError/tooManyMembers``, or
    ///   ``InflateError/tooLong`` beyond `limit` bytes of all members together.
    package func inflate(
        _ bytes: UnsafeRawBufferPointer, _ format: CompressionFormat, limit: Int
    ) throws(InflateError) -> UnsafeRawBufferPointer {
        made = 0
        furtherMembers = 0
        try begin(format)
        stream.take(bytes)
        room.grow(to: min(limit + 1, max(1_024, bytes.count * 2)), keeping: 0)
        while true {
            if made == room.count {
                room.grow(to: min(limit + 1, room.count * 2), keeping: made)
            }
            // The room may be larger than this message may become: an earlier one made it so.
            let end = min(room.count, limit + 1)
            stream.give(room.start + made, end - made)
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
                // Also where the input came to its end before the format did.
                throw .malformed
            }
        }
    }

    /// Goes on behind the end of a member: with another one, and with nothing else.
    private func beginMember(_ format: CompressionFormat) throws(InflateError) {
        guard format == .gzip else { throw .malformed }
        guard furtherMembers + 1 < CompressionLimits.gzipMembers else { throw .tooManyMembers }
        guard inflateReset(stream.pointer) == Z_OK else { throw .malformed }
        furtherMembers += 1
    }

    /// Gives back the memory of large results; what ``inflate(_:_:limit:)`` returned is void.
    package func trim(to limit: Int) {
        room.shrink(to: limit)
    }

    /// What the room for results holds now.
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
