/// The forms of scalars in JSON.
enum JSONScalar {
    /// Returns nil if `value` is not a JSON form of the type.
    static func parse(
        _ value: JSONValue, as type: FieldType, _ kind: ScalarKind
    ) -> ScalarValue? {
        switch kind {
        case .bool:
            if case .bool(let value) = value { return .bool(value) }
            return nil
        case .int32, .sint32, .sfixed32: return integer(value).map { .int32($0) }
        case .int64, .sint64, .sfixed64: return integer(value).map { .int64($0) }
        case .uint32, .fixed32: return integer(value).map { .uint32($0) }
        case .uint64, .fixed64: return integer(value).map { .uint64($0) }
        case .float: return real(value).map { .float($0) }
        case .double: return real(value).map { .double($0) }
        case .string:
            if case .string(let value) = value { return .string(value) }
            return nil
        case .bytes:
            if case .string(let value) = value { return Base64.decode(value).map { .bytes($0) } }
            return nil
        case .enumeration:
            if case .number = value { return integer(value).map { .enumeration($0) } }
            if case .string(let name) = value, case .enumeration(let names) = type {
                return names.number(named: name).map { .enumeration($0) }
            }
            return nil
        }
    }

    /// The key of a map, which is always a string in JSON; nil if it is not a key of that kind.
    ///
    /// A number has only one text, so that no key comes twice.
    static func parse(key: String, _ kind: ScalarKind) -> ScalarValue? {
        guard kind != .bool else {
            return key == "true" ? .bool(true) : key == "false" ? .bool(false) : nil
        }
        let value = parse(.string(key), as: .scalar(kind), kind)
        return value.flatMap { text(ofKey: $0) == key ? $0 : nil }
    }

    /// The text of a map's key.
    static func text(ofKey key: ScalarValue) -> String {
        switch key {
        case .bool(let value): value ? "true" : "false"
        case .int32(let value), .enumeration(let value): "\(value)"
        case .int64(let value): "\(value)"
        case .uint32(let value): "\(value)"
        case .uint64(let value): "\(value)"
        case .string(let value): value
        case .float, .double, .bytes: preconditionFailure("no map has such keys")
        }
    }

    static func expectation(of type: FieldType) -> String {
        switch type {
        case .scalar(.bytes): "a string in base64 was expected"
        case .enumeration(let names): "a name or a number of \(names.fullName) was expected"
        default: "a value of type \(type) was expected"
        }
    }

    /// A number, or a string that holds a number; "1e3" and "1.0" are integers too.
    private static func integer<T: FixedWidthInteger>(_ value: JSONValue) -> T? {
        guard let text = numeral(value) else { return nil }
        if let integer = T(text) { return integer }
        guard text.contains(where: { ".eE".contains($0) }), let double = Double(text) else {
            return nil
        }
        return T(exactly: double)
    }

    private static func real<R: BinaryFloatingPoint & LosslessStringConvertible>(
        _ value: JSONValue
    ) -> R? {
        if case .string(let word) = value {
            switch word {
            case "NaN": return .nan
            case "Infinity": return .infinity
            case "-Infinity": return -.infinity
            default: break
            }
        }
        guard let text = numeral(value), let real = R(text), real.isFinite else {
            return nil
        }
        return real
    }

    private static func numeral(_ value: JSONValue) -> String? {
        switch value {
        case .number(let text): return text
        case .string(let text):
            // Only JSON's own numbers, without blanks around them: Swift's initialisers know more
            // forms, and the parser skips blanks.
            guard case .number(text)? = try? JSONValue(parsing: text) else { return nil }
            return text
        default: return nil
        }
    }
}

/// The names of fields in JSON.
enum JSONName {
    /// "user_id" is "userId".
    static func lowerCamel(_ name: String) -> String {
        var camel = ""
        var isUpper = false
        for character in name {
            if character == "_" {
                isUpper = true
            } else {
                camel += isUpper ? character.uppercased() : String(character)
                isUpper = false
            }
        }
        return camel
    }

    /// "userId" is "user_id".
    static func snake(_ name: String) -> String {
        var snake = ""
        for character in name {
            if character.isASCII, character.isUppercase {
                snake += "_" + character.lowercased()
            } else {
                snake.append(character)
            }
        }
        return snake
    }
}

/// RFC 4648: written with the standard alphabet and padding, and read with either alphabet, padded
/// or not.
///
/// Bits that no byte needs must be 0, so that a text that was cut off is noticed.
enum Base64 {
    private static let alphabet = [UInt8](
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for byte in group { bits = bits << 8 | UInt32(byte) }
            bits <<= UInt32(8 * (3 - group.count))
            for index in 0..<4 {
                text.append(
                    index <= group.count
                        ? alphabet[Int(bits >> UInt32(18 - 6 * index) & 63)] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        var padding = 0
        for character in text.utf8 {
            if character == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let digit = digit(character) else { return nil }
            bits = bits << 6 | digit
            count += 1
            if count % 4 == 0 {
                bytes += [
                    UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8),
                    UInt8(truncatingIfNeeded: bits),
                ]
                bits = 0
            }
        }
        guard padding == 0 || (padding <= 2 && (count + padding) % 4 == 0) else { return nil }
        switch count % 4 {
        case 0: return bytes
        case 2 where bits & 0xF == 0: return bytes + [UInt8(truncatingIfNeeded: bits >> 4)]
        case 3 where bits & 0x3 == 0:
            return bytes + [
                UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2),
            ]
        default: return nil
        }
    }

    private static func digit(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 97 + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) - 48 + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
