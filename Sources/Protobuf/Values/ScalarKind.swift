/// The protobuf type of a ``Scalar``.
@usableFromInline package enum ScalarKind: Hashable, Sendable, BitwiseCopyable {
    case bool, int32, int64, uint32, uint64, sint32, sint64, fixed32, fixed64, sfixed32, sfixed64
    case float, double, string, bytes, enumeration

    /// The keyword of a .proto file; there an enum has its own name.
    @usableFromInline package var protoName: String {
        switch self {
        case .bool: "bool"
        case .int32: "int32"
        case .int64: "int64"
        case .uint32: "uint32"
        case .uint64: "uint64"
        case .sint32: "sint32"
        case .sint64: "sint64"
        case .fixed32: "fixed32"
        case .fixed64: "fixed64"
        case .sfixed32: "sfixed32"
        case .sfixed64: "sfixed64"
        case .float: "float"
        case .double: "double"
        case .string: "string"
        case .bytes: "bytes"
        case .enumeration: "enum"
        }
    }

    /// The bytes of a slot.
    ///
    /// `bool` takes eight because it is described to C as `uint64`. libprotobuf-c 1.4.1 refuses
    /// packed bools above 1, and cuts longer ones; the format allows both, and reads them as true.
    @inlinable package var slotSize: Int {
        switch self {
        case .int32, .uint32, .sint32, .fixed32, .sfixed32, .float, .enumeration: 4
        case .bool, .int64, .uint64, .sint64, .fixed64, .sfixed64, .double: 8
        case .string, .bytes: 16
        }
    }

    /// Whether a repeated field of the kind may be packed on the wire.
    @inlinable package var isPackable: Bool {
        switch self {
        case .string, .bytes: false
        default: true
        }
    }
}
