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
