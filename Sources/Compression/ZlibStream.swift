import CZlib

/// The state that zlib keeps between calls.
///
/// It points back to itself, so it must not move.
final class ZlibStream {
    let pointer: UnsafeMutablePointer<z_stream>

    init() {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: z_stream())
    }

    deinit {
        pointer.deallocate()
    }

    /// Names the bytes to work on.
    func setInput(_ bytes: UnsafeRawBufferPointer) {
        // zlib declares the pointer mutable, but only reads through it.
        let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        pointer.pointee.next_in = start.map { UnsafeMutablePointer(mutating: $0) }
        pointer.pointee.avail_in = UInt32(clamping: bytes.count)
    }

    /// Names the room for the result.
    func setOutput(_ room: UnsafeMutableRawPointer, _ count: Int) {
        pointer.pointee.next_out = room.assumingMemoryBound(to: UInt8.self)
        pointer.pointee.avail_out = UInt32(clamping: count)
    }
}
