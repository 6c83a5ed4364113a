/// One field of a ``Schema``.
package struct FieldSchema: Sendable {
    /// How many values the field has, and whether they have keys.
    package enum Label: Hashable, Sendable {
        case singular, repeated, map
    }

    /// How the wire tells that a field is present.
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
