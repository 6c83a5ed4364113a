extension Message {
    /// Reads proto3's JSON: names in lowerCamelCase or as the contract has them, 64-bit integers
    /// as strings or numbers, bytes in base64, enums by name or number.
    ///
    /// Views in the message point into `arena`.
    ///
    /// - Throws: ``CodecError``: `invalidJSON` with the path of what is wrong, an unknown field
    ///   too; `tooDeep`; `outOfMemory`.
    public init(json: String, _ arena: Arena) throws(CodecError) {
        var reader = JSONReader(arena)
        self = reader.message(Self.self, try JSONValue(parsing: json))
        if let fault = reader.fault { throw fault }
    }

    /// The message as proto3's JSON, on one line.
    ///
    /// Zero and empty fields without presence are written only if `includesDefaults`.
    ///
    /// - Throws: ``CodecError``: `invalidJSON` for a well-known message that has no JSON, such as a
    ///   duration beyond its bounds; `tooDeep`; or what is wrong with a field kept as bytes.
    public func json(
        _ arena: Arena, includesDefaults: Bool = false
    ) throws(CodecError) -> String {
        var writer = JSONWriter(arena, includesDefaults: includesDefaults)
        writer.write(self)
        if let fault = writer.fault { throw fault }
        return writer.text
    }
}

/// A well-known message that is a string in JSON.
protocol JSONStringMessage: Message {
    /// Nil where the string has not the message's form.
    init?(jsonString: String)
    /// Nil where the message has a value that no string stands for.
    var jsonString: String? { get }
}
