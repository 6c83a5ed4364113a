import RelationModel

/// The parts of one message of a stream of changes that a measurement needs.
///
/// They are read by hand from the encoding. A decoder would cost the load's processor more than the
/// server spends, and would be the server's own.
struct WatchedMessage: Equatable {
    /// Whether it has a token to go on from.
    ///
    /// The last message of the present state has one, and so has every later message.
    var hasToken = false
    var kind = ChangeKind.unspecified
    /// The event's number in its user's log; 0 for an event that is in no log.
    var sequence: Int64 = 0

    /// - Throws: ``FloodError`` if the bytes are not an encoding of a message.
    init(_ bytes: [UInt8], _ range: Range<Int>) throws(FloodError) {
        var fields = FieldCursor(bytes, range)
        while let field = try fields.next() {
            switch (field.number, field.payload) {
            case (1, .some(let text)): hasToken = !text.isEmpty
            case (2, .some(let event)): try readEvent(bytes, event)
            default: break
            }
        }
    }

    private mutating func readEvent(_ bytes: [UInt8], _ range: Range<Int>) throws(FloodError) {
        var fields = FieldCursor(bytes, range)
        while let field = try fields.next() {
            switch (field.number, field.payload) {
            case (1, nil): kind = ChangeKind(rawValue: Int32(truncatingIfNeeded: field.value))
            case (8, nil): sequence = Int64(truncatingIfNeeded: field.value)
            default: break
            }
        }
    }
}

/// Goes through the fields of one encoded message: numbers, and the ranges of all other values.
private struct FieldCursor {
    struct Field {
        let number: Int
        let value: UInt64
        /// Nil for a number.
        let payload: Range<Int>?
    }

    private let bytes: [UInt8]
    private var offset: Int
    private let end: Int

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    mutating func next() throws(FloodError) -> Field? {
        guard offset < end else { return nil }
        let tag = try number()
        switch tag & 7 {
        case 0: return Field(number: Int(tag >> 3), value: try number(), payload: nil)
        case 2:
            let length = try number()
            guard length <= UInt64(end - offset) else { throw FloodError("a field is cut") }
            let payload = offset..<offset + Int(length)
            offset = payload.upperBound
            return Field(number: Int(tag >> 3), value: 0, payload: payload)
        default: throw FloodError("a message has a field of kind \(tag & 7)")
        }
    }

    private mutating func number() throws(FloodError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < end, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw FloodError("a number is cut")
    }
}
