public import Protobuf

/// The value of one custom field of a friend or a profile: `relation.v1.CustomValue`.
///
/// It is declared here and not among the contract's messages, because rows hold it as answers do.
public struct CustomValue: Message {
    /// The field's key, without the prefix of its tag.
    public var key = ""
    /// The value.
    public var value: Value?

    public init() {}

    /// Creates the value of the field with that key.
    public init(_ key: String, _ value: Value) {
        self.key = key
        self.value = value
    }

    /// The value, of the field's kind: a text is answered as its bytes.
    public enum Value: OneOf {
        /// Bytes, or a text as its bytes.
        case data([UInt8])
        /// A number.
        case number(UInt64)

        @usableFromInline package static func visit(
            _ value: inout Value?, _ cases: inout some OneOfVisitor
        ) {
            cases.field(
                2, "data", &value,
                { if case .data(let data) = $0 { data } else { nil } }, Value.data)
            cases.field(
                3, "number", &value,
                { if case .number(let number) = $0 { number } else { nil } }, Value.number)
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
