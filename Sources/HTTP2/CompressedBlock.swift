/// The compressed form of a header block (RFC 7541, section 6), as far as a session reads it
/// itself: where each field begins, and whether it changes the compression table.
struct CompressedBlock {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0

    /// - Parameter offset: Where a field begins, or a text of one.
    init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    /// Whether the reader of a block has the same compression table before and after it.
    ///
    /// The same bytes then mean the same fields, until another block changes the table. A broken
    /// block counts as one that changes it.
    static func leavesTable(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var block = CompressedBlock(bytes)
        while block.offset < bytes.count {
            guard block.next() != nil else { return false }
        }
        return true
    }

    /// The bytes of the next field; nil at the end, and for anything that changes the table.
    mutating func next() -> UnsafeRawBufferPointer? {
        guard offset < bytes.count else { return nil }
        let start = offset
        let first = bytes[offset]
        if first & 0x80 != 0 {
            guard integer(prefixBits: 7) != nil else { return nil }
        } else {
            // 01 begins a field that is added to the table, and 001 a new size of the table.
            guard first & 0x60 == 0, let name = integer(prefixBits: 4) else { return nil }
            guard name > 0 || skipText(), skipText() else { return nil }
        }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    }

    /// Where the value of a field begins, with its length; nil for a field that the table has.
    static func valueOffset(in part: UnsafeRawBufferPointer) -> Int? {
        var block = CompressedBlock(part)
        guard part.first.map({ $0 & 0xE0 == 0 }) == true,
            let name = block.integer(prefixBits: 4), name > 0 || block.skipText()
        else { return nil }
        return block.offset
    }

    private mutating func skipText() -> Bool { text() != nil }

    /// Takes a text, which may be packed (RFC 7541, section 5.2); nil if it is cut off.
    mutating func text() -> (bytes: UnsafeRawBufferPointer, isPacked: Bool)? {
        guard offset < bytes.count else { return nil }
        let isPacked = bytes[offset] & 0x80 != 0
        guard let count = integer(prefixBits: 7), count <= bytes.count - offset else { return nil }
        let start = offset
        offset += count
        return (UnsafeRawBufferPointer(rebasing: bytes[start..<offset]), isPacked)
    }

    /// Takes a number (RFC 7541, section 5.1); nil if it is cut off or has more than three bytes.
    private mutating func integer(prefixBits: UInt8) -> Int? {
        let largest = UInt8(1) << prefixBits - 1
        let first = bytes[offset] & largest
        offset += 1
        guard first == largest else { return Int(first) }
        var value = Int(largest)
        for shift in stride(from: 0, through: 7, by: 7) {
            guard offset < bytes.count else { return nil }
            let byte = bytes[offset]
            offset += 1
            value += Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
