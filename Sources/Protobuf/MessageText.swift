/// The text of a message for people: its set fields by their names in Swift.
enum MessageText {
    /// How many bytes of a field of bytes are shown.
    private static let shownBytes = 8

    static func description<M: Message>(of message: M) -> String {
        // A message without a codec is not of the contract; it has no names to show.
        guard let coded = message as? any CodedMessage else { return "\(M.self)" }
        return text(of: coded)
    }

    fileprivate static func text<M: CodedMessage>(of message: M) -> String {
        var writer = FieldTexts()
        var message = message
        message.visit(&writer)
        let name = M.schema.fullName.split(separator: ".").last ?? ""
        return "\(name)(\(writer.fields.joined(separator: ", ")))"
    }

    fileprivate static func text<T: Scalar>(of value: T) -> String {
        if let value = value as? any OpenEnum { return value.description }
        switch value.scalarValue {
        case .bool(let value): return "\(value)"
        case .int32(let value), .enumeration(let value): return "\(value)"
        case .int64(let value): return "\(value)"
        case .uint32(let value): return "\(value)"
        case .uint64(let value): return "\(value)"
        case .float(let value): return "\(value)"
        case .double(let value): return "\(value)"
        case .string(let value): return value.debugDescription
        case .bytes(let value):
            let shown = value.prefix(shownBytes).map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            return
                "<\(value.count) bytes: \(shown.joined())\(shown.count < value.count ? "…" : "")>"
        }
    }

    /// The name of a property or case for a name of the contract: "user_ids" is `userIDs`.
    static func swiftName(_ name: String) -> String {
        let words = name.split(separator: "_").map { $0.lowercased() }
        return words.enumerated().reduce(into: "") { name, word in
            name += word.offset == 0 ? word.element : capitalized(word.element)
        }
    }

    private static func capitalized(_ word: String) -> String {
        switch word {
        case "id", "url", "sha256": word.uppercased()
        case "ids": "IDs"
        default: word.prefix(1).uppercased() + word.dropFirst()
        }
    }
}

/// The visitor that writes the text of each field that is set.
private struct FieldTexts: FieldVisitor, OneOfVisitor {
    private(set) var fields: [String] = []

    private mutating func add(_ name: StaticString, _ text: String) {
        fields.append("\(MessageText.swiftName(name.description)): \(text)")
    }

    private mutating func add(_ name: StaticString, list: [String]) {
        if !list.isEmpty { add(name, "[\(list.joined(separator: ", "))]") }
    }

    /// The entries of a map, in the order of their keys.
    private mutating func add<K: MapKey, V>(
        _ name: StaticString, _ map: [K: V], _ text: (V) -> String
    ) {
        add(
            name,
            list: map.sorted { K.precedes($0.key, $1.key) }
                .map { "\(MessageText.text(of: $0.key)): \(text($0.value))" })
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T) {
        if !value.isZero { add(name, MessageText.text(of: value)) }
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T?) {
        if let value { add(name, MessageText.text(of: value)) }
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout [T]) {
        add(name, list: value.map { MessageText.text(of: $0) })
    }

    mutating func secret<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T) {
        if !value.isZero { add(name, "<hidden>") }
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout M?
    ) {
        if let value { add(name, MessageText.text(of: value)) }
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [M]
    ) {
        add(name, list: value.map { MessageText.text(of: $0) })
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout Encoded<M>?
    ) {
        if let value { add(name, value.description) }
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [Encoded<M>]
    ) {
        add(name, list: value.map(\.description))
    }

    mutating func field<K: MapKey, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: T]
    ) {
        add(name, value) { MessageText.text(of: $0) }
    }

    mutating func field<K: MapKey, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: M]
    ) {
        add(name, value) { MessageText.text(of: $0) }
    }

    /// The case as Swift writes it: `value: .text("tall")`.
    mutating func oneof<O: OneOf>(_ name: StaticString, _ value: inout O?) {
        var cases = FieldTexts()
        O.visit(&value, &cases)
        for text in cases.fields { add(name, text) }
    }

    mutating func unknown(_ fields: inout UnknownFields) {
        if !fields.bytes.isEmpty { self.fields.append("and \(fields.bytes.count) unknown bytes") }
    }

    private mutating func add(case name: StaticString, _ text: String) {
        fields.append(".\(MessageText.swiftName(name.description))(\(text))")
    }

    mutating func field<O: OneOf, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> T?, _ make: (T) -> O
    ) {
        if let held = value.flatMap(get) { add(case: name, MessageText.text(of: held)) }
    }

    mutating func field<O: OneOf, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> M?, _ make: (M) -> O
    ) {
        if let held = value.flatMap(get) { add(case: name, MessageText.text(of: held)) }
    }
}
