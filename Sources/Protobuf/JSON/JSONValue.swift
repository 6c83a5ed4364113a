/// A JSON text as a tree, from which a message takes its fields.
///
/// The parser is our own. To load Foundation costs a process more than all other code of this room,
/// and numbers must stay text until their field is known.
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
        var parser = JSONParser(text)
        self = try parser.document()
    }
}

/// A strict parser of RFC 8259: no comments, no trailing commas, no lone surrogates, no key twice.
struct JSONParser {
    private let bytes: [UInt8]
    private var next = 0
    private var depth = 0

    init(_ text: String) {
        bytes = [UInt8](text.utf8)
    }

    mutating func document() throws(CodecError) -> JSONValue {
        let value = try value()
        skipSpace()
        guard next == bytes.count else { throw fault("text after the value") }
        return value
    }

    private func fault(_ what: String) -> CodecError {
        CodecError(.invalidJSON, "JSON, byte \(next): \(what)")
    }

    private var byte: UInt8? { next < bytes.count ? bytes[next] : nil }

    private mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { next += 1 }
    }

    private mutating func take(_ expected: UInt8) -> Bool {
        guard byte == expected else { return false }
        next += 1
        return true
    }

    private mutating func value() throws(CodecError) -> JSONValue {
        skipSpace()
        switch byte {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"): return try number()
        case let digit? where digit >= 0x30 && digit <= 0x39: return try number()
        case nil: throw fault("the text ends where a value should be")
        default: throw fault("no value begins like this")
        }
    }

    private mutating func word(
        _ word: StaticString, _ value: JSONValue
    ) throws(CodecError) -> JSONValue {
        let end = next + word.utf8CodeUnitCount
        guard end <= bytes.count, bytes[next..<end].elementsEqual(word.description.utf8) else {
            throw fault("no value begins like this")
        }
        next = end
        return value
    }

    private mutating func enter() throws(CodecError) {
        depth += 1
        guard depth <= CodecLimits.jsonDepth else {
            throw CodecError(.tooDeep, "JSON nests deeper than \(CodecLimits.jsonDepth)")
        }
    }

    private mutating func object() throws(CodecError) -> JSONValue {
        try enter()
        defer { depth -= 1 }
        next += 1
        var members: [(key: String, value: JSONValue)] = []
        var keys: Set<String> = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipSpace()
            guard byte == UInt8(ascii: "\"") else { throw fault("a key should be here") }
            let key = try string()
            guard keys.insert(key).inserted else { throw fault("the key \"\(key)\" comes twice") }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw fault("a colon should be here") }
            members.append((key, try value()))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw fault("the object should go on or end here") }
        return .object(members)
    }

    private mutating func array() throws(CodecError) -> JSONValue {
        try enter()
        defer { depth -= 1 }
        next += 1
        var elements: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array(elements) }
        repeat {
            elements.append(try value())
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw fault("the list should go on or end here") }
        return .array(elements)
    }

    private mutating func digits() throws(CodecError) {
        let start = next
        while let byte, byte >= 0x30, byte <= 0x39 { next += 1 }
        guard next > start else { throw fault("a digit should be here") }
    }

    private mutating func number() throws(CodecError) -> JSONValue {
        let start = next
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        return .number(String(decoding: bytes[start..<next], as: UTF8.self))
    }

    private mutating func string() throws(CodecError) -> String {
        next += 1
        var characters: [UInt8] = []
        while let byte {
            switch byte {
            case UInt8(ascii: "\""):
                next += 1
                return String(decoding: characters, as: UTF8.self)
            case UInt8(ascii: "\\"):
                next += 1
                try escape(&characters)
            case 0x00..<0x20: throw fault("a control character must be escaped")
            default:
                characters.append(byte)
                next += 1
            }
        }
        throw fault("the string does not end")
    }

    private mutating func escape(_ characters: inout [UInt8]) throws(CodecError) {
        guard let byte else { throw fault("the string does not end") }
        next += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): characters.append(byte)
        case UInt8(ascii: "b"): characters.append(0x08)
        case UInt8(ascii: "f"): characters.append(0x0C)
        case UInt8(ascii: "n"): characters.append(0x0A)
        case UInt8(ascii: "r"): characters.append(0x0D)
        case UInt8(ascii: "t"): characters.append(0x09)
        case UInt8(ascii: "u"):
            var code = try hexadecimal()
            if code & 0xFC00 == 0xD800 {
                guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
                    throw fault("half a surrogate pair")
                }
                let low = try hexadecimal()
                guard low & 0xFC00 == 0xDC00 else { throw fault("half a surrogate pair") }
                code = 0x10000 + ((code & 0x3FF) << 10) + (low & 0x3FF)
            }
            guard let scalar = Unicode.Scalar(code) else { throw fault("half a surrogate pair") }
            characters += Array(String(Character(scalar)).utf8)
        default: throw fault("no such escape")
        }
    }

    private mutating func hexadecimal() throws(CodecError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw fault("four hexadecimal digits should be here")
            }
            code = code << 4 | UInt32(digit)
            next += 1
        }
        return code
    }
}
