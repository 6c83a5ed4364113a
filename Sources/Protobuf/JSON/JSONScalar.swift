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
            guard case .string(let value) = value else { return nil }
            return Base64.decode(value, .json).map { .bytes($0) }
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

extension Base64.Spelling {
    /// Both alphabets of RFC 4648, with or without padding.
    static let json = Base64.Spelling(
        lastDigits: "+/-_", needsPadding: false, allowsLooseBits: false)
}
