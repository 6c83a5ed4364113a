/// Where libprotobuf-c keeps a field in the struct of its message.
@usableFromInline struct Place {
    @usableFromInline let value: UInt32
    /// Of the `has_` flag, the count, or the number of the `oneof`'s case; 0 if there is none.
    @usableFromInline let quantifier: UInt32
    /// Of the message in the field, or of the map's entry.
    @usableFromInline let child: UnsafePointer<Layout>?
}

/// What a codec must know of a message, in C's terms but without C's types.
///
/// So the inlinable visitors may name it. One for each schema, immutable and never freed.
@usableFromInline struct Layout {
    /// The `ProtobufCMessageDescriptor`.
    @usableFromInline let descriptor: UnsafeRawPointer
    /// Bytes of the C struct, a multiple of eight.
    @usableFromInline let size: Int
    /// In the order of the visit.
    @usableFromInline let places: UnsafePointer<Place>
    let name: StaticString
    /// In ascending order of the numbers.
    let rules: UnsafeBufferPointer<FieldRule>
    /// For small numbers: 1 + the index of the rule, or 0.
    let directory: UnsafeBufferPointer<UInt8>
    let keepsUnknown: Bool
    let depth: Int

    /// Bytes before the first field: C's `ProtobufCMessage`.
    @usableFromInline static let headerSize = 24
    @usableFromInline static let unknownCountOffset = 8
    @usableFromInline static let unknownFieldsOffset = 16

    @inline(__always)
    func rule(_ number: UInt32) -> UnsafePointer<FieldRule>? {
        guard let first = rules.baseAddress else { return nil }
        if number < directory.count {
            let index = directory[Int(number)]
            return index == 0 ? nil : first + Int(index) - 1
        }
        return search(number)
    }

    private func search(_ number: UInt32) -> UnsafePointer<FieldRule>? {
        for index in rules.indices where rules[index].number == number {
            return rules.baseAddress.map { $0 + index }
        }
        return nil
    }
}

/// What the guard must know of a field before libprotobuf-c sees it.
struct FieldRule {
    enum Content: UInt8 {
        case varint, fixed64, bytes, text, message
    }

    let number: UInt32
    let name: StaticString
    let content: Content
    /// Numbers in one length-counted record are as good as one record each.
    let isPackable: Bool
    /// 1 + the bit of a singular message, which merges when it comes twice; 0 for other fields.
    let once: UInt8
    /// 1 + the index of the `oneof`; 0 for other fields.
    let oneof: UInt8
    /// The memory that one record takes beside its bytes, in Swift and in C.
    let recordCharge: Int
    let child: UnsafePointer<Layout>?

    @inline(__always) var wireType: UInt32 {
        switch content {
        case .varint: 0
        case .fixed64: 1
        case .bytes, .text, .message: 2
        }
    }
}
