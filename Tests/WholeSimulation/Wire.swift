import Memory
import Protobuf

/// Makes bytes of messages, and messages of bytes, in memory that it keeps.
final class Wire {
    private let arena = Arena()

    deinit { arena.free() }

    func bytes<Message: CodedMessage>(_ message: Message, _ coder: Coder<Message>) -> [UInt8] {
        defer { arena.reset() }
        guard let bytes = try? coder.bytes(message, arena) else {
            preconditionFailure("a request cannot be encoded")
        }
        return bytes
    }

    func message<Message: CodedMessage>(_ bytes: [UInt8], _ coder: Coder<Message>) -> Message? {
        defer { arena.reset() }
        return try? coder.message(bytes, arena)
    }
}
