extension CodedMessage {
    /// Reads proto3's JSON.
    ///
    /// Names are in lowerCamelCase or as in the contract, 64-bit integers are strings or numbers,
    /// bytes are in base64, and enums are names or numbers.
    ///
    /// Views in the message point into `arena`.
    ///
    /// - Throws: ``CodecError``: `invalidJSON` with the path of the fault, also for an unknown
    ///   field; `tooDeep`; `outOfMemory`.
    package init(json: String, _ arena: Arena) throws(CodecError) {
        var reader = JSONReader(arena)
        self = reader.message(Self.self, try JSONValue(parsing: json))
        if let fault = reader.fault { throw fault }
    }

    /// The message as proto3's JSON, on one line.
    ///
    /// Zero and empty fields without presence are written only if `includesDefaults`.
    ///
    /// - Throws: ``CodecError``: `invalidJSON` for a well-known message that has no JSON, such as a
    ///   duration beyond its bounds; `tooDeep`; or the fault of a field that is kept as bytes.
    package func json(
        _ arena: Arena, includesDefaults: Bool = false
    ) throws(CodecError) -> String {
        var writer = JSONWriter(arena, includesDefaults: includesDefaults)
        writer.write(self)
        if let fault = writer.fault { throw fault }
        return writer.text
    }
}

/// A well-known message that is a string in JSON.
protocol JSONStringMessage: CodedMessage {
    /// Returns nil if the string does not have the message's form.
    init?(jsonString: String)
    /// Nil if the message has a value that no string stands for.
    var jsonString: String? { get }
}
