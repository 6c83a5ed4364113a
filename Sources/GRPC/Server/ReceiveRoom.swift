import GRPCWire
package import NIOCore

/// The buffer into which the connections of a loop read, one after another.
///
/// A buffer for each connection would take 16 KiB of each client that says nothing.
///
/// `@unchecked Sendable`: its loop alone touches it.
package final class ReceiveRoom: @unchecked Sendable {
    @exclusivity(unchecked) private var buffer: ByteBuffer?

    /// Takes the buffer out, so that its reader is its only holder; a new one if it is not there.
    fileprivate func acquire(_ allocator: ByteBufferAllocator) -> ByteBuffer {
        guard var buffer else { return allocator.buffer(capacity: CallLimits.bytesPerSlice) }
        self.buffer = nil
        buffer.clear()
        return buffer
    }

    /// Takes a buffer back whose bytes are all used.
    ///
    /// One of another size is let go: the first of a connection, and those that have grown.
    func release(_ buffer: ByteBuffer) {
        if buffer.capacity == CallLimits.bytesPerSlice { self.buffer = buffer }
    }
}

/// Has a connection read into the room of its loop.
///
/// SwiftNIO keeps the first buffer of a connection for as long as the connection lives, so that one
/// is small. It asks for a new buffer whenever the last read is said to need a larger one.
package struct ReceiveAllocator: RecvByteBufferAllocator {
    private let room: ReceiveRoom
    private var hasRead = false

    package init(_ room: ReceiveRoom) {
        self.room = room
    }

    package func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        hasRead
            ? room.acquire(allocator) : allocator.buffer(capacity: CallLimits.firstReadBytes)
    }

    /// Nil keeps SwiftNIO from holding more buffers than the first.
    package func nextBufferSize() -> Int? { nil }

    package mutating func record(actualReadBytes: Int) -> Bool {
        hasRead = true
        return true
    }
}
