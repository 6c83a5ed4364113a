package import Protobuf

/// The witness of the encoder: it writes the wire format by hand, without C and without pointers.
///
/// It shares no line with the encoder with which it is compared, except the messages' own visits.
package struct WireWriter: FieldVisitor, OneOfVisitor {
    private var records: [(number: UInt32, bytes: [UInt8])] = []
    private var unknown: [UInt8] = []

    package static func encode<M: CodedMessage>(_ message: M) -> [UInt8] {
        var writer = WireWriter()
        var message = message
        message.visit(&writer)
        return writer.bytes
    }

    /// The records in the order of their numbers, in which the cases of a `oneof` need not be
    /// visited.
    private var bytes: [UInt8] {
        let order = records.indices.sorted {
            (records[$0].number, $0) < (records[$1].number, $1)
        }
        return order.flatMap { records[$0].bytes } + unknown
    }

    package static func varint(_ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
        return bytes
    }

    private static func payload<T: Scalar>(_ scalar: T) -> (wire: UInt64, bytes: [UInt8]) {
        let number: UInt64
        switch scalar.scalarValue {
        case .bool(let value): number = value ? 1 : 0
        case .int32(let value), .enumeration(let value): number = UInt64(bitPattern: Int64(value))
        case .int64(let value): number = UInt64(bitPattern: value)
        case .uint32(let value): number = UInt64(value)
        case .uint64(let value): number = value
        case .float(let value): number = UInt64(value.bitPattern)
        case .double(let value): number = value.bitPattern
        case .string(let value): return (2, counted([UInt8](value.utf8)))
        case .bytes(let value): return (2, counted(value))
        }
        switch T.kind {
        case .fixed32, .sfixed32, .float: return (5, octets(number, 4))
        case .fixed64, .sfixed64, .double: return (1, octets(number, 8))
        case .sint32, .sint64:
            // 0, -1, 1, -2 … are 0, 1, 2, 3 …
            return (0, varint(Int64(bitPattern: number) < 0 ? ~number * 2 + 1 : number * 2))
        default: return (0, varint(number))
        }
    }

    private static func octets(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func counted(_ bytes: [UInt8]) -> [UInt8] {
        varint(UInt64(bytes.count)) + bytes
    }

    private mutating func write(_ number: UInt32, _ value: some Scalar) {
        let (wire, payload) = WireWriter.payload(value)
        records.append((number, WireWriter.varint(UInt64(number) << 3 | wire) + payload))
    }

    private mutating func write(_ number: UInt32, counted payload: [UInt8]) {
        records.append(
            (number, WireWriter.varint(UInt64(number) << 3 | 2) + WireWriter.counted(payload)))
    }

    package mutating func field<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout T
    ) {
        if !value.isZero { write(number, value) }
    }

    package mutating func field<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout T?
    ) {
        if let value { write(number, value) }
    }

    package mutating func field<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [T]
    ) {
        guard T.kind != .string, T.kind != .bytes else { return unpacked(number, name, &value) }
        guard !value.isEmpty else { return }
        write(number, counted: value.flatMap { WireWriter.payload($0).bytes })
    }

    package mutating func unpacked<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [T]
    ) {
        for element in value { write(number, element) }
    }

    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout M?
    ) {
        if let value { write(number, counted: WireWriter.encode(value)) }
    }

    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [M]
    ) {
        for element in value { write(number, counted: WireWriter.encode(element)) }
    }

    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout Encoded<M>?
    ) {
        if let value { write(number, counted: value.withBytes { [UInt8]($0) }) }
    }

    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [Encoded<M>]
    ) {
        for element in value { write(number, counted: element.withBytes { [UInt8]($0) }) }
    }

    private mutating func entries<K: MapKey, V>(
        _ number: UInt32, _ map: [K: V], _ write: (inout WireWriter, V) -> Void
    ) {
        let sorted = map.sorted {
            WireWriter.precedes($0.key.scalarValue, $1.key.scalarValue)
        }
        for (key, value) in sorted {
            var entry = WireWriter()
            entry.write(1, key)
            write(&entry, value)
            self.write(number, counted: entry.bytes)
        }
    }

    private static func precedes(_ one: ScalarValue, _ other: ScalarValue) -> Bool {
        switch (one, other) {
        case (.bool(let one), .bool(let other)): !one && other
        case (.int32(let one), .int32(let other)): one < other
        case (.int64(let one), .int64(let other)): one < other
        case (.uint32(let one), .uint32(let other)): one < other
        case (.uint64(let one), .uint64(let other)): one < other
        case (.string(let one), .string(let other)):
            one.unicodeScalars.lexicographicallyPrecedes(other.unicodeScalars)
        default: preconditionFailure("no map has such keys")
        }
    }

    package mutating func field<K: MapKey, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: T]
    ) {
        entries(number, value) { $0.write(2, $1) }
    }

    package mutating func field<K: MapKey, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: M]
    ) {
        entries(number, value) { $0.write(2, counted: WireWriter.encode($1)) }
    }

    package mutating func oneof<O: OneOf>(_ name: StaticString, _ value: inout O?) {
        O.visit(&value, &self)
    }

    package mutating func unknown(_ fields: inout UnknownFields) {
        unknown = fields.bytes
    }

    package mutating func field<O: OneOf, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> T?, _ make: (T) -> O
    ) {
        if let value, let payload = get(value) { write(number, payload) }
    }

    package mutating func field<O: OneOf, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> M?, _ make: (M) -> O
    ) {
        if let value, let payload = get(value) {
            write(number, counted: WireWriter.encode(payload))
        }
    }
}
