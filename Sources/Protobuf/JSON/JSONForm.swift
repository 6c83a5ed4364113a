package import Memory

/// The JSON of one type of message, by proto3's mapping: from bytes to bytes.
///
/// It is made once for a type, with the names of all fields ready to be written and looked up. To
/// read or write then costs a few instructions for each byte.
///
/// `Sendable` is unchecked because of the pointers: the plans behind them belong to the form, and
/// are not changed after it is made.
package final class JSONForm: @unchecked Sendable {
    private let plan: UnsafePointer<JSONPlan>
    private let anys: JSONAnys
    private let blocks: [UnsafeMutableRawPointer]

    /// - Parameter anys: The messages that a `google.protobuf.Any` may hold.
    package init(_ schema: Schema, anys: [Schema] = []) {
        var planner = JSONPlanner()
        plan = planner.plan(schema)
        self.anys = planner.anys(anys)
        blocks = planner.blocks
    }

    deinit {
        for block in blocks { block.deallocate() }
    }

    /// Appends the encoding of the message that `json` is, as the encoder would write it.
    ///
    /// Names are in lowerCamelCase or as in the contract, 64-bit integers are strings or numbers,
    /// bytes are in base64, and enums are names or numbers.
    ///
    /// - Parameter ignoresUnknown: Whether members that are not fields are skipped. Otherwise they
    ///   are refused.
    /// - Throws: ``CodecError``: `invalidJSON` with the path of the error, also for an unknown
    ///   field; `invalidUTF8`; `tooDeep`. The buffer is then as before.
    package func read(
        _ json: UnsafeRawBufferPointer, into output: OutputBuffer, ignoresUnknown: Bool = false
    ) throws(CodecError) {
        let start = output.count
        var reader = JSONReader(json, JSONSink(output), anys, ignoresUnknown: ignoresUnknown)
        do throws(CodecError) {
            try reader.document(plan)
        } catch {
            output.truncate(to: start)
            throw error
        }
        reader.sink.flush()
    }

    /// Appends the JSON of an encoded message, on one line.
    ///
    /// Zero and empty fields without presence are written only if `includesDefaults`. Enums are
    /// names, or numbers if `enumsAreNumbers`; a number that has no name is always a number.
    ///
    /// - Throws: ``CodecError``: `malformed`, `invalidUTF8` or `tooDeep` for bytes that are not
    ///   such a message; `invalidJSON` for a value that has no JSON, such as a duration beyond its
    ///   bounds. The buffer is then as before.
    package func write(
        _ message: UnsafeRawBufferPointer, into output: OutputBuffer,
        includesDefaults: Bool = false, enumsAreNumbers: Bool = false
    ) throws(CodecError) {
        let start = output.count
        for sorts in [false, true] {
            var writer = JSONWriter(
                JSONSink(output), anys, includesDefaults: includesDefaults,
                enumsAreNumbers: enumsAreNumbers, sorts: sorts)
            let isWritten = writer.message(
                JSONBytes(message), plan, levels: CodecLimits.messageDepth)
            if isWritten { return writer.sink.flush() }
            output.truncate(to: start)
            if !writer.isUnordered { throw writer.failure ?? CodecError(.malformed, "no message") }
        }
    }
}
