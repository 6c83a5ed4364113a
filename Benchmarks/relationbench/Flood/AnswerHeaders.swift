/// Reads the header blocks of one connection's answers (HPACK, RFC 7541), as far as a flood needs
/// them.
///
/// It keeps the dynamic table that the server builds, so it must see every block in order.
struct AnswerHeaders {
    /// The meaning of one field for a flood.
    enum Meaning: Equatable {
        case httpStatus(Int)
        case grpcStatus(Int)
        case other
    }

    private struct Entry {
        let name: [UInt8]
        let meaning: Meaning
        let tableBytes: Int

        init(name: [UInt8], value: [UInt8]) {
            self.name = name
            tableBytes = name.count + value.count + 32
            meaning =
                switch String(decoding: name, as: UTF8.self) {
                case ":status": .httpStatus(Self.number(value))
                case "grpc-status": .grpcStatus(Self.number(value))
                default: .other
                }
        }

        /// A number, or -1 for bytes that are not a number; no status equals -1.
        private static func number(_ value: [UInt8]) -> Int {
            Int(String(decoding: value, as: UTF8.self)) ?? -1
        }
    }

    private static let staticEntries = StaticHeaderTable.fields.map {
        Entry(name: Array($0.name.utf8), value: Array($0.value.utf8))
    }
    private static let huffman = HuffmanCode()

    /// Copies of the two tables above: to read a lazy global would cost a check on every field.
    private let staticEntries = Self.staticEntries
    private let huffman = Self.huffman

    /// The dynamic table, newest entry first.
    private var entries: [Entry] = []
    private var tableBytes = 0
    private var maxTableBytes = FloodLimits.headerTableBytes

    /// Reads the block at `range` of `bytes` and calls `body` for each field.
    ///
    /// - Throws: ``FloodError`` for a block that breaks the rules of HPACK.
    mutating func read(
        _ bytes: [UInt8], _ range: Range<Int>, _ body: (Meaning) -> Void
    ) throws(FloodError) {
        var cursor = range.lowerBound
        let end = range.upperBound
        while cursor < end {
            let first = bytes[cursor]
            if first & 0x80 != 0 {
                let index = try integer(7, bytes, &cursor, end)
                body(try meaning(at: index))
            } else if first & 0xE0 == 0x20 {
                let size = try integer(5, bytes, &cursor, end)
                guard size <= FloodLimits.headerTableBytes else { throw Self.broken }
                maxTableBytes = size
                evict()
            } else {
                let isAdded = first & 0x40 != 0
                let index = try integer(isAdded ? 6 : 4, bytes, &cursor, end)
                let name =
                    index == 0
                    ? try text(bytes, &cursor, end) : try entry(at: index).name
                let entry = Entry(name: name, value: try text(bytes, &cursor, end))
                if isAdded { add(entry) }
                body(entry.meaning)
            }
        }
    }

    private static let broken = FloodError("the server sent a header block that breaks HPACK")

    private func meaning(at index: Int) throws(FloodError) -> Meaning {
        let slot = index - 1 - staticEntries.count
        if slot >= 0, slot < entries.count { return entries[slot].meaning }
        return try entry(at: index).meaning
    }

    private func entry(at index: Int) throws(FloodError) -> Entry {
        guard index > 0 else { throw Self.broken }
        guard index > staticEntries.count else { return staticEntries[index - 1] }
        let slot = index - 1 - staticEntries.count
        guard slot < entries.count else { throw Self.broken }
        return entries[slot]
    }

    private mutating func add(_ entry: Entry) {
        entries.insert(entry, at: 0)
        tableBytes += entry.tableBytes
        evict()
    }

    private mutating func evict() {
        while tableBytes > maxTableBytes, let oldest = entries.popLast() {
            tableBytes -= oldest.tableBytes
        }
    }

    private func integer(
        _ prefixBits: Int, _ bytes: [UInt8], _ cursor: inout Int, _ end: Int
    ) throws(FloodError) -> Int {
        let largest = 1 << prefixBits - 1
        var value = Int(bytes[cursor]) & largest
        cursor += 1
        guard value == largest else { return value }
        var shift = 0
        while cursor < end, shift <= 28 {
            let byte = Int(bytes[cursor])
            cursor += 1
            value += (byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
        throw Self.broken
    }

    private func text(
        _ bytes: [UInt8], _ cursor: inout Int, _ end: Int
    ) throws(FloodError) -> [UInt8] {
        guard cursor < end else { throw Self.broken }
        let isHuffman = bytes[cursor] & 0x80 != 0
        let length = try integer(7, bytes, &cursor, end)
        guard length <= end - cursor else { throw Self.broken }
        let raw = bytes[cursor..<cursor + length]
        cursor += length
        guard isHuffman else { return Array(raw) }
        guard let text = huffman.decode(raw) else { throw Self.broken }
        return text
    }
}
