/// The memory that the sessions of one event loop share: the streams that they have used and may
/// use again, and room for lists of fields.
///
/// - Important: It belongs to one event loop, and must outlive the sessions that use it.
package final class StreamPool {
    @exclusivity(unchecked) private var free: [StreamPointer] = []

    /// The memory of nghttp2 for all sessions of the loop.
    let blocks = FreeLists()

    /// The room in which the sessions of the loop put their lists of fields together.
    let fields = FieldRoom()

    /// The frame that a session of the loop has made last; see ``Session/nextOutput()``.
    @exclusivity(unchecked) var frame = ByteQueue()

    /// Memory that the sessions of the loop hold for their peers.
    package var heldBytes: Int { held }
    @exclusivity(unchecked) var held = 0

    package init() {}

    deinit {
        for stream in free { Self.destroy(stream) }
        frame.free()
    }

    func acquire() -> StreamPointer {
        if let stream = free.popLast() { return stream }
        let stream = StreamPointer.allocate(capacity: 1)
        stream.initialize(to: Stream())
        return stream
    }

    func release(_ stream: StreamPointer) {
        stream.pointee.recycle()
        if free.count < SessionLimits.pooledStreams {
            free.append(stream)
        } else {
            Self.destroy(stream)
        }
    }

    private static func destroy(_ stream: StreamPointer) {
        stream.pointee.free()
        stream.deinitialize(count: 1)
        stream.deallocate()
    }
}
