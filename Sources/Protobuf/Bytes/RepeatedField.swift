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
    /// It reads no further than it must. The bytes need not be well formed: elements after an error
    /// are not counted, and whoever decodes the message finds the error.
    package func hasMore(than limit: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
        // An element takes two bytes at least.
        guard bytes.count / 2 > limit,
            let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { return false }
        var wire = Wire(next: start, end: start + bytes.count)
        var count = 0
        while !wire.isAtEnd, let found = wire.tag() {
            guard found == tag else {
                guard skip(found, in: &wire) else { return false }
                continue
            }
            guard let length = wire.length() else { return false }
            wire.next += length
            count &+= 1
            // The elements mostly stand one after another, and are short, and so is their tag.
            while tag < 0x80, wire.rest > 1, UInt32(wire.next[0]) == tag, count <= limit {
                let length = Int(wire.next[1])
                guard length < 0x80, length <= wire.rest &- 2 else { break }
                wire.next += 2 &+ length
                count &+= 1
            }
            if count > limit { return true }
        }
        return false
    }

    /// Skips the payload of another field, which is mostly a text.
    @inline(__always) private func skip(_ found: UInt32, in wire: inout Wire) -> Bool {
        guard found & 7 == 2 else { return wire.skipPayload(of: found) == .done }
        guard let length = wire.length() else { return false }
        wire.next += length
        return true
    }
}
