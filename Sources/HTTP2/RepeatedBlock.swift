import CNghttp2
import Memory

/// A compressed block in which a cached header block came: while the compression table stays, the
/// same bytes mean the same header block.
///
/// nghttp2 need not decode such a block again. It gets a stand-in: a short block with the fields
/// without which it takes no request. So it begins the stream as it would with the block itself. It
/// judged the other fields when it decoded them.
///
/// A block that differs in the written values of open fields alone is such a block too. Plain text
/// is read where it lies; nghttp2 decodes other values with the stand-in.
///
/// It is trivial, and the header block that has it frees it.
struct RepeatedBlock {
    /// A part of the block with an open field.
    private struct OpenPart {
        let name: UnsafeRawBufferPointer
        /// Where the part begins, where its value begins with its length, and where it ends.
        ///
        /// The value begins at the end if the table has it: then the part is the same in each block
        /// that is found.
        let start: Int
        let value: Int
        let end: Int
        /// The same part of the block that ``takesValues(of:_:)`` has looked at: the whole, and its
        /// value, which is nil if it is packed.
        var found = UnsafeRawBufferPointer(start: nil, count: 0)
        var text: UnsafeRawBufferPointer?

        var isWritten: Bool { value < end }
    }

    /// The frame of the stand-in, with room for open fields, and then the bytes of the block.
    private let memory: UnsafeMutableRawBufferPointer
    private let frameBytes: Int
    private let bytes: UnsafeRawBufferPointer

    /// The parts with open fields, and how many there are; none if no value is written out.
    private let parts: UnsafeMutablePointer<OpenPart>
    private let openCount: Int

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
        var rest = CompressedBlock(block)
        var authority: UnsafeRawBufferPointer?
        var found: [OpenPart] = []
        for index in 0..<headers.count {
            let start = rest.offset
            guard let part = rest.next() else { return nil }
            let field = headers.fields[index].field
            // nghttp2 compares the length with the data, and sends by the priority.
            if field.name.isEqual(to: "content-length") || field.name.isEqual(to: "priority") {
                return nil
            }
            // A field that nghttp2 has dropped comes after the authority. So fields and parts are
            // still side by side here.
            if field.name.isEqual(to: ":authority") { authority = part }
            if headers.fields[index].isOpen {
                let value = CompressedBlock.valueOffset(in: part) ?? part.count
                found.append(
                    OpenPart(
                        name: field.name, start: start, value: start + value, end: rest.offset))
            }
        }
        guard let authority else { return nil }
        var kept = HeaderBlock()
        kept.append(open)
        self.open = kept
        // Each field must have been delivered, or another part might be taken for an open field.
        if open.count != found.count || rest.next() != nil || !found.contains(where: \.isWritten) {
            found = []
        }
        var values = kept.makeIterator()
        for index in found.indices { found[index].text = values.next()?.value }
        openCount = found.count
        parts = .allocate(capacity: max(1, found.count))
        parts.initialize(from: found, count: found.count)
        let beginning = [0, 0, 0, UInt8(NGHTTP2_HEADERS.rawValue), 0, 0, 0, 0, 0] + Self.method
        frameBytes = beginning.count + authority.count
        let room = found.reduce(0) { $0 + $1.value - $1.start + Self.valueBytes }
        memory = .allocate(byteCount: frameBytes + room + block.count, alignment: 1)
        memory.copyBytes(from: beginning)
        memory[beginning.count...].copyBytes(from: authority)
        memory[(frameBytes + room)...].copyBytes(from: block)
        bytes = UnsafeRawBufferPointer(rebasing: memory[(frameBytes + room)...])
        self.tableVersion = tableVersion
    }

    /// The longest value of an open field, with its length of up to three bytes.
    private static let valueBytes = 3 + SessionLimits.openFieldBytes

    /// The memory that it takes.
    var memoryBytes: Int {
        memory.count + open.capacity + openCount * MemoryLayout<OpenPart>.stride
    }

    func isSame(_ block: UnsafeRawBufferPointer, _ tableVersion: Int) -> Bool {
        tableVersion == self.tableVersion && block.isEqual(to: bytes)
    }

    // MARK: Other values

    /// Whether a block differs from this one in the values of open fields alone; if so, it finds
    /// these values.
    ///
    /// They are valid as long as the block is.
    func takesValues(of block: UnsafeRawBufferPointer, _ tableVersion: Int) -> Bool {
        guard tableVersion == self.tableVersion, openCount > 0 else { return false }
        // The ends of what was compared, of each block.
        var (mine, its) = (0, 0)
        for index in 0..<openCount {
            let part = parts + index
            let count = part.pointee.value &- mine
            guard Self.areSame(bytes, mine, block, its, count) else { return false }
            let start = its &+ part.pointee.start &- mine
            its &+= count
            if part.pointee.isWritten {
                var rest = CompressedBlock(block, at: its)
                guard let text = rest.text(), text.bytes.count <= Self.longest(text.isPacked)
                else { return false }
                its = rest.offset
                part.pointee.text = text.isPacked ? nil : text.bytes
            }
            mine = part.pointee.end
            part.pointee.found = UnsafeRawBufferPointer(rebasing: block[start..<its])
        }
        let count = bytes.count &- mine
        return block.count &- its == count && Self.areSame(bytes, mine, block, its, count)
    }

    /// Five bits of a packed text, or more, are a character.
    private static func longest(_ isPacked: Bool) -> Int {
        isPacked ? SessionLimits.openFieldBytes * 5 / 8 : SessionLimits.openFieldBytes
    }

    private static func areSame(
        _ mine: UnsafeRawBufferPointer, _ start: Int, _ its: UnsafeRawBufferPointer,
        _ itsStart: Int, _ count: Int
    ) -> Bool {
        guard its.count &- itsStart >= count else { return false }
        return UnsafeRawBufferPointer(rebasing: mine[start..<start &+ count])
            .isEqual(to: UnsafeRawBufferPointer(rebasing: its[itsStart..<itsStart &+ count]))
    }

    /// Whether the values that were found are plain text, which nghttp2 would take as it is.
    var areValuesPlain: Bool {
        for index in 0..<openCount {
            guard let text = parts[index].text, PrintableASCII.arePrintable(text) else {
                return false
            }
        }
        return true
    }

    /// Appends the open fields with the values that were found, which are plain text.
    func appendValues(to headers: inout HeaderBlock) {
        for index in 0..<openCount {
            if let text = parts[index].text { headers.append(parts[index].name, text) }
        }
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

    // MARK: The stand-in

    /// The frame that nghttp2 gets for a frame with the block, valid until the next call.
    ///
    /// - Parameters:
    ///   - header: The header of that frame.
    ///   - isDecoding: Whether nghttp2 is to decode the open fields that were found.
    func standIn(_ header: UnsafeRawBufferPointer, isDecoding: Bool) -> UnsafeRawBufferPointer {
        var count = frameBytes
        if isDecoding {
            for index in 0..<openCount {
                // There is room for it: see `longest(_:)`.
                memory[count...].copyBytes(from: parts[index].found)
                count += parts[index].found.count
            }
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
        parts.deallocate()
        memory.deallocate()
        var open = open
        open.free()
    }
}
