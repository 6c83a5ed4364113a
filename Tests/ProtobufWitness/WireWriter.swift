public import Protobuf

/// The witness of the encoder: the wire format written by hand, without C and without pointers.
///
/// It shares no line with what it is compared with but the messages' own visits.
public struct WireWriter: FieldVisitor, OneOfVisitor {
    private var bytes: [UInt8] = []

    public static func encode<M: Message>(_ message: M) -> [UInt8] {
        var writer = WireWriter()
        var message = message
        message.visit(&writer)
        return writer.bytes
    }

    public static func varint(_ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
        return bytes
    }

    private static func payload(_ value: ScalarValue) -> (wire: UInt64, bytes: [UInt8]) {
        switch value {
        case .bool(let value): (0, [value ? 1 : 0])
        case .int32(let value), .enumeration(let value):
            (0, varint(UInt64(bitPattern: Int64(value))))
        case .int64(let value): (0, varint(UInt64(bitPattern: value)))
        case .uint32(let value): (0, varint(UInt64(value)))
        case .uint64(let value): (0, varint(value))
        case .double(let value):
            (1, (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) })
        case .string(let value): (2, counted([UInt8](value.utf8)))
        case .bytes(let value): (2, counted(value))
        }
    }

    private static func counted(_ bytes: [UInt8]) -> [UInt8] {
        varint(UInt64(bytes.count)) + bytes
    }

    private mutating func write(_ number: UInt32, _ value: ScalarValue) {
        let (wire, payload) = WireWriter.payload(value)
        bytes += WireWriter.varint(UInt64(number) << 3 | wire) + payload
    }

    private mutating func write(_ number: UInt32, counted payload: [UInt8]) {
        bytes += WireWriter.varint(UInt64(number) << 3 | 2) + WireWriter.counted(payload)
    }

    public mutating func field<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout T
    ) {
        if !value.isZero { write(number, value.scalarValue) }
    }

    public mutating func field<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout T?
    ) {
        if let value { write(number, value.scalarValue) }
    }

    public mutating func field<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [T]
    ) {
        guard T.kind != .string, T.kind != .bytes else {
            for element in value { write(number, element.scalarValue) }
            return
        }
        guard !value.isEmpty else { return }
        write(number, counted: value.flatMap { WireWriter.payload($0.scalarValue).bytes })
    }

    public mutating func field<M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout M?
    ) {
        if let value { write(number, counted: WireWriter.encode(value)) }
    }

    public mutating func field<M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout [M]
    ) {
        for element in value { write(number, counted: WireWriter.encode(element)) }
    }

    public mutating func field<M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout Encoded<M>?
    ) {
        if let value { write(number, counted: value.withBytes { [UInt8]($0) }) }
    }

    public mutating func field<M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout [Encoded<M>]
    ) {
        for element in value { write(number, counted: element.withBytes { [UInt8]($0) }) }
    }

    private mutating func entries<V>(
        _ number: UInt32, _ map: [String: V], _ write: (inout WireWriter, V) -> Void
    ) {
        let sorted = map.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (key, value) in sorted {
            var entry = WireWriter()
            entry.write(1, .string(key))
            write(&entry, value)
            self.write(number, counted: entry.bytes)
        }
    }

    public mutating func field<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [String: T]
    ) {
        entries(number, value) { $0.write(2, $1.scalarValue) }
    }

    public mutating func field<M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout [String: M]
    ) {
        entries(number, value) { $0.write(2, counted: WireWriter.encode($1)) }
    }

    public mutating func oneof<O: OneOf>(_ name: StaticString, _ value: inout O?) {
        O.visit(&value, &self)
    }

    public mutating func unknown(_ fields: inout UnknownFields) {
        bytes += fields.bytes
    }

    public mutating func field<O: OneOf, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> T?, _ make: (T) -> O
    ) {
        if let value, let payload = get(value) { write(number, payload.scalarValue) }
    }

    public mutating func field<O: OneOf, M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> M?, _ make: (M) -> O
    ) {
        if let value, let payload = get(value) {
            write(number, counted: WireWriter.encode(payload))
        }
    }
}
