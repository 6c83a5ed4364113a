/// A field of a message, as a splice writes it.
@usableFromInline package struct SplicedField: Sendable {
    /// The field's number and wire type.
    @usableFromInline let tag: UInt32

    /// - Precondition: The schema has a field of that name, which is a string, bytes, a message, a
    ///   truth value, an enum, or a number that is written as a plain varint.
    package init(_ schema: Schema, _ name: StaticString) {
        let field = schema.fields.first { $0.name == name.description }
        guard let field, let wireType = field.type.splicedWireType else {
            preconditionFailure("\(schema.fullName) has no field \(name) for splices")
        }
        tag = field.number << 3 | wireType
    }

    /// The bytes of a field that is a string, bytes or a message of `count` bytes.
    @inlinable @inline(__always) package func size(of count: Int) -> Int {
        Self.size(ofVarint: UInt64(tag)) &+ Self.size(ofVarint: UInt64(count)) &+ count
    }

    @inlinable @inline(__always) static func size(ofVarint number: UInt64) -> Int {
        number < 0x80 ? 1 : (70 &- (number | 1).leadingZeroBitCount) / 7
    }
}

extension FieldType {
    fileprivate var splicedWireType: UInt32? {
        switch self {
        case .scalar(.string), .scalar(.bytes), .message: 2
        case .enumeration, .scalar(.bool), .scalar(.int32), .scalar(.int64), .scalar(.uint32),
            .scalar(.uint64):
            0
        case .scalar, .map: nil
        }
    }
}
