/// A JSON text as a tree, for texts that are not a message: claims, profiles, tables for people.
///
/// The reader is our own, because to load Foundation costs a process more than all other code of
/// this room. Numbers stay text until their meaning is known.
package indirect enum JSONValue {
    case null
    case bool(Bool)
    /// The number as it was written.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([(key: String, value: JSONValue)])

    /// - Throws: ``CodecError/Code/invalidJSON`` with the offset in bytes, or `tooDeep`.
    package init(parsing text: String) throws(CodecError) {
        var copy = text
        let result = copy.withUTF8 { bytes -> Result<JSONValue, CodecError> in
            var tree = JSONTree(UnsafeRawBufferPointer(bytes))
            return tree.document()
        }
        self = try result.get()
    }
}

/// Builds the tree of a text.
private struct JSONTree {
    private var scan: JSONScanner

    init(_ text: UnsafeRawBufferPointer) {
        scan = JSONScanner(text)
    }

    mutating func document() -> Result<JSONValue, CodecError> {
        scan.skipSpace()
        if let value = value(), scan.finish() { return .success(value) }
        return .failure(scan.failure ?? CodecError(.invalidJSON, "the text is not JSON"))
    }

    /// The value that is here; nil if there is an error.
    private mutating func value() -> JSONValue? {
        switch scan.byte {
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return array()
        case UInt8(ascii: "\""): return scan.string().map { .string($0.text) }
        case UInt8(ascii: "-"), 0x30...0x39: return scan.number().map { .number($0.text) }
        case UInt8(ascii: "t"): return scan.word("true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return scan.word("false") ? .bool(false) : nil
        default: return scan.word("null") ? .null : nil
        }
    }

    private mutating func object() -> JSONValue? {
        guard scan.enter() else { return nil }
        var members: [(key: String, value: JSONValue)] = []
        var keys: Set<String> = []
        scan.skipSpace()
        if scan.byte != UInt8(ascii: "}") {
            repeat {
                scan.skipSpace()
                guard let key = scan.key()?.text else { return nil }
                guard keys.insert(key).inserted else {
                    _ = scan.fail("the key \"\(key)\" comes twice")
                    return nil
                }
                guard scan.colon(), let value = value() else { return nil }
                members.append((key, value))
                scan.skipSpace()
            } while scan.consume(UInt8(ascii: ","))
        }
        guard scan.byte == UInt8(ascii: "}") else {
            _ = scan.failInObject()
            return nil
        }
        scan.exit()
        return .object(members)
    }

    private mutating func array() -> JSONValue? {
        guard scan.enter() else { return nil }
        var elements: [JSONValue] = []
        scan.skipSpace()
        if scan.byte != UInt8(ascii: "]") {
            repeat {
                scan.skipSpace()
                guard let value = value() else { return nil }
                elements.append(value)
                scan.skipSpace()
            } while scan.consume(UInt8(ascii: ","))
        }
        guard scan.byte == UInt8(ascii: "]") else {
            _ = scan.failInList()
            return nil
        }
        scan.exit()
        return .array(elements)
    }
}
