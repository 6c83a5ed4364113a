package import Memory
package import Protobuf

/// The witness of the decoder: it reads the wire format by hand, without C and without pointers.
///
/// It cuts a message into records. Each field takes those of its number and wire type, and the rest
/// is unknown. Merging, last-wins and packing are each one obvious line.
package struct WireReader: FieldVisitor, OneOfVisitor {
    package enum WireError: Error, Equatable {
        case malformed, invalidUTF8, tooDeep
    }

    private struct Record {
        let number: UInt32
        let wire: UInt64
        let whole: ArraySlice<UInt8>
        /// The payload, without its length.
        let payload: ArraySlice<UInt8>
        var isTaken = false
    }

    private var records: [Record]
    private let arena: Arena
    /// How many more messages may stand inside one another.
    private let levels: Int
    private var failure: WireError?
    /// While the cases of a `oneof` are counted: the last record of each.
    private var isCounting = false
    private var lastOfCases: [(number: UInt32, index: Int)] = []

    package static func decode<M: CodedMessage>(
        _ type: M.Type, _ bytes: [UInt8], _ arena: Arena
    ) throws(WireError) -> M {
        try decode(type, bytes, arena, levels: CodecLimits.messageDepth)
    }

    private static func decode<M: CodedMessage>(
        _ type: M.Type, _ bytes: [UInt8], _ arena: Arena, levels: Int
    ) throws(WireError) -> M {
        var reader = try WireReader(bytes[...], arena, levels: levels)
        var message = M()
        message.visit(&reader)
        if let failure = reader.failure { throw failure }
        return message
    }

    private init(_ bytes: ArraySlice<UInt8>, _ arena: Arena, levels: Int) throws(WireError) {
        guard levels >= 0 else { throw .tooDeep }
        records = try WireReader.records(bytes)
        self.arena = arena
        self.levels = levels
    }

    private static func varint(_ bytes: inout ArraySlice<UInt8>) throws(WireError) -> UInt64 {
        var value: UInt64 = 0
        for shift in 0..<10 {
            guard let byte = bytes.popFirst() else { throw .malformed }
            // Bits beyond 64 are dropped.
            value |= UInt64(byte & 0x7F) << UInt64(7 * shift)
            if byte < 0x80 { return value }
        }
        throw .malformed
    }

    private static func short(_ bytes: inout ArraySlice<UInt8>) throws(WireError) -> UInt64 {
        let before = bytes.count
        let value = try varint(&bytes)
        guard before - bytes.count <= 5 else { throw .malformed }
        return value
    }

    private static func consume(
        _ count: UInt64, _ bytes: inout ArraySlice<UInt8>
    ) throws(WireError) -> ArraySlice<UInt8> {
        guard count <= bytes.count else { throw .malformed }
        defer { bytes = bytes.dropFirst(Int(count)) }
        return bytes.prefix(Int(count))
    }

    /// A number of fixed length, the lowest octet first.
    private static func octets(
        _ count: UInt64, _ bytes: inout ArraySlice<UInt8>
    ) throws(WireError) -> UInt64 {
        try consume(count, &bytes).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func payload(
        _ tag: UInt64, _ bytes: inout ArraySlice<UInt8>, depth: Int
    ) throws(WireError) -> ArraySlice<UInt8> {
        let start = bytes
        switch tag & 7 {
        case 0:
            _ = try varint(&bytes)
            return start.prefix(start.count - bytes.count)
        case 1: return try consume(8, &bytes)
        case 2: return try consume(try short(&bytes), &bytes)
        case 3:
            guard depth < CodecLimits.groupDepth else { throw .tooDeep }
            while true {
                let inner = try self.tag(&bytes)
                if inner == tag + 1 { return start.prefix(0) }
                _ = try payload(inner, &bytes, depth: depth + 1)
            }
        case 5: return try consume(4, &bytes)
        default: throw .malformed
        }
    }

    private static func tag(_ bytes: inout ArraySlice<UInt8>) throws(WireError) -> UInt64 {
        let tag = try short(&bytes)
        guard tag >= 8, tag <= UInt64(UInt32.max) else { throw .malformed }
        return tag
    }

    private static func records(_ bytes: ArraySlice<UInt8>) throws(WireError) -> [Record] {
        var records: [Record] = []
        var rest = bytes
        while !rest.isEmpty {
            let start = rest
            let tag = try tag(&rest)
            let payload = try payload(tag, &rest, depth: 0)
            records.append(
                Record(
                    number: UInt32(tag >> 3), wire: tag & 7,
                    whole: start.prefix(start.count - rest.count), payload: payload))
        }
        return records
    }

    private mutating func attempt<R>(_ fallback: R, _ body: () throws(WireError) -> R) -> R {
        do {
            return try body()
        } catch {
            failure = failure ?? error
            return fallback
        }
    }

    private mutating func fields(
        _ number: UInt32, from: Int = 0, where isRight: (UInt64) -> Bool
    ) -> [(wire: UInt64, payload: ArraySlice<UInt8>)] {
        var taken: [(UInt64, ArraySlice<UInt8>)] = []
        for index in records.indices
        where records[index].number == number && isRight(records[index].wire) {
            records[index].isTaken = true
            if index >= from { taken.append((records[index].wire, records[index].payload)) }
        }
        return taken
    }

    private static func wire(_ kind: ScalarKind) -> UInt64 {
        switch kind {
        case .fixed64, .sfixed64, .double: 1
        case .string, .bytes: 2
        case .fixed32, .sfixed32, .float: 5
        default: 0
        }
    }

    /// Takes one value from the front of `bytes`; a string or bytes takes all of them.
    private mutating func scalar<T: Scalar>(
        _ bytes: inout ArraySlice<UInt8>
    ) throws(WireError) -> T {
        let value: ScalarValue
        switch T.kind {
        case .bool: value = .bool(try WireReader.varint(&bytes) != 0)
        case .int32: value = .int32(Int32(truncatingIfNeeded: try WireReader.varint(&bytes)))
        case .int64: value = .int64(Int64(bitPattern: try WireReader.varint(&bytes)))
        case .uint32: value = .uint32(UInt32(truncatingIfNeeded: try WireReader.varint(&bytes)))
        case .uint64: value = .uint64(try WireReader.varint(&bytes))
        case .enumeration:
            value = .enumeration(Int32(truncatingIfNeeded: try WireReader.varint(&bytes)))
        case .sint32:
            let number = UInt32(truncatingIfNeeded: try WireReader.varint(&bytes))
            value = .int32(Int32(bitPattern: number % 2 == 0 ? number / 2 : ~(number / 2)))
        case .sint64:
            let number = try WireReader.varint(&bytes)
            value = .int64(Int64(bitPattern: number % 2 == 0 ? number / 2 : ~(number / 2)))
        case .fixed32: value = .uint32(UInt32(try WireReader.octets(4, &bytes)))
        case .sfixed32:
            value = .int32(Int32(truncatingIfNeeded: try WireReader.octets(4, &bytes)))
        case .fixed64: value = .uint64(try WireReader.octets(8, &bytes))
        case .sfixed64: value = .int64(Int64(bitPattern: try WireReader.octets(8, &bytes)))
        case .float:
            value = .float(Float(bitPattern: UInt32(try WireReader.octets(4, &bytes))))
        case .double: value = .double(Double(bitPattern: try WireReader.octets(8, &bytes)))
        case .string:
            guard let string = String(validating: bytes, as: UTF8.self) else { throw .invalidUTF8 }
            value = .string(string)
        case .bytes: value = .bytes([UInt8](bytes))
        }
        guard let scalar = T.make(value, arena) else {
            preconditionFailure("the arena of the witness is full")
        }
        return scalar
    }

    /// The last of the values; all are checked.
    private mutating func last<T: Scalar>(_ number: UInt32, from: Int = 0) -> T? {
        var value: T?
        for var (_, payload) in fields(number, from: from, where: { $0 == WireReader.wire(T.kind) })
        {
            do {
                value = try scalar(&payload) as T
            } catch {
                failure = failure ?? error
            }
        }
        return value
    }

    private mutating func message<M: CodedMessage>(_ bytes: [UInt8]) -> M {
        let (arena, below) = (arena, levels - 1)
        return attempt(M()) { () throws(WireError) in
            try WireReader.decode(M.self, bytes, arena, levels: below)
        }
    }

    /// The records of a message are one message: merging is concatenation.
    private mutating func merged<M: CodedMessage>(_ number: UInt32, from: Int = 0) -> M? {
        let payloads = fields(number, from: from) { $0 == 2 }.map(\.payload)
        // Each must be a message by itself: two halves of a record are not messages.
        if payloads.count > 1 {
            for payload in payloads { _ = message([UInt8](payload)) as M }
        }
        return payloads.isEmpty ? nil : message([UInt8](payloads.joined()))
    }

    private func copy<M: CodedMessage>(_ bytes: [UInt8]) -> Encoded<M> {
        guard let copy = bytes.withUnsafeBytes({ arena.copy($0) }) else {
            preconditionFailure("the arena of the witness is full")
        }
        return Encoded(borrowing: copy)
    }

    package mutating func field<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout T
    ) {
        value = last(number) ?? T()
    }

    package mutating func field<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout T?
    ) {
        value = last(number)
    }

    package mutating func field<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [T]
    ) {
        let single = WireReader.wire(T.kind)
        for (wire, whole) in fields(number, where: { $0 == single || $0 == 2 }) {
            var payload = whole
            do {
                if wire == single {
                    value.append(try scalar(&payload))
                } else {
                    while !payload.isEmpty { value.append(try scalar(&payload)) }
                }
            } catch {
                failure = failure ?? error
            }
        }
    }

    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout M?
    ) {
        value = merged(number)
    }

    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [M]
    ) {
        value = fields(number) { $0 == 2 }.map { message([UInt8]($0.payload)) }
    }

    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout Encoded<M>?
    ) {
        let payloads = fields(number) { $0 == 2 }.map(\.payload)
        value = payloads.isEmpty ? nil : copy([UInt8](payloads.joined()))
    }

    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [Encoded<M>]
    ) {
        value = fields(number) { $0 == 2 }.map { copy([UInt8]($0.payload)) }
    }

    private mutating func entries<K: MapKey>(
        _ number: UInt32, _ body: (inout WireReader, K) -> Void
    ) {
        for (_, payload) in fields(number, where: { $0 == 2 }) {
            do throws(WireError) {
                var entry = try WireReader(payload, arena, levels: levels - 1)
                let key: K = entry.last(1) ?? K()
                body(&entry, key)
                if let inner = entry.failure { throw inner }
            } catch {
                failure = failure ?? error
            }
        }
    }

    package mutating func field<K: MapKey, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: T]
    ) {
        var map: [K: T] = [:]
        entries(number) { map[$1] = $0.last(2) ?? T() }
        value = map
    }

    package mutating func field<K: MapKey, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: M]
    ) {
        var map: [K: M] = [:]
        entries(number) { map[$1] = $0.merged(2) ?? M() }
        value = map
    }

    package mutating func oneof<O: OneOf>(_ name: StaticString, _ value: inout O?) {
        lastOfCases = []
        isCounting = true
        O.visit(&value, &self)
        isCounting = false
        O.visit(&value, &self)
    }

    package mutating func unknown(_ fields: inout UnknownFields) {
        fields.bytes = records.filter { !$0.isTaken }.flatMap(\.whole)
    }

    /// The index from which the records of the winning case count, or nil for a case that lost.
    private mutating func start(_ number: UInt32, _ wire: UInt64) -> Int? {
        let found = records.lastIndex { $0.number == number && $0.wire == wire }
        if isCounting {
            if let found { lastOfCases.append((number, found)) }
            return nil
        }
        guard let last = lastOfCases.max(by: { $0.index < $1.index }) else { return nil }
        let others = lastOfCases.filter { $0.number != number }.map(\.index).max() ?? -1
        return last.number == number ? others + 1 : Int.max
    }

    package mutating func field<O: OneOf, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> T?, _ make: (T) -> O
    ) {
        guard let start = start(number, WireReader.wire(T.kind)) else { return }
        // Records of a case that lost must be well formed too.
        _ = last(number) as T?
        if start != Int.max, let payload: T = last(number, from: start) { value = make(payload) }
    }

    package mutating func field<O: OneOf, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> M?, _ make: (M) -> O
    ) {
        guard let start = start(number, 2) else { return }
        if let payload: M = merged(number, from: start) { value = make(payload) }
        // Records of a case that lost must be well formed too.
        for index in records.indices where index < start && records[index].number == number {
            guard records[index].wire == 2 else { continue }
            records[index].isTaken = true
            _ = message([UInt8](records[index].payload)) as M
        }
    }
}
