public import Protobuf

/// The value of one custom field of a friend or a profile: `relation.v1.CustomValue`.
///
/// It is declared here and not among the contract's messages, because rows hold it as answers do.
public struct CustomValue: Message {
    /// The key under which the app registered the field, without the prefix of its tag.
    ///
    /// At most 8 letters; in an app of preset `rongcloud` 32 letters, digits and underscores.
    public var key = ""
    /// The value, of the field's type.
    ///
    /// In a request an empty `text` or `data` removes the value, whatever the field's type is. A
    /// request without a value, or with one of a kind that this server does not know, is refused
    /// like a value of the wrong kind.
    public var value: Value?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(key: String = "", value: Value? = nil) {
        self.key = key
        self.value = value
    }

    package init(_ key: String, _ value: Value) {
        self.init(key: key, value: value)
    }

    /// The value, of the field's kind.
    ///
    /// A row holds a text as its bytes, and an answer shows it as a text: `CustomTexts` does it.
    public enum Value: OneOf {
        /// The value of a field of type BYTES: by default at most 500 bytes
        /// (`limits.custom_value`).
        ///
        /// A request may also give the UTF-8 of a text here, for a field of type STRING; an answer
        /// never does.
        case data([UInt8])
        /// The value of a field of type UINT64.
        case number(UInt64)
        /// The value of a field of type STRING: by default at most 500 bytes, or 256 characters in
        /// the preset `rongcloud` (`limits.custom_value`).
        case text(String)

        @usableFromInline package static func visit(
            _ value: inout Value?, _ cases: inout some OneOfVisitor
        ) {
            cases.field(
                2, "data", &value,
                { if case .data(let data) = $0 { data } else { nil } }, Value.data)
            cases.field(
                3, "number", &value,
                { if case .number(let number) = $0 { number } else { nil } }, Value.number)
            cases.field(
                4, "text", &value,
                { if case .text(let text) = $0 { text } else { nil } }, Value.text)
        }
    }
}

extension CustomValue: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.CustomValue", CustomValue.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "key", &key)
        visitor.oneof("value", &value)
    }
}
