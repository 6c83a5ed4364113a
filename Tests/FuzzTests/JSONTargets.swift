import Memory
import Protobuf

/// The JSON of a server's calls, from bytes to bytes: the first byte chooses the type, the rest is
/// the text or the message.
enum JSONTargets {
    /// A text that is read is written in a form that is read as the same bytes, and those are a
    /// message of the type.
    static let read = FuzzTarget(name: "json-read", form: .text, maxBytes: 2_048) { input in
        guard let choice = input.first else { return }
        let kind = MessageTargets.kinds[Int(choice) % MessageTargets.kinds.count]
        guard let bytes = try output({ try kind.form.read($0, into: $1) }, Array(input.dropFirst()))
        else { return }
        try Arena.temporary { arena in try kind.decode(bytes, arena) }
        for includesDefaults in [false, true] {
            let text = try output(
                { try kind.form.write($0, into: $1, includesDefaults: includesDefaults) }, bytes)
            guard let text else {
                if hasPathWithoutJSON(kind, bytes) { return }
                throw Broken(description: "what was read is not written")
            }
            let again = try output({ try kind.form.read($0, into: $1) }, text)
            try require(
                again == bytes, "\(String(decoding: text, as: UTF8.self)) is another message")
        }
    }

    /// A message that is written is read, and then written in the same way.
    static let write = FuzzTarget(name: "json-write", form: .bytes, maxBytes: 2_048) { input in
        guard let choice = input.first else { return }
        let kind = MessageTargets.kinds[Int(choice) % MessageTargets.kinds.count]
        let message = Array(input.dropFirst())
        guard let text = try output({ try kind.form.write($0, into: $1) }, message) else { return }
        guard let bytes = try output({ try kind.form.read($0, into: $1) }, text) else {
            throw Broken(description: "\(String(decoding: text, as: UTF8.self)) is not read")
        }
        let again = try output({ try kind.form.write($0, into: $1) }, bytes)
        try require(
            again == text, "\(String(decoding: text, as: UTF8.self)) is written in two ways")
    }

    /// Whether writing a message is refused for a path of a mask.
    ///
    /// `user.ID` is read as it stands, so that the call can name it in its refusal. proto3 has no
    /// JSON for such a path.
    private static func hasPathWithoutJSON(_ kind: MessageTargets.Kind, _ bytes: [UInt8]) -> Bool {
        do {
            let output = OutputBuffer(capacity: 16)
            try bytes.withUnsafeBytes { try kind.form.write($0, into: output) }
            return false
        } catch {
            return (error as? CodecError)?.message.contains(": the path ") ?? false
        }
    }

    /// The bytes that `write` appends; nil if it refuses its input, and appends nothing.
    private static func output(
        _ write: (UnsafeRawBufferPointer, OutputBuffer) throws -> Void, _ input: [UInt8]
    ) throws -> [UInt8]? {
        let output = OutputBuffer(capacity: 16)
        output.append([7])
        do {
            try input.withUnsafeBytes { try write($0, output) }
        } catch {
            try require([UInt8](output.bytes) == [7], "a refusal has written something")
            return nil
        }
        return Array(output.bytes.dropFirst())
    }
}
