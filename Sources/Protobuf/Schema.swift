internal import Synchronization

/// A message's name and fields, as in its contract.
///
/// It also holds the layout of the C struct that the codecs need, made once and never freed. The
/// messages in its fields are looked up when they are first needed, and not while it is made,
/// because one of them may hold this one.
///
/// `Sendable` is unchecked because of the pointer. The memory behind it is changed once, when it is
/// tied to the layouts of its fields, and only read after that.
@usableFromInline package struct Schema: @unchecked Sendable {
    /// Do not read it directly: see ``layout``.
    @usableFromInline let untied: UnsafePointer<Layout>
    private let tree: SchemaTree

    /// Visits an empty message, and records the visited fields.
    ///
    /// - Precondition: The numbers ascend, as ``CodedMessage`` requires, and no number or name
    ///   comes twice.
    package init<M: CodedMessage>(_ fullName: StaticString, _ type: M.Type) {
        var builder = SchemaBuilder(fullName)
        var message = M()
        message.visit(&builder)
        tree = SchemaTree(
            fullName: fullName.description,
            fields: builder.fields.sorted { $0.number < $1.number },
            keepsUnknownFields: builder.keepsUnknown)
        untied = makeLayout(fullName, builder.plans, keepsUnknown: builder.keepsUnknown)
    }

    /// The layout that the codecs need, tied to the layouts of the messages in its fields.
    @inlinable var layout: UnsafePointer<Layout> { Layout.tied(untied) }

    /// The name in the contract, "relation.v1.Friend".
    package var fullName: String { tree.fullName }
    /// The fields, in ascending order of the numbers.
    package var fields: [FieldSchema] { tree.fields }
    /// Whether fields that the schema does not name survive decoding and encoding.
    package var keepsUnknownFields: Bool { tree.keepsUnknownFields }

    /// The object that a codec has made of the schema, which is kept with it.
    ///
    /// There is one property for it, so only one type of object may be kept.
    func kept<Form: AnyObject & Sendable>(_ make: (Schema) -> Form) -> Form {
        tree.kept.withLock { kept in
            if let form = kept as? Form { return form }
            let form = make(self)
            kept = form
            return form
        }
    }

    /// This message and all messages and enums below it, each once, in the order in which they are
    /// met.
    package func reachable() -> (messages: [Schema], enums: [EnumSchema]) {
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
        case .map(_, let value): collect(value, &messages, &enums)
        }
    }
}

extension Schema: CustomStringConvertible {
    /// The message as a .proto file would declare it, type names in full, one field a line.
    @usableFromInline package var description: String {
        var lines = ["message \(fullName) {"]
        lines += fields.map { "  \($0)" }
        lines.append("}")
        return lines.joined(separator: "\n")
    }
}

/// The parts that do not fit in a word of ``Schema``.
private final class SchemaTree: Sendable {
    let fullName: String
    let fields: [FieldSchema]
    let keepsUnknownFields: Bool
    let kept = Mutex<(any Sendable)?>(nil)

    init(fullName: String, fields: [FieldSchema], keepsUnknownFields: Bool) {
        self.fullName = fullName
        self.fields = fields
        self.keepsUnknownFields = keepsUnknownFields
    }
}

/// One field of a ``Schema``.
package struct FieldSchema: Sendable {
    /// How many values the field has, and whether they have keys.
    package enum Label: Hashable, Sendable {
        case singular, repeated, map
    }

    /// How the wire shows that a field is present.
    package enum Presence: Hashable, Sendable {
        /// It is present unless it is zero: a plain proto3 scalar.
        case implicit
        /// It is present if it was set: `optional`, a message, a case of a `oneof`.
        case explicit
        /// The question does not apply: lists and maps.
        case repeated
    }

    package let number: UInt32
    package let name: String
    package let label: Label
    package let presence: Presence
    /// Whether the field is a list of numbers that stand in one record.
    package let isPacked: Bool
    /// The name of the `oneof` that the field is a case of.
    package let oneof: String?
    /// It is looked up late, because it may be the message that has the field.
    let makeType: @Sendable () -> FieldType

    package var type: FieldType { makeType() }
    package var jsonName: String { JSONName.lowerCamel(name) }
}

extension FieldSchema: CustomStringConvertible {
    /// The field as a .proto file would declare it: "optional string remark = 2".
    ///
    /// A case of a `oneof` has its name in front: "oneof value string text = 4". Numbers that are
    /// not packed say so at the end: "repeated int32 years = 3 [packed = false]".
    package var description: String {
        var words: [String] = []
        if let oneof { words += ["oneof", oneof] }
        if label == .repeated { words.append("repeated") }
        if presence == .explicit, oneof == nil, type.isScalar { words.append("optional") }
        words += [type.description, name, "=", "\(number)"]
        if label == .repeated, !isPacked, type.isPackable { words.append("[packed = false]") }
        return words.joined(separator: " ")
    }
}

/// The type of a field, or of a map's value.
@usableFromInline package enum FieldType: Sendable, CustomStringConvertible {
    /// Any kind but an enum.
    case scalar(ScalarKind)
    case enumeration(EnumSchema)
    case message(Schema)
    indirect case map(key: ScalarKind, value: FieldType)

    /// Whether the type is not a message and not a map.
    package var isScalar: Bool {
        switch self {
        case .scalar, .enumeration: true
        case .message, .map: false
        }
    }

    /// Whether a list of them may stand in one record.
    var isPackable: Bool {
        switch self {
        case .scalar(let kind): kind.isPackable
        case .enumeration: true
        case .message, .map: false
        }
    }

    @usableFromInline package var description: String {
        switch self {
        case .scalar(let kind): kind.protoName
        case .enumeration(let names): names.fullName
        case .message(let schema): schema.fullName
        case .map(let key, let value): "map<\(key.protoName), \(value)>"
        }
    }
}
