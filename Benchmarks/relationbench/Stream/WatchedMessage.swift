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
    init(_ bytes: UnsafeRawBufferPointer) throws(FloodError) {
        var fields = FieldCursor(rest: bytes)
        while let field = try fields.next() {
            switch (field.number, field.payload) {
            case (1, .some(let text)): hasToken = !text.isEmpty
            case (2, .some(let event)): try readEvent(event)
            default: break
            }
        }
    }

    private mutating func readEvent(_ bytes: UnsafeRawBufferPointer) throws(FloodError) {
        var fields = FieldCursor(rest: bytes)
        while let field = try fields.next() {
            switch (field.number, field.payload) {
            case (1, nil): kind = ChangeKind(rawValue: Int32(truncatingIfNeeded: field.value))
            case (8, nil): sequence = Int64(truncatingIfNeeded: field.value)
            default: break
            }
        }
    }
}

/// Goes through the fields of one encoded message: numbers, and the bytes of all other values.
private struct FieldCursor {
    struct Field {
        let number: Int
        var value: UInt64 = 0
        /// Nil for a number.
        var payload: UnsafeRawBufferPointer?
    }

    var rest: UnsafeRawBufferPointer

    mutating func next() throws(FloodError) -> Field? {
        guard !rest.isEmpty else { return nil }
        let tag = try number()
        var field = Field(number: Int(tag >> 3))
        switch tag & 7 {
        case 0: field.value = try number()
        case 2:
            let length = try number()
            guard length <= UInt64(rest.count) else { throw FloodError("a field is cut") }
            field.payload = .init(rebasing: rest.prefix(Int(length)))
            rest = .init(rebasing: rest.dropFirst(Int(length)))
        default: throw FloodError("a message has a field of kind \(tag & 7)")
        }
        return field
    }

    private mutating func number() throws(FloodError) -> UInt64 {
        var value: UInt64 = 0
        for (index, byte) in rest.prefix(10).enumerated() {
            value |= UInt64(byte & 0x7F) << (7 * UInt64(index))
            guard byte >= 0x80 else {
                rest = .init(rebasing: rest.dropFirst(index + 1))
                return value
            }
        }
        throw FloodError("a number is cut")
    }
}
