/// The header block of every request of a flood, in its two forms.
///
/// A connection's first request writes the fields out, and puts those that HPACK's static table
/// does not hold into the dynamic table. Each later request has one byte for each field. So the
/// server's cost of reading headers is the least possible, as with a real client that calls often.
struct RequestHead {
    /// The block of the first request: literal fields, added to the dynamic table.
    let first: [UInt8]

    /// The block of every other request: indices only.
    let later: [UInt8]

    /// The size of the entries that ``first`` adds to the server's table.
    let tableBytes: Int

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

        // `:method POST` and `:scheme http` are entries 3 and 6 of the static table.
        var first: [UInt8] = [0x83, 0x86]
        var later = first
        var tableBytes = 0
        for (index, literal) in literals.enumerated() {
            first.append(0x40 | literal.nameIndex)
            if literal.nameIndex == 0 { Self.append(text: literal.name, to: &first) }
            Self.append(text: literal.value, to: &first)
            // The field that was added last has index 62, the one before it 63, and so on.
            Self.append(
                integer: 62 + literals.count - 1 - index, prefixBits: 7, pattern: 0x80, to: &later)
            tableBytes += literal.name.utf8.count + literal.value.utf8.count + 32
        }
        self.first = first
        self.later = later
        self.tableBytes = tableBytes
    }

    /// The bytes that must precede the first block if the server's table is smaller than usual.
    static func tableSizeUpdate(_ bytes: Int) -> [UInt8] {
        var update: [UInt8] = []
        append(integer: bytes, prefixBits: 5, pattern: 0x20, to: &update)
        return update
    }

    private static func append(text: String, to block: inout [UInt8]) {
        append(integer: text.utf8.count, prefixBits: 7, pattern: 0, to: &block)
        block.append(contentsOf: text.utf8)
    }

    /// An HPACK integer (RFC 7541, section 5.1).
    private static func append(
        integer: Int, prefixBits: Int, pattern: UInt8, to block: inout [UInt8]
    ) {
        let largest = 1 << prefixBits - 1
        guard integer >= largest else {
            block.append(pattern | UInt8(integer))
            return
        }
        block.append(pattern | UInt8(largest))
        var rest = integer - largest
        while rest >= 128 {
            block.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        block.append(UInt8(rest))
    }
}
