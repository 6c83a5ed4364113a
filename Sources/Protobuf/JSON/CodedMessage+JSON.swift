package import Memory

extension CodedMessage {
    /// Reads proto3's JSON.
    ///
    /// Names are in lowerCamelCase or as in the contract, 64-bit integers are strings or numbers,
    /// bytes are in base64, and enums are names or numbers.
    ///
    /// Views in the message point into `arena`.
    ///
    /// - Throws: ``CodecError``: `invalidJSON` with the path of the error, also for an unknown
    ///   field; `tooDeep`; `outOfMemory`.
    package init(json: String, _ arena: Arena) throws(CodecError) {
        let form = Self.schema.kept { JSONForm($0) }
        let output = OutputBuffer()
        var text = json
        let failure = text.withUTF8 { bytes -> CodecError? in
            do throws(CodecError) {
                try form.read(UnsafeRawBufferPointer(bytes), into: output)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
        self = try Coder(Self.self).read(output.bytes, arena)
    }

    /// The message as proto3's JSON, on one line.
    ///
    /// Zero and empty fields without presence are written only if `includesDefaults`.
    ///
    /// - Throws: ``CodecError``: `invalidJSON` for a well-known message that has no JSON, such as a
    ///   duration beyond its bounds; `tooDeep`; or the error of a field that is kept as bytes.
    package func json(
        _ arena: Arena, includesDefaults: Bool = false
    ) throws(CodecError) -> String {
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        let bytes = OutputBuffer()
        try Coder(Self.self).write(self, arena, bytes)
        let form = Self.schema.kept { JSONForm($0) }
        let text = OutputBuffer()
        try form.write(bytes.bytes, into: text, includesDefaults: includesDefaults)
        return String(decoding: text.bytes, as: UTF8.self)
    }
}
