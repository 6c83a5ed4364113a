import CNghttp2

/// The compressed blocks of the two lists of fields that nearly every answer has: its header block,
/// and its trailers.
///
/// nghttp2 makes each block once. It is remembered if it leaves the client's compression table as
/// it is. Then its bytes mean the same fields until another block changes the table.
///
/// Fields are compared by address, so they must live as long as the process.
struct ResponseHeaderCache {
    /// A compressed header block of at most eight bytes, with its fields.
    struct Block {
        fileprivate var fields: Unmanaged<FixedFields>?
        /// The bytes, the first one lowest.
        var bytes: UInt64 = 0
        var count = 0
    }

    private var headers = Block()
    private var trailers = Block()

    /// Whether the block of the fields is known.
    func hasHeaders(_ fields: Unmanaged<FixedFields>) -> Bool { Self.isSame(headers, fields) }
    func hasTrailers(_ fields: Unmanaged<FixedFields>) -> Bool { Self.isSame(trailers, fields) }

    /// Only the addresses are compared.
    private static func isSame(_ block: Block, _ fields: Unmanaged<FixedFields>) -> Bool {
        block.fields?.toOpaque() == fields.toOpaque()
    }

    /// Forgets all blocks, because the compression table may have changed.
    mutating func forget() {
        headers = Block()
        trailers = Block()
    }

    /// Notes a block that nghttp2 has made.
    ///
    /// - Parameter fields: All its fields, if they are the same for every call.
    mutating func note(
        _ block: UnsafeRawBufferPointer, of fields: Unmanaged<FixedFields>?, isHeaders: Bool
    ) {
        guard CompressedBlock.leavesTable(block) else { return forget() }
        guard let fields, block.count <= MemoryLayout<UInt64>.size else { return }
        var bytes: UInt64 = 0
        for byte in block.reversed() { bytes = bytes << 8 | UInt64(byte) }
        let made = Block(fields: fields, bytes: bytes, count: block.count)
        if isHeaders { headers = made } else { trailers = made }
    }

    /// The block of the fields, if it is still known.
    func block(of fields: Unmanaged<FixedFields>, isHeaders: Bool) -> Block? {
        let block = isHeaders ? headers : trailers
        return Self.isSame(block, fields) ? block : nil
    }
}

extension FixedFields {
    /// Adds all fields as literals that are in no table (RFC 7541, section 6.2.2).
    func writeOut(to block: inout ByteQueue) {
        for index in 0..<count {
            let field = fields[index]
            block.append(byte: 0)
            block.append(text: UnsafeRawBufferPointer(start: field.name, count: field.namelen))
            block.append(text: UnsafeRawBufferPointer(start: field.value, count: field.valuelen))
        }
    }
}

extension ByteQueue {
    fileprivate mutating func append(byte: UInt8) {
        reserve(1).storeBytes(of: byte, as: UInt8.self)
        advance(1)
    }

    /// Adds a text as it is, after its length (RFC 7541, section 5.2).
    fileprivate mutating func append(text: UnsafeRawBufferPointer) {
        let largest = 0x7F
        append(byte: UInt8(min(text.count, largest)))
        var rest = text.count - largest
        while rest >= 0 {
            append(byte: UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest = rest > 0x7F ? rest >> 7 : -1
        }
        append(text)
    }
}
