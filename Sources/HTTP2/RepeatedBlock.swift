import CNghttp2

/// A compressed block in which a cached header block came: while the compression table stays, the
/// same bytes mean the same header block.
///
/// nghttp2 need not decode such a block again. It gets a stand-in: a short block with the fields
/// without which it takes no request. So it begins the stream as it would with the block itself. It
/// judged the other fields when it decoded them.
///
/// It is trivial, and the header block that has it frees it.
struct RepeatedBlock {
    /// The frame of the stand-in, with room for an open field, and then the bytes of the block.
    private let memory: UnsafeMutableRawBufferPointer
    private let frameBytes: Int
    private let bytes: UnsafeRawBufferPointer

    /// Where the open field is in the block, if it is written out there; otherwise an empty range.
    private let openPart: Range<Int>
    /// Where the value of that field is, with its length.
    private let valueStart: Int

    /// The peer's compression table when the block came; see ``FrameWalk/tableVersion``.
    private var tableVersion: Int

    /// The open fields of the header block, as the block has them.
    let open: HeaderBlock

    /// The field `:method CONNECT`, with its name from HPACK's static table.
    ///
    /// This method needs no field but the authority. nghttp2 treats all methods alike once a
    /// request has begun.
    private static let method: [UInt8] = [0x02, 0x07] + Array("CONNECT".utf8)

    /// Nil if nghttp2 must see the header block itself: for a field that nghttp2 acts on later, or
    /// since the block is long.
    ///
    /// - Parameter block: Leaves the compression table as it is, so it has a part for each field.
    init?(
        _ block: UnsafeRawBufferPointer, of headers: CachedHeaders, _ tableVersion: Int,
        open: HeaderBlock
    ) {
        guard block.count <= SessionLimits.repeatedBlockBytes else { return nil }
        var parts = CompressedBlock(block)
        var authority: UnsafeRawBufferPointer?
        var (openPart, valueStart) = (0..<0, 0)
        for index in 0..<headers.count {
            let start = parts.offset
            guard let part = parts.next() else { return nil }
            let field = headers.fields[index].field
            // nghttp2 compares the length with the data, and sends by the priority.
            if field.name.isEqual(to: "content-length") || field.name.isEqual(to: "priority") {
                return nil
            }
            // A field that nghttp2 has dropped comes after the authority. So fields and parts are
            // still side by side here.
            if field.name.isEqual(to: ":authority") { authority = part }
            if headers.fields[index].isOpen, let value = CompressedBlock.valueOffset(in: part) {
                (openPart, valueStart) = (start..<parts.offset, start + value)
            }
        }
        guard let authority else { return nil }
        // Each field must have been delivered, or another part might be taken for the open field.
        if open.count != 1 || parts.next() != nil { openPart = 0..<0 }
        self.openPart = openPart
        self.valueStart = valueStart
        let beginning = [0, 0, 0, UInt8(NGHTTP2_HEADERS.rawValue), 0, 0, 0, 0, 0] + Self.method
        frameBytes = beginning.count + authority.count
        let room = openPart.isEmpty ? 0 : valueStart - openPart.lowerBound + Self.valueBytes
        memory = .allocate(byteCount: frameBytes + room + block.count, alignment: 1)
        memory.copyBytes(from: beginning)
        memory[beginning.count...].copyBytes(from: authority)
        memory[(frameBytes + room)...].copyBytes(from: block)
        bytes = UnsafeRawBufferPointer(rebasing: memory[(frameBytes + room)...])
        self.tableVersion = tableVersion
        var kept = HeaderBlock()
        kept.append(open)
        self.open = kept
    }

    /// The longest value of an open field, with its length: five bits of a packed text, or more,
    /// are a character.
    private static let valueBytes = 1 + SessionLimits.openFieldBytes * 5 / 8

    /// The memory that it takes.
    var memoryBytes: Int { memory.count + open.capacity }

    func isSame(_ block: UnsafeRawBufferPointer, _ tableVersion: Int) -> Bool {
        tableVersion == self.tableVersion && block.isEqual(to: bytes)
    }

    /// The part of a block with its open field, if the block differs from this one in the value of
    /// that field alone.
    func openPart(
        of block: UnsafeRawBufferPointer, _ tableVersion: Int
    ) -> UnsafeRawBufferPointer? {
        guard tableVersion == self.tableVersion, !openPart.isEmpty, block.count > valueStart,
            UnsafeRawBufferPointer(rebasing: block[..<valueStart])
                .isEqual(to: UnsafeRawBufferPointer(rebasing: bytes[..<valueStart]))
        else { return nil }
        let start = openPart.lowerBound
        var parts = CompressedBlock(UnsafeRawBufferPointer(rebasing: block[start...]))
        guard let part = parts.next(), part.count <= valueStart - start + Self.valueBytes,
            UnsafeRawBufferPointer(rebasing: block[(start + part.count)...])
                .isEqual(to: UnsafeRawBufferPointer(rebasing: bytes[openPart.upperBound...]))
        else { return nil }
        return part
    }

    /// Whether the block is the same one, which means the same header block with another
    /// compression table; it applies to that table from now on.
    mutating func isRenewed(
        by block: UnsafeRawBufferPointer, _ tableVersion: Int, open: HeaderBlock
    ) -> Bool {
        guard isSame(block, self.tableVersion), open.isEqual(to: self.open) else { return false }
        self.tableVersion = tableVersion
        return true
    }

    /// The frame that nghttp2 gets for a frame with the block, valid until the next call.
    ///
    /// - Parameters:
    ///   - header: The header of that frame.
    ///   - part: The open field, if nghttp2 is to decode it.
    func standIn(
        _ header: UnsafeRawBufferPointer, with part: UnsafeRawBufferPointer?
    ) -> UnsafeRawBufferPointer {
        var count = frameBytes
        if let part {
            // There is room for it: see `openPart(of:_:)`.
            memory[count...].copyBytes(from: part)
            count += part.count
        }
        // The block is far shorter than a frame may be, so its length has two bytes.
        let length = UInt16(count - FrameWalk.headerBytes)
        memory.storeBytes(of: length.bigEndian, toByteOffset: 1, as: UInt16.self)
        // The flags, and the number of the stream.
        memory[4] = header[4]
        let stream = header.loadUnaligned(fromByteOffset: 5, as: UInt32.self)
        memory.storeBytes(of: stream, toByteOffset: 5, as: UInt32.self)
        return UnsafeRawBufferPointer(rebasing: memory[..<count])
    }

    func free() {
        memory.deallocate()
        var open = open
        open.free()
    }
}
