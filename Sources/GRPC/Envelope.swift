/// The five bytes before each message: a flag and the message's length.
enum Envelope {
    static let prefixBytes = 5

    /// What stands at the front of the received bytes.
    enum Front {
        /// The prefix, or the message, is not complete.
        case partial
        /// A message of this length follows the prefix.
        case message(Int)
        /// The bytes are no envelope that may be accepted.
        case refused(Status.Code, String)
    }

    /// Looks at the front of `bytes`; the limit is applied as soon as the prefix is there.
    static func front(of bytes: UnsafeRawBufferPointer, limit: Int) -> Front {
        guard bytes.count >= prefixBytes else { return .partial }
        let flag = bytes[0]
        guard flag == 0 else {
            return .refused(
                .internalError,
                flag == 1
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

    /// Writes the prefix of an uncompressed message of `length` bytes.
    static func write(length: Int, to room: UnsafeMutableRawPointer) {
        room.storeBytes(of: 0, as: UInt8.self)
        let length = UInt32(length).bigEndian
        withUnsafeBytes(of: length) {
            room.advanced(by: 1).copyMemory(from: $0.baseAddress!, byteCount: 4)
        }
    }
}
