package import Memory
public import RPC

/// The prefix of five bytes before each message: a flag and the message's length.
///
/// Its parts are inlinable: each message passes them, on its way in and on its way out.
@usableFromInline package enum Envelope {
    @inlinable package static var prefixBytes: Int { 5 }

    /// The first message of the received bytes, as far as its prefix says.
    @usableFromInline package enum Front {
        /// The prefix, or the message, is not complete.
        case partial
        /// A message of this length follows the prefix.
        case message(Int)
        /// The prefix is malformed, or the message is too long.
        case refused(Status.Code, String)
    }

    /// The flag of a message that is compressed in the call's encoding.
    @inlinable package static var compressed: UInt8 { 1 }

    /// The flag of the envelope that ends a stream of Connect.
    @inlinable package static var endOfStream: UInt8 { 2 }

    /// The flag of the envelope with the trailers of gRPC-Web.
    @inlinable package static var trailers: UInt8 { 0x80 }

    /// Looks at the front of `bytes`; the limit is applied as soon as the prefix is there.
    ///
    /// `limit` bounds the message as it is sent. A compressed message is measured again while it is
    /// expanded.
    @inlinable package static func front(
        of bytes: UnsafeRawBufferPointer, limit: Int, _ encoding: MessageEncoding
    ) -> Front {
        guard bytes.count >= prefixBytes else { return .partial }
        let flag = bytes[0]
        guard flag == 0 || flag == compressed && encoding != .identity else {
            return .refused(
                .internalError,
                flag == compressed
                    ? "a message is compressed, but the call names no encoding"
                    : "a message begins with the flag \(flag)")
        }
        let length = Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)))
        guard length <= limit else {
            return .refused(
                .resourceExhausted, "a message of \(length) bytes is longer than \(limit)")
        }
        return bytes.count >= prefixBytes + length ? .message(length) : .partial
    }

    /// Writes the prefix of a message of `length` bytes.
    @inlinable package static func write(
        length: Int, flag: UInt8 = 0, to room: UnsafeMutableRawPointer
    ) {
        room.storeBytes(of: flag, as: UInt8.self)
        let length = UInt32(length).bigEndian
        withUnsafeBytes(of: length) {
            room.advanced(by: 1).copyMemory(from: $0.baseAddress!, byteCount: 4)
        }
    }

    /// The message in a complete envelope.
    @inlinable package static func message(in envelope: UnsafeRawBufferPointer)
        -> UnsafeRawBufferPointer
    {
        UnsafeRawBufferPointer(rebasing: envelope[prefixBytes...])
    }

    /// Appends the bytes that `encode` appends, as one message in its envelope; appends nothing if
    /// `encode` fails.
    ///
    /// - Returns: The range of the envelope in `output`.
    package static func append<Failure>(
        to output: OutputBuffer, _ encode: (OutputBuffer) throws(Failure) -> Void
    ) throws(Failure) -> Range<Int> {
        let start = output.count
        _ = output.reserve(prefixBytes)
        output.advance(prefixBytes)
        do throws(Failure) {
            try encode(output)
        } catch {
            output.truncate(to: start)
            throw error
        }
        // The prefix was reserved above, so the buffer has a start.
        let prefix = output.mutableBytes.baseAddress! + start
        write(length: output.count - start - prefixBytes, to: prefix)
        return start..<output.count
    }
}
