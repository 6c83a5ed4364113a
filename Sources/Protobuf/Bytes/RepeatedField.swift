/// A field that names the items of a request, which are counted without decoding the request.
package struct RepeatedField: Sendable {
    /// The field's number and wire type.
    private let tag: UInt32

    /// - Precondition: The schema has a repeated field of that name, and each of its elements is a
    ///   record of its own: a string, bytes, or a message.
    package init(_ schema: Schema, _ name: StaticString) {
        let field = schema.fields.first { $0.name == name.description }
        guard let field, field.label == .repeated, !field.isPacked, !field.type.isPackable else {
            preconditionFailure("\(schema.fullName) has no field \(name) with a record for each")
        }
        // A record with a length is of wire type 2.
        tag = field.number << 3 | 2
    }

    /// Whether the message of these bytes has more than `limit` elements.
    ///
    /// It looks no further than it must. The bytes need not be well formed: elements behind a fault
    /// are not counted, and whoever decodes the message finds the fault.
    package func hasMore(than limit: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
        // An element takes two bytes at least.
        guard bytes.count / 2 > limit,
            let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { return false }
        var wire = Wire(next: start, end: start + bytes.count)
        var count = 0
        while !wire.isAtEnd, let found = wire.tag() {
            guard wire.skipPayload(of: found) == .done else { return false }
            guard found == tag else { continue }
            count &+= 1
            // The elements mostly stand one behind another, and are short.
            while wire.rest > 1, UInt32(wire.next[0]) == tag, count <= limit {
                let length = Int(wire.next[1])
                guard length < 0x80, length <= wire.rest &- 2 else { break }
                wire.next += 2 &+ length
                count &+= 1
            }
            if count > limit { return true }
        }
        return false
    }
}
