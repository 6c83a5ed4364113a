import CNghttp2

/// A compressed block in which a known head came: while the compression table stays, the same bytes
/// mean the same head.
///
/// nghttp2 need not decode such a block again. It gets a stand-in: a short block with the fields
/// without which it takes no request. So it begins the stream as it would with the block itself. It
/// judged the other fields when it decoded them.
///
/// It is trivial, and the head that has it frees it.
struct RepeatedBlock {
    /// The frame of the stand-in, and the bytes of the block after it.
    private let memory: UnsafeMutableRawBufferPointer
    private let frameBytes: Int

    /// The peer's compression table when the block came; see ``FrameWalk/tableTurn``.
    private var tableTurn: Int

    /// The open fields of the head, as the block has them.
    let open: HeaderBlock

    /// The field `:method CONNECT`, with its name from HPACK's static table.
    ///
    /// This method needs no field but the authority. nghttp2 treats all methods alike once a
    /// request has begun.
    private static let method: [UInt8] = [0x02, 0x07] + Array("CONNECT".utf8)

    /// Nil if nghttp2 must see the head itself: for a field that nghttp2 acts on later, or since
    /// the block is long.
    ///
    /// - Parameter block: Leaves the compression table as it is, so it has a part for each field.
    init?(
        _ block: UnsafeRawBufferPointer, of head: KnownHead, _ tableTurn: Int, open: HeaderBlock
    ) {
        guard block.count <= SessionLimits.repeatedBlockBytes else { return nil }
        var parts = CompressedBlock(block)
        var authority: UnsafeRawBufferPointer?
        for index in 0..<head.count {
            guard let part = parts.next() else { return nil }
            let field = head.fields[index].field
            // nghttp2 compares the length with the data, and sends by the priority.
            if field.name.isEqual(to: "content-length") || field.name.isEqual(to: "priority") {
                return nil
            }
            if field.name.isEqual(to: ":authority") { authority = part }
        }
        guard let authority else { return nil }
        let standInBytes = Self.method.count + authority.count
        frameBytes = FrameWalk.headBytes + standInBytes
        memory = .allocate(byteCount: frameBytes + block.count, alignment: 1)
        let frame =
            [0, UInt8(standInBytes >> 8), UInt8(standInBytes & 0xFF)]
            + [UInt8(NGHTTP2_HEADERS.rawValue), 0, 0, 0, 0, 0] + Self.method
        memory.copyBytes(from: frame)
        memory[frame.count...].copyBytes(from: authority)
        memory[frameBytes...].copyBytes(from: block)
        self.tableTurn = tableTurn
        var kept = HeaderBlock()
        kept.append(open)
        self.open = kept
    }

    /// The memory that it takes.
    var memoryBytes: Int { memory.count + open.capacity }

    func isSame(_ block: UnsafeRawBufferPointer, _ tableTurn: Int) -> Bool {
        tableTurn == self.tableTurn
            && block.isEqual(to: UnsafeRawBufferPointer(rebasing: memory[frameBytes...]))
    }

    /// Whether the block is the same one, which means the same head with another compression table;
    /// it applies to that table from now on.
    mutating func isRenewed(
        by block: UnsafeRawBufferPointer, _ tableTurn: Int, open: HeaderBlock
    ) -> Bool {
        guard isSame(block, self.tableTurn), open.isEqual(to: self.open) else { return false }
        self.tableTurn = tableTurn
        return true
    }

    /// The frame that nghttp2 gets for a frame with the block, valid until the next call.
    ///
    /// - Parameter head: The head of that frame.
    func standIn(_ head: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        // The flags, and the number of the stream.
        memory[4] = head[4]
        let stream = head.loadUnaligned(fromByteOffset: 5, as: UInt32.self)
        memory.storeBytes(of: stream, toByteOffset: 5, as: UInt32.self)
        return UnsafeRawBufferPointer(rebasing: memory[..<frameBytes])
    }

    func free() {
        memory.deallocate()
        var open = open
        open.free()
    }
}
