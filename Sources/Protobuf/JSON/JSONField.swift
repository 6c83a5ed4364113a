/// The facts about a field that its JSON needs.
struct JSONField {
    enum Shape: UInt8 {
        case singular, list, packed, map
    }

    let number: UInt32
    /// The tag of a record: of one value, or of a packed list.
    let tag: UInt32
    /// The wire type of one value.
    let wireType: UInt32
    /// The kind of a scalar; of no meaning if there is a child.
    let kind: ScalarKind
    let shape: Shape
    /// Whether the field is absent if it is zero.
    let isImplicit: Bool
    /// 1 + the index of the `oneof`; 0 for other fields.
    let oneof: Int
    /// The contract's name.
    let name: JSONBytes
    /// A comma, the name in JSON in quotes, and a colon.
    let key: JSONBytes
    /// The message in the field, or the entry of the map, which has a key and a value.
    let child: UnsafePointer<JSONPlan>?
    let values: UnsafePointer<JSONEnum>?

    @inline(__always) var jsonName: JSONBytes {
        JSONBytes(start: key.start + 2, count: key.count &- 4)
    }

    @inline(__always) var isNumber: Bool { wireType != 2 }

    /// Whether a record with that tag belongs to the field; else it is unknown.
    @inline(__always) func takes(_ tag: UInt32) -> Bool {
        tag & 7 == wireType || (tag & 7 == 2 && isNumber && shape != .singular)
    }

    /// The words of a reader that meets another value.
    var expectation: String {
        if let values {
            let names = values.pointee
            return "a name or a number of \(names.name.text) was expected: \(names.list)"
        }
        if kind == .bytes { return "a string in base64 was expected" }
        return "a value of type \(kind.protoName) was expected"
    }
}
