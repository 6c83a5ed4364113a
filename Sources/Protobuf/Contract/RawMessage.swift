import Memory

/// A message as its bytes, for programs that hand messages on and do not read them.
///
/// ``ContractMethod/raw`` is a call with such messages. Bytes that are not a message are sent too,
/// and the server refuses them.
public struct RawMessage: Message, Hashable {
    /// The encoding of the message.
    public var bytes: [UInt8] = []

    public init() {}

    /// Creates a message of its encoding.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
    }

    /// How many bytes it has.
    public var description: String { "RawMessage(\(bytes.count) bytes)" }
}

extension ContractMethod {
    /// The call with both messages as their bytes.
    public var raw: Method<RawMessage, RawMessage> { Method(method, .raw, .raw) }
}

extension Coder<RawMessage> {
    static var raw: Self {
        Coder(
            read: { (bytes, _) throws(CodecError) in RawMessage([UInt8](bytes)) },
            write: { (message, _, output) throws(CodecError) in output.append(message.bytes) })
    }
}
