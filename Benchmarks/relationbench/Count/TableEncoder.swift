/// Compresses the headers of a connection as grpc-go does: each field goes into the table.
///
/// So each header block with a new value moves all other fields in the table by one, and pushes old
/// ones out in the end.
struct TableEncoder {
    /// The fields of the table, the newest one first, and their size (RFC 7541, section 4.1).
    private var entries: [(name: String, value: String)] = []
    private var size = 0

    /// The names that a request has in HPACK's static table.
    private static let names = [":authority": 1, ":path": 4, "content-type": 31, "user-agent": 58]
    private static let tableBytes = 4_096
    private static let staticFields = 61

    /// The compressed form of fields; `packed` are the names whose values are packed.
    mutating func block(
        _ fields: [(name: String, value: String)], packed: Set<String>
    ) -> [UInt8] {
        var block: [UInt8] = []
        for field in fields {
            if let index = entries.firstIndex(where: { $0 == field }) {
                block += Self.integer(Self.staticFields + 1 + index, 0x80, bits: 7)
                continue
            }
            let known = entries.firstIndex { $0.name == field.name }
            let name =
                Self.names[field.name] ?? known.map { Self.staticFields + 1 + $0 } ?? 0
            block += Self.integer(name, 0x40, bits: 6)
            if name == 0 { block += Self.text(field.name) }
            block += packed.contains(field.name) ? Self.packed(field.value) : Self.text(field.value)
            add(field)
        }
        return block
    }

    private mutating func add(_ field: (name: String, value: String)) {
        entries.insert(field, at: 0)
        size += Self.bytes(field)
        while size > Self.tableBytes { size -= Self.bytes(entries.removeLast()) }
    }

    private static func bytes(_ field: (name: String, value: String)) -> Int {
        field.name.utf8.count + field.value.utf8.count + 32
    }

    /// A number after a prefix (RFC 7541, section 5.1).
    private static func integer(_ number: Int, _ prefix: UInt8, bits: UInt8) -> [UInt8] {
        let most = 1 << Int(bits) - 1
        guard number >= most else { return [prefix | UInt8(number)] }
        precondition(number - most < 128, "a number is too large")
        return [prefix | UInt8(most), UInt8(number - most)]
    }

    private static func text(_ text: String) -> [UInt8] {
        integer(text.utf8.count, 0, bits: 7) + Array(text.utf8)
    }

    /// The codes of the characters of times and traces, with their bits (RFC 7541, appendix B).
    private static let codes: [Character: (code: UInt32, bits: Int)] = [
        "0": (0x0, 5), "1": (0x1, 5), "2": (0x2, 5), "3": (0x19, 6), "4": (0x1A, 6),
        "5": (0x1B, 6), "6": (0x1C, 6), "7": (0x1D, 6), "8": (0x1E, 6), "9": (0x1F, 6),
        "a": (0x3, 5), "b": (0x23, 6), "c": (0x4, 5), "d": (0x24, 6), "e": (0x5, 5),
        "f": (0x25, 6), "-": (0x16, 6), "u": (0x2D, 6),
    ]

    private static func packed(_ text: String) -> [UInt8] {
        var (bytes, rest, count): ([UInt8], UInt32, Int) = ([], 0, 0)
        for character in text {
            guard let (code, bits) = codes[character] else {
                preconditionFailure("no value of these fields has the character \(character)")
            }
            rest = rest << UInt32(bits) | code
            count += bits
            while count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: rest >> UInt32(count)))
            }
        }
        // The end is filled with ones.
        if count > 0 {
            let end = rest << UInt32(8 - count) | 0xFF >> UInt32(count)
            bytes.append(UInt8(truncatingIfNeeded: end))
        }
        return integer(bytes.count, 0x80, bits: 7) + bytes
    }
}
