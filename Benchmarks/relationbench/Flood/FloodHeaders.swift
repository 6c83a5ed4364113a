/// The fields of every request of a connection after its `:method`, compressed in two forms.
///
/// A connection's first request writes them out, and puts those that HPACK's static table does not
/// hold into the dynamic table. Each later request has one byte for each field. So the server's
/// cost of reading headers is the least possible, as with clients of gRPC that call often. The
/// session cannot make these blocks: nghttp2 writes the path and the credential out each time.
struct FloodHeaders {
    /// The fields of the first request: literals, added to the dynamic table.
    let first: [UInt8]
    /// The fields of every other request: indices only.
    let later: [UInt8]

    init(
        path: String, authority: String, contentType: String = "application/grpc",
        metadata: [(name: String, value: String)]
    ) {
        let literals: [(nameIndex: UInt8, name: String, value: String)] =
            [
                (4, ":path", path),
                (1, ":authority", authority),
                (31, "content-type", contentType),
                (0, "te", "trailers"),
                (0, "user-agent", "relationbench"),
            ] + metadata.map { (0, $0.name, $0.value) }

        // `:scheme http` is entry 6 of the static table.
        var first: [UInt8] = [0x86]
        var later = first
        for (index, literal) in literals.enumerated() {
            first.append(0x40 | literal.nameIndex)
            if literal.nameIndex == 0 { Self.append(text: literal.name, to: &first) }
            Self.append(text: literal.value, to: &first)
            // The field that was added last has index 62, the one before it 63, and so on. All are
            // below 127, the first index of two bytes.
            later.append(0x80 | UInt8(62 + literals.count - 1 - index))
        }
        (self.first, self.later) = (first, later)
    }

    /// A field that is written out, and that no table keeps.
    static func field(_ name: String, _ value: String) -> [UInt8] {
        var field: [UInt8] = [0]
        append(text: name, to: &field)
        append(text: value, to: &field)
        return field
    }

    private static func append(text: String, to block: inout [UInt8]) {
        let text = Array(text.utf8)
        // An HPACK integer (RFC 7541, section 5.1) of at most two bytes.
        precondition(text.count < 127 + 128, "a value is too long")
        block += text.count < 127 ? [UInt8(text.count)] : [127, UInt8(text.count - 127)]
        block += text
    }
}
