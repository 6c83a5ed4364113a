/// A message's name and fields, as its contract would say them.
///
/// It holds what the codecs need as well: the layout of the C struct, made once and never freed.
///
/// `Sendable` is unchecked because of the pointer: what it points to is immutable once it is made.
public struct Schema: @unchecked Sendable {
    @usableFromInline let layout: UnsafePointer<Layout>
    private let tree: SchemaTree

    /// Visits an empty message and writes down what it sees.
    ///
    /// - Precondition: The numbers ascend, no message contains itself, and schemas nest at most
    ///   ``CodecLimits/schemaDepth`` deep.
    public init<M: Message>(_ fullName: StaticString, _ type: M.Type) {
        let identity = ObjectIdentifier(type)
        let plans = SchemaBuilder.$underConstruction.withValue(
            SchemaBuilder.underConstruction + [identity]
        ) {
            var builder = SchemaBuilder(fullName)
            var message = M()
            message.visit(&builder)
            return builder
        }
        tree = SchemaTree(
            fullName: fullName.description, fields: plans.fields,
            keepsUnknownFields: plans.keepsUnknown)
        layout = makeLayout(fullName, plans.plans, keepsUnknown: plans.keepsUnknown)
    }

    /// The name in the contract, "relation.v1.Friend".
    public var fullName: String { tree.fullName }
    /// In ascending order of the numbers.
    public var fields: [FieldSchema] { tree.fields }
    /// Whether fields that the schema does not name survive decoding and encoding.
    public var keepsUnknownFields: Bool { tree.keepsUnknownFields }

    /// This message and all below it, each once, the first met first.
    public func reachable() -> (messages: [Schema], enums: [EnumSchema]) {
        var messages: [Schema] = []
        var enums: [EnumSchema] = []
        collect(&messages, &enums)
        return (messages, enums)
    }

    private func collect(_ messages: inout [Schema], _ enums: inout [EnumSchema]) {
        guard !messages.contains(where: { $0.fullName == fullName }) else { return }
        messages.append(self)
        for field in fields { Schema.collect(field.type, &messages, &enums) }
    }

    private static func collect(
        _ type: FieldType, _ messages: inout [Schema], _ enums: inout [EnumSchema]
    ) {
        switch type {
        case .scalar: break
        case .enumeration(let names):
            if !enums.contains(where: { $0.fullName == names.fullName }) { enums.append(names) }
        case .message(let schema): schema.collect(&messages, &enums)
        case .map(let value): collect(value, &messages, &enums)
        }
    }
}

extension Schema: CustomStringConvertible {
    /// The message as a .proto file would declare it, type names in full, one field a line.
    public var description: String {
        var lines = ["message \(fullName) {"]
        lines += fields.map { "  \($0)" }
        lines.append("}")
        return lines.joined(separator: "\n")
    }
}

/// What does not fit in a word of ``Schema``.
private final class SchemaTree: Sendable {
    let fullName: String
    let fields: [FieldSchema]
    let keepsUnknownFields: Bool

    init(fullName: String, fields: [FieldSchema], keepsUnknownFields: Bool) {
        self.fullName = fullName
        self.fields = fields
        self.keepsUnknownFields = keepsUnknownFields
    }
}

/// One field of a ``Schema``.
public struct FieldSchema: Sendable {
    /// How many values the field has, and whether they have keys.
    public enum Label: Hashable, Sendable {
        case singular, repeated, map
    }

    /// How the wire says that a field is there.
    public enum Presence: Hashable, Sendable {
        /// It is there unless it is zero: a plain proto3 scalar.
        case implicit
        /// It is there when it was set: `optional`, a message, a case of a `oneof`.
        case explicit
        /// The question does not arise: lists and maps.
        case repeated
    }

    public let number: UInt32
    public let name: String
    public let type: FieldType
    public let label: Label
    public let presence: Presence
    /// The name of the `oneof` that the field is a case of.
    public let oneof: String?

    public var jsonName: String { JSONName.lowerCamel(name) }
}

extension FieldSchema: CustomStringConvertible {
    /// The field as a .proto file would declare it: "optional string remark = 2".
    ///
    /// A case of a `oneof` has its name in front: "oneof value string text = 4".
    public var description: String {
        var words: [String] = []
        if let oneof { words += ["oneof", oneof] }
        if label == .repeated { words.append("repeated") }
        if presence == .explicit, oneof == nil, type.isScalar { words.append("optional") }
        words += [type.description, name, "=", "\(number)"]
        return words.joined(separator: " ")
    }
}

/// The type of a field, or of a map's value.
public enum FieldType: Sendable, CustomStringConvertible {
    /// Any kind but an enum.
    case scalar(ScalarKind)
    case enumeration(EnumSchema)
    case message(Schema)
    /// Keys are strings.
    indirect case map(value: FieldType)

    /// Whether the type is not a message and not a map.
    public var isScalar: Bool {
        switch self {
        case .scalar, .enumeration: true
        case .message, .map: false
        }
    }

    public var description: String {
        switch self {
        case .scalar(let kind): kind.protoName
        case .enumeration(let names): names.fullName
        case .message(let schema): schema.fullName
        case .map(let value): "map<string, \(value)>"
        }
    }
}
