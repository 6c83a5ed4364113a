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

    /// The flag of a message that is packed by the call's encoding.
    static let compressed: UInt8 = 1

    /// Looks at the front of `bytes`; the limit is applied as soon as the prefix is there.
    ///
    /// It is that of the message as it travels; what a compressed one expands to is measured when
    /// it does.
    static func front(
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
    static func write(length: Int, flag: UInt8 = 0, to room: UnsafeMutableRawPointer) {
        room.storeBytes(of: flag, as: UInt8.self)
        let length = UInt32(length).bigEndian
        withUnsafeBytes(of: length) {
            room.advanced(by: 1).copyMemory(from: $0.baseAddress!, byteCount: 4)
        }
    }
}
