import Memory

// A message with views is the package's own, which reads it by `Coder`: the memory that views need
// ends here.
extension Message {
    /// Reads proto3's JSON, such as `{"userId": "bob", "remark": "met at sea"}`.
    ///
    /// Names are in lowerCamelCase or as in the contract, 64-bit integers are strings or numbers,
    /// bytes are in base64, and enums are names or numbers.
    ///
    /// - Throws: ``MessageError`` with the path of the error, also for an unknown field.
    public init(json: String) throws(MessageError) {
        let type = try Self.codedType()
        self = try Self.own(try type.read(json: json))
    }

    /// The message as proto3's JSON, on one line.
    ///
    /// Fields that are not set are left out. Secrets are written, unlike in ``description``.
    ///
    /// - Throws: ``MessageError`` if a field has a value for which there is no JSON.
    public func json() throws(MessageError) -> String {
        try coded().text()
    }

    /// Reads the encoding of a message; fields that this version does not know are passed over.
    ///
    /// - Throws: ``MessageError`` if the bytes are not such a message.
    public init(serializedBytes: [UInt8]) throws(MessageError) {
        let type = try Self.codedType()
        self = try Self.own(try type.read(serializedBytes))
    }

    /// The encoding of the message, for example to keep it in a file.
    ///
    /// - Throws: ``MessageError`` if the message is longer, or nests deeper, than any may.
    public func serializedBytes() throws(MessageError) -> [UInt8] {
        try coded().bytes()
    }

    private func coded() throws(MessageError) -> any CodedMessage {
        guard let coded = self as? any CodedMessage else { throw Self.hasNoCodec }
        return coded
    }

    private static func codedType() throws(MessageError) -> any CodedMessage.Type {
        guard let type = Self.self as? any CodedMessage.Type else { throw hasNoCodec }
        return type
    }

    private static func own(_ message: any CodedMessage) throws(MessageError) -> Self {
        guard let own = message as? Self else { throw hasNoCodec }
        return own
    }

    private static var hasNoCodec: MessageError {
        MessageError(description: "\(Self.self) is not a message of the contract")
    }
}

extension CodedMessage {
    fileprivate static func read(json: String) throws(MessageError) -> Self {
        try withArena { (arena) throws(CodecError) in try Self(json: json, arena) }
    }

    fileprivate static func read(_ bytes: [UInt8]) throws(MessageError) -> Self {
        try withArena { (arena) throws(CodecError) in
            try Coder(Self.self).message(bytes, arena)
        }
    }

    fileprivate func text() throws(MessageError) -> String {
        try withArena { (arena) throws(CodecError) in try json(arena) }
    }

    fileprivate func bytes() throws(MessageError) -> [UInt8] {
        try withArena { (arena) throws(CodecError) in try Coder(Self.self).bytes(self, arena) }
    }
}

private func withArena<R>(_ body: (Arena) throws(CodecError) -> R) throws(MessageError) -> R {
    do throws(CodecError) {
        return try Arena.temporary { (arena) throws(CodecError) in try body(arena) }
    } catch {
        throw MessageError(description: error.message)
    }
}
