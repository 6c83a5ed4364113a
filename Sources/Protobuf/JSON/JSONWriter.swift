/// The visitor that writes the JSON of a message, by proto3's mapping.
struct JSONWriter: FieldVisitor, OneOfVisitor {
    private(set) var text = ""
    private var needsComma = false
    private(set) var fault: CodecError?
    private let arena: Arena
    private let includesDefaults: Bool
    /// How many more messages may stand inside one another.
    private var levels = CodecLimits.messageDepth

    init(_ arena: Arena, includesDefaults: Bool) {
        self.arena = arena
        self.includesDefaults = includesDefaults
    }

    mutating func write<M: CodedMessage>(_ message: M) {
        // Some well-known messages are one string in JSON.
        if let short = message as? any JSONStringMessage {
            guard let string = short.jsonString else {
                return fail(
                    CodecError(.invalidJSON, "\(M.schema.fullName): the value has no JSON"))
            }
            return write(string: string)
        }
        guard levels >= 0 else { return fail(.isTooDeep) }
        levels -= 1
        var message = message
        text += "{"
        needsComma = false
        message.visit(&self)
        text += "}"
        needsComma = true
        levels += 1
    }

    /// Keeps the first fault; the text is then not used.
    private mutating func fail(_ error: CodecError) {
        fault = fault ?? error
    }

    private mutating func key(_ name: String) {
        if needsComma { text += "," }
        write(string: name)
        text += ":"
        needsComma = true
    }

    private mutating func key(_ name: StaticString) {
        key(JSONName.lowerCamel(name.description))
    }

    private mutating func write(string: String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..<"\u{20}", "\u{7F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    private mutating func write<T: Scalar>(_ value: T) {
        switch value.scalarValue {
        case .bool(let value): text += value ? "true" : "false"
        case .int32(let value): text += "\(value)"
        case .uint32(let value): text += "\(value)"
        // These are strings, because most readers use a double, which holds 53 bits.
        case .int64(let value): text += "\"\(value)\""
        case .uint64(let value): text += "\"\(value)\""
        // Floats are written in as few digits as make the same float again. For the largest floats
        // these digits are above the float, and a reader that compares doubles would refuse them.
        case .float(let value) where value.magnitude == .greatestFiniteMagnitude:
            write(real: Double(value))
        case .float(let value): write(real: value)
        case .double(let value): write(real: value)
        case .string(let value): write(string: value)
        case .bytes(let value):
            write(string: value.withUnsafeBytes { Base64.text($0, padded: true) })
        case .enumeration(let number):
            if case .enumeration(let names) = T.fieldType, let name = names.name(of: number) {
                write(string: name)
            } else {
                text += "\(number)"
            }
        }
    }

    private mutating func write<R: BinaryFloatingPoint & LosslessStringConvertible>(
        real value: R
    ) {
        if value.isNaN {
            text += "\"NaN\""
        } else if value.isInfinite {
            text += value < 0 ? "\"-Infinity\"" : "\"Infinity\""
        } else {
            text += "\(value)"
        }
    }

    private mutating func write<M: CodedMessage>(_ encoded: Encoded<M>) {
        do {
            write(try encoded.decoded(arena))
        } catch {
            fail(error)
        }
    }

    private mutating func list<E>(
        _ name: StaticString, _ elements: [E], _ write: (inout JSONWriter, E) -> Void
    ) {
        guard includesDefaults || !elements.isEmpty else { return }
        key(name)
        text += "["
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            write(&self, element)
        }
        text += "]"
        needsComma = true
    }

    private mutating func map<K: MapKey, V>(
        _ name: StaticString, _ map: [K: V], _ write: (inout JSONWriter, V) -> Void
    ) {
        guard includesDefaults || !map.isEmpty else { return }
        key(name)
        text += "{"
        needsComma = false
        for (name, value) in map.sorted(by: { K.precedes($0.key, $1.key) }) {
            key(JSONScalar.text(ofKey: name.scalarValue))
            write(&self, value)
            needsComma = true
        }
        text += "}"
        needsComma = true
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T) {
        guard includesDefaults || !value.isZero else { return }
        key(name)
        write(value)
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T?) {
        guard let value else { return }
        key(name)
        write(value)
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout [T]) {
        list(name, value) { $0.write($1) }
    }

    mutating func field<M: CodedMessage>(_ number: UInt32, _ name: StaticString, _ value: inout M?)
    {
        guard let value else { return }
        key(name)
        write(value)
    }

    mutating func field<M: CodedMessage>(_ number: UInt32, _ name: StaticString, _ value: inout [M])
    {
        list(name, value) { $0.write($1) }
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout Encoded<M>?
    ) {
        guard let value else { return }
        key(name)
        write(value)
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [Encoded<M>]
    ) {
        list(name, value) { $0.write($1) }
    }

    mutating func field<K: MapKey, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: T]
    ) {
        map(name, value) { $0.write($1) }
    }

    mutating func field<K: MapKey, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: M]
    ) {
        map(name, value) { $0.write($1) }
    }

    mutating func oneof<O: OneOf>(_ name: StaticString, _ value: inout O?) {
        O.visit(&value, &self)
    }

    mutating func unknown(_ fields: inout UnknownFields) {
        // JSON has no place for a field without a name.
    }

    mutating func field<O: OneOf, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> T?, _ make: (T) -> O
    ) {
        guard let value, let payload = get(value) else { return }
        key(name)
        write(payload)
    }

    mutating func field<O: OneOf, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> M?, _ make: (M) -> O
    ) {
        guard let value, let payload = get(value) else { return }
        key(name)
        write(payload)
    }
}
