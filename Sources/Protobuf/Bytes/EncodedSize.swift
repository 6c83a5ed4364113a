extension CodedMessage {
    /// The most bytes that the message's encoding can have.
    ///
    /// The number is exact, except for a map whose values are zero, which may have two bytes less
    /// for an entry. It is counted without encoding, so that code which gathers messages knows when
    /// to stop.
    package var bytesAtMost: Int {
        var size = EncodedSize()
        var copy = self
        copy.visit(&size)
        return size.bytes
    }
}

/// The visitor that counts what an encoder would write.
struct EncodedSize: FieldVisitor, OneOfVisitor {
    private(set) var bytes = 0

    private static func varint(_ value: UInt64) -> Int {
        (70 - (value | 1).leadingZeroBitCount) / 7
    }

    private static func tag(_ number: UInt32) -> Int { varint(UInt64(number) << 3) }

    /// The bytes after the tag of a field that is present.
    private static func payload<T: Scalar>(_ value: T) -> Int {
        switch T.kind {
        case .fixed32, .sfixed32: return 4
        case .fixed64, .sfixed64: return 8
        default: break
        }
        let isZigZag = T.kind == .sint32 || T.kind == .sint64
        return switch value.scalarValue {
        case .bool: 1
        case .int32(let value), .enumeration(let value): signed(Int64(value), isZigZag)
        case .int64(let value): signed(value, isZigZag)
        case .uint32(let value): varint(UInt64(value))
        case .uint64(let value): varint(value)
        case .float: 4
        case .double: 8
        case .string(let text): delimited(text.utf8.count)
        case .bytes(let bytes): delimited(bytes.count)
        }
    }

    private static func signed(_ value: Int64, _ isZigZag: Bool) -> Int {
        varint(UInt64(bitPattern: isZigZag ? value << 1 ^ value >> 63 : value))
    }

    private static func delimited(_ count: Int) -> Int { varint(UInt64(count)) + count }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T) {
        guard !value.isZero else { return }
        bytes += Self.tag(number) + Self.payload(value)
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T?) {
        guard let value else { return }
        bytes += Self.tag(number) + Self.payload(value)
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout [T]) {
        guard T.kind.isPackable else { return unpacked(number, name, &value) }
        guard !value.isEmpty else { return }
        let payloads = value.reduce(0) { $0 + Self.payload($1) }
        bytes += Self.tag(number) + Self.delimited(payloads)
    }

    mutating func unpacked<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout [T]) {
        for element in value { bytes += Self.tag(number) + Self.payload(element) }
    }

    mutating func field<M: CodedMessage>(_ number: UInt32, _ name: StaticString, _ value: inout M?)
    {
        guard let value else { return }
        bytes += Self.tag(number) + Self.delimited(value.bytesAtMost)
    }

    mutating func field<M: CodedMessage>(_ number: UInt32, _ name: StaticString, _ value: inout [M])
    {
        for element in value { bytes += Self.tag(number) + Self.delimited(element.bytesAtMost) }
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout Encoded<M>?
    ) {
        guard let value else { return }
        bytes += Self.tag(number) + Self.delimited(value.count)
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [Encoded<M>]
    ) {
        for element in value { bytes += Self.tag(number) + Self.delimited(element.count) }
    }

    mutating func field<K: MapKey, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: T]
    ) {
        for (key, value) in value { entry(number, key, Self.payload(value)) }
    }

    mutating func field<K: MapKey, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: M]
    ) {
        for (key, value) in value { entry(number, key, Self.delimited(value.bytesAtMost)) }
    }

    /// An entry of a map is a message with the key and the value.
    private mutating func entry(_ number: UInt32, _ key: some MapKey, _ payload: Int) {
        let size = 2 + Self.payload(key) + payload
        bytes += Self.tag(number) + Self.delimited(size)
    }

    mutating func oneof<O: OneOf>(_ name: StaticString, _ value: inout O?) {
        O.visit(&value, &self)
    }

    mutating func unknown(_ fields: inout UnknownFields) {
        bytes += fields.bytes.count
    }

    mutating func field<O: OneOf, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> T?, _ make: (T) -> O
    ) {
        guard let value, let payload = get(value) else { return }
        bytes += Self.tag(number) + Self.payload(payload)
    }

    mutating func field<O: OneOf, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> M?, _ make: (M) -> O
    ) {
        guard let value, let payload = get(value) else { return }
        bytes += Self.tag(number) + Self.delimited(payload.bytesAtMost)
    }
}
