/// The JSON of one type of message, by proto3's mapping: from bytes to bytes.
///
/// It is made once for a type, and costs a few instructions for each byte then.
package final class JSONForm: Sendable {
    private let schema: Schema
    private let anys: [Schema]

    /// - Parameter anys: The messages that a `google.protobuf.Any` may hold.
    package init(_ schema: Schema, anys: [Schema] = []) {
        self.schema = schema
        self.anys = anys
    }

    /// Appends the encoding of the message that `json` is.
    ///
    /// - Throws: ``CodecError``: `invalidJSON` with the path of the fault, `invalidUTF8`, or
    ///   `tooDeep`; the buffer is then as before.
    package func read(
        _ json: UnsafeRawBufferPointer, into output: OutputBuffer
    ) throws(CodecError) {
        throw CodecError(.invalidJSON, "\(schema.fullName): no JSON is read yet")
    }

    /// Appends the JSON of an encoded message, on one line.
    ///
    /// Zero and empty fields without presence are written only if `includesDefaults`.
    ///
    /// - Throws: ``CodecError``: `malformed`, `invalidUTF8` or `tooDeep`; `invalidJSON` for a value
    ///   that has no JSON, such as a duration beyond its bounds; the buffer is then as before.
    package func write(
        _ message: UnsafeRawBufferPointer, into output: OutputBuffer,
        includesDefaults: Bool = false
    ) throws(CodecError) {
        throw CodecError(.invalidJSON, "\(schema.fullName): no JSON is written yet")
    }
}
