import CZlib

/// How compressed bytes are wrapped.
package enum CompressionFormat: Int, Sendable, CaseIterable {
    /// The zlib format (RFC 1950), which HTTP and gRPC call "deflate".
    case zlib
    /// The gzip format (RFC 1952): one member or several, which are expanded one after another.
    case gzip

    /// The number that gives zlib the format and the largest window.
    var windowBits: Int32 {
        switch self {
        case .zlib: 15
        case .gzip: 15 + 16
        }
    }
}

/// Why compressed bytes could not be expanded.
package enum InflateError: Error, Equatable, Sendable {
    /// The bytes are not of the format, break off, or go on after their end.
    case malformed
    /// The expanded bytes would be longer than was allowed.
    case tooLong
    /// A gzip stream has more members than ``CompressionLimits/gzipMembers``.
    case tooManyMembers
}

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

/// Room that grows, for bytes that are made in several steps.
struct Room: ~Copyable {
    private(set) var start = UnsafeMutableRawPointer.allocate(byteCount: 1_024, alignment: 16)
    private(set) var count = 1_024

    deinit {
        start.deallocate()
    }

    /// Makes the room at least as large as `wanted`, keeping its first `used` bytes.
    mutating func grow(to wanted: Int, keeping used: Int) {
        guard wanted > count else { return }
        let larger = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 16)
        larger.copyMemory(from: start, byteCount: used)
        start.deallocate()
        (start, count) = (larger, wanted)
    }

    /// Gives back the room beyond `limit`; the bytes in the room are then lost.
    mutating func shrink(to limit: Int) {
        guard count > limit else { return }
        start.deallocate()
        (start, count) = (.allocate(byteCount: 1_024, alignment: 16), 1_024)
    }
}
