package import Memory

/// Writes single fields around parts of a message that are encoded already.
///
/// The encodings of two parts of a message, one after the other, are the encoding of both. So a
/// part that many messages share is encoded once and copied from then on.
package enum FieldWriter {
    /// The most bytes of a field's header: its tag, and its length.
    package static let headerBytes = 10

    /// Appends a field that is a text, bytes or a message, with its bytes.
    package static func append(
        _ number: UInt32, _ bytes: UnsafeRawBufferPointer, to output: OutputBuffer
    ) {
        let room = output.reserve(headerBytes + bytes.count)
        let header = writeHeader(number, length: bytes.count, to: room)
        if let start = bytes.baseAddress {
            (room + header).copyMemory(from: start, byteCount: bytes.count)
        }
        output.advance(header + bytes.count)
    }

    /// Appends a field that is a number, unless the number is 0.
    package static func append(_ number: UInt32, _ value: Int64, to output: OutputBuffer) {
        guard value != 0 else { return }
        let room = output.reserve(2 * headerBytes)
        let tag = write(UInt64(number) << 3, to: room)
        output.advance(tag + write(UInt64(bitPattern: value), to: room + tag))
    }

    /// Writes the header of a field that is a text, bytes or a message, after which its bytes go.
    ///
    /// - Parameter room: Room for ``headerBytes``.
    /// - Returns: The number of bytes that the header takes.
    package static func writeHeader(
        _ number: UInt32, length: Int, to room: UnsafeMutableRawPointer
    ) -> Int {
        // A payload with a length is of wire type 2.
        let tag = write(UInt64(number) << 3 | 2, to: room)
        return tag + write(UInt64(length), to: room + tag)
    }

    private static func write(_ value: UInt64, to room: UnsafeMutableRawPointer) -> Int {
        var rest = value
        var count = 0
        while rest >= 0x80 {
            room.storeBytes(
                of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
            rest >>= 7
            count += 1
        }
        room.storeBytes(of: UInt8(rest), toByteOffset: count, as: UInt8.self)
        return count + 1
    }
}
