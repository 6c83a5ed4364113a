/// Fields of a message as their encoding, one after another in the order of their numbers.
///
/// An event has the row that it reports, and the row is encoded already. So the event is put
/// together from the encoded parts, as the codec would write them.
struct EncodedFields {
    private(set) var bytes: [UInt8] = []

    var isEmpty: Bool { bytes.isEmpty }

    mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(bytes.count + count)
    }

    /// Appends a number, unless it is 0.
    mutating func append(_ number: UInt32, _ value: Int64) {
        guard value != 0 else { return }
        append(varint: UInt64(number) << 3)
        append(varint: UInt64(bitPattern: value))
    }

    /// Appends a text, unless it is empty.
    mutating func append(_ number: UInt32, _ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            guard !utf8.isEmpty else { return }
            appendPrefix(number, length: utf8.count)
            bytes.append(contentsOf: utf8)
        }
    }

    /// Appends a message.
    mutating func append(_ number: UInt32, message: UnsafeRawBufferPointer) {
        appendPrefix(number, length: message.count)
        bytes.append(contentsOf: message)
    }

    /// Appends fields that are encoded already.
    mutating func append(_ fields: EncodedFields) {
        bytes.append(contentsOf: fields.bytes)
    }

    /// Appends the tag and the length before a text or a message.
    mutating func appendPrefix(_ number: UInt32, length: Int) {
        append(varint: UInt64(number) << 3 | 2)
        append(varint: UInt64(length))
    }

    private mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// How many bytes a number takes without its tag.
    static func bytes(of value: UInt64) -> Int {
        (70 - (value | 1).leadingZeroBitCount) / 7
    }

    /// How many bytes a text takes with its tag, whose number is below 16.
    static func bytes(ofField text: String) -> Int {
        let count = text.utf8.count
        return count == 0 ? 0 : 1 + bytes(of: UInt64(count)) + count
    }
}
