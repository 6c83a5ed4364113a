extension CodedMessage {
    /// The most bytes that the message's encoding can have.
    ///
    /// The number is exact, except for a map whose values are zero, which may have two bytes less
    /// for an entry. It is counted without encoding, so that code which gathers messages knows when
    /// to stop.
    @inlinable package var bytesAtMost: Int {
        var copy = self
        return EncodedSize.bytes(of: &copy)
    }
}

/// The visitor that counts what an encoder would write.
@usableFromInline package struct EncodedSize: FieldVisitor, OneOfVisitor {
    @usableFromInline var bytes = 0

    @inlinable init() {}

    /// It only reads the message, which is visited in place: a copy retains all that it holds.
    @inlinable static func bytes<M: CodedMessage>(of message: inout M) -> Int {
        var size = EncodedSize()
        message.visit(&size)
        return size.bytes
    }

    @inlinable static func varint(_ value: UInt64) -> Int {
        (70 - (value | 1).leadingZeroBitCount) / 7
    }

    @inlinable static func tag(_ number: UInt32) -> Int { varint(UInt64(number) << 3) }

    /// The bytes after the tag of a field that is present.
    @inlinable static func payload<T: Scalar>(_ value: T) -> Int {
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

    @inlinable static func signed(_ value: Int64, _ isZigZag: Bool) -> Int {
        varint(UInt64(bitPattern: isZigZag ? value << 1 ^ value >> 63 : value))
    }

    @inlinable static func delimited(_ count: Int) -> Int { varint(UInt64(count)) + count }

    @inlinable
    package mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T)
    {
        guard !value.isZero else { return }
        bytes += Self.tag(number) + Self.payload(value)
    }

    @inlinable
    package mutating func field<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout T?
    ) {
        guard let value else { return }
        bytes += Self.tag(number) + Self.payload(value)
    }

    @inlinable
    package mutating func field<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [T]
    ) {
        guard T.kind.isPackable else { return unpacked(number, name, &value) }
        guard !value.isEmpty else { return }
        let payloads = value.reduce(0) { $0 + Self.payload($1) }
        bytes += Self.tag(number) + Self.delimited(payloads)
    }

    @inlinable
    package mutating func unpacked<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [T]
    ) {
        for element in value { bytes += Self.tag(number) + Self.payload(element) }
    }

    @inlinable
    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout M?
    ) {
        guard value != nil else { return }
        bytes += Self.tag(number) + Self.delimited(Self.bytes(of: &value!))
    }

    @inlinable
    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [M]
    ) {
        for element in value { bytes += Self.tag(number) + Self.delimited(element.bytesAtMost) }
    }

    @inlinable
    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout Encoded<M>?
    ) {
        guard let value else { return }
        bytes += Self.tag(number) + Self.delimited(value.count)
    }

    @inlinable
    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [Encoded<M>]
    ) {
        for element in value { bytes += Self.tag(number) + Self.delimited(element.count) }
    }

    @inlinable
    package mutating func field<K: MapKey, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: T]
    ) {
        for (key, value) in value { entry(number, key, Self.payload(value)) }
    }

    @inlinable
    package mutating func field<K: MapKey, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: M]
    ) {
        for (key, value) in value { entry(number, key, Self.delimited(value.bytesAtMost)) }
    }

    /// An entry of a map is a message with the key and the value.
    @inlinable mutating func entry(_ number: UInt32, _ key: some MapKey, _ payload: Int) {
        let size = 2 + Self.payload(key) + payload
        bytes += Self.tag(number) + Self.delimited(size)
    }

    @inlinable
    package mutating func oneof<O: OneOf>(_ name: StaticString, _ value: inout O?) {
        O.visit(&value, &self)
    }

    @inlinable
    package mutating func unknown(_ fields: inout UnknownFields) {
        bytes += fields.bytes.count
    }

    @inlinable
    package mutating func field<O: OneOf, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> T?, _ make: (T) -> O
    ) {
        guard let value, let payload = get(value) else { return }
        bytes += Self.tag(number) + Self.payload(payload)
    }

    @inlinable
    package mutating func field<O: OneOf, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> M?, _ make: (M) -> O
    ) {
        guard let value, let payload = get(value) else { return }
        bytes += Self.tag(number) + Self.delimited(payload.bytesAtMost)
    }
}
