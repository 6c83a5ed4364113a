import Protobuf
import Support

/// Reads documents of BSON as values of extended JSON, within the bytes that there are.
struct BSONReader {
    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { index == bytes.count }

    /// The members of the document that is here; nil if there is none.
    mutating func document() -> [(key: String, value: JSONValue)]? {
        depth += 1
        defer { depth -= 1 }
        let begin = index
        guard depth <= MigrationLimits.documentDepth, let length = int32(), length >= 5,
            begin + length <= bytes.count
        else { return nil }
        var members: [(key: String, value: JSONValue)] = []
        while index < begin + length - 1 {
            let kind = bytes[index]
            index += 1
            guard let key = name(), let value = value(of: kind) else { return nil }
            members.append((key, value))
        }
        guard index == begin + length - 1, bytes[index] == 0 else { return nil }
        index += 1
        return members
    }

    private mutating func value(of kind: UInt8) -> JSONValue? {
        switch kind {
        case 0x01: return bits(8).map { .number("\(Double(bitPattern: $0))") }
        case 0x02, 0x0d, 0x0e: return string().map { .string($0) }
        case 0x03: return document().map { .object($0) }
        case 0x04: return document().map { .array($0.map(\.value)) }
        case 0x05:
            guard let length = int32(), length >= 0, skip(length + 1) else { return nil }
            return .null
        case 0x07:
            let begin = index
            guard skip(12) else { return nil }
            return .string(String(hexadecimal: Array(bytes[begin..<begin + 12])))
        case 0x08: return bits(1).map { .bool($0 != 0) }
        case 0x09:
            return bits(8).map { .object([("$date", .number("\(Int64(bitPattern: $0))"))]) }
        case 0x0a, 0x06, 0xff, 0x7f: return .null
        case 0x0b: return name() != nil && name() != nil ? .null : nil
        case 0x10: return int32().map { .number("\($0)") }
        case 0x11, 0x12: return bits(8).map { .number("\(Int64(bitPattern: $0))") }
        case 0x13: return skip(16) ? .null : nil
        default: return nil
        }
    }

    private mutating func skip(_ count: Int) -> Bool {
        guard count <= bytes.count - index else { return false }
        index += count
        return true
    }

    /// A number of so many bytes, the lowest first.
    private mutating func bits(_ count: Int) -> UInt64? {
        let begin = index
        guard skip(count) else { return nil }
        return (0..<count).reduce(0) { $0 | UInt64(bytes[begin + $1]) << (8 * UInt64($1)) }
    }

    private mutating func int32() -> Int? {
        bits(4).map { Int(Int32(truncatingIfNeeded: $0)) }
    }

    private mutating func string() -> String? {
        guard let length = int32(), length >= 1 else { return nil }
        let begin = index
        guard skip(length), bytes[index - 1] == 0 else { return nil }
        return String(validating: bytes[begin..<index - 1], as: UTF8.self)
    }

    private mutating func name() -> String? {
        guard let end = bytes[index...].firstIndex(of: 0) else { return nil }
        defer { index = end + 1 }
        return String(validating: bytes[index..<end], as: UTF8.self)
    }
}
