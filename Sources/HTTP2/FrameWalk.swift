import CNghttp2

/// The position of a session in the bytes of its peer: between two frames, or within one.
///
/// nghttp2 does not report this, and skips some frames silently. So a peer that sends the beginning
/// of a frame and no more would never be found. The walk also notices the frames that the session
/// must judge.
package struct FrameWalk {
    /// Why the walk has stopped.
    enum Notice {
        case nothing
        /// The frame header of `DATA` or `HEADERS` on a stream that the peer has ended.
        case afterEnd
        /// The frame header of `DATA` or `HEADERS` on a stream that the peer has reset; reported
        /// once for a stream.
        case afterReset
        /// The frame header of `HEADERS` from a client on a stream that it has begun before.
        case secondHeaderBlock
        /// The frame header of `HEADERS` from a client on a stream that is not above the last one,
        /// and that is not remembered.
        case unknownHeaderBlock
        /// The frame header of a `DATA` frame without bytes.
        case emptyData
        /// The whole header block of `HEADERS` from a client that begins a stream.
        case request
        /// Bytes of the identifier in a client's `GOAWAY`.
        case lastStream
    }

    static let headerBytes = 9

    private let role: Role

    /// Bytes still to come of the frame's payload, or at first of the bytes that a client sends
    /// before all frames.
    private var left: Int

    /// The bytes of a frame's header that have come: the first five (length, type and flags), and
    /// the others.
    private var headerCount = 0
    private var header: UInt64 = 0
    private var tail: UInt32 = 0

    /// Bytes to come that belong to a ``Notice/lastStream``.
    private var lastStreamBytes = 0

    /// Whether the frame ends its header block.
    private var isLastOfBlock = false

    /// Whether a header block is incomplete: its frame, or one that continues it, is to come.
    package private(set) var isInHeaderBlock = false

    /// Counts the frames that have begun; a header block with all its frames counts as one.
    package private(set) var number = 0

    /// Counts the header blocks that may have changed the peer's compression table.
    ///
    /// While it stays, the same compressed bytes have the same meaning.
    private(set) var tableVersion = 0

    private(set) var notice = Notice.nothing

    init(role: Role) {
        self.role = role
        left = role == .server ? Int(NGHTTP2_CLIENT_MAGIC_LEN) : 0
    }

    /// Whether a frame or a header block has begun and is incomplete.
    package var isInside: Bool { left > 0 || headerCount > 0 || isInHeaderBlock }

    /// The stream of the last frame.
    var stream: UInt32 { tail & 0x7FFF_FFFF }

    /// Goes over the received bytes, up to the first ``notice``, or to `limit` and perhaps the end
    /// of a frame's header.
    ///
    /// - Returns: How many bytes it went over. The bytes that it notices are the last of them.
    mutating func advance(
        _ bytes: UnsafeRawBufferPointer, upTo limit: Int, _ sides: inout PeerSides
    ) -> Int {
        notice = .nothing
        var offset = 0
        while offset < limit, notice == .nothing {
            if left > 0 {
                if lastStreamBytes > 0, offset > 0 { return offset }
                offset += skipPayload(limit - offset)
            } else if headerCount == 0, bytes.count - offset >= Self.headerBytes {
                if !isInHeaderBlock { number &+= 1 }
                let start = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                header = UInt64(UInt32(bigEndian: start)) << 8 | UInt64(bytes[offset + 4])
                let end = bytes.loadUnaligned(fromByteOffset: offset + 5, as: UInt32.self)
                tail = UInt32(bigEndian: end)
                offset += Self.headerBytes
                beginFrame(&sides)
            } else {
                advance(headerByte: bytes[offset], &sides)
                offset += 1
            }
        }
        return offset
    }

    private mutating func skipPayload(_ count: Int) -> Int {
        var step = min(left, count)
        if lastStreamBytes > 0 {
            step = min(step, lastStreamBytes)
            lastStreamBytes -= step
            notice = .lastStream
        }
        left -= step
        if left == 0 { endFrame() }
        return step
    }

    private mutating func advance(headerByte byte: UInt8, _ sides: inout PeerSides) {
        if headerCount == 0, !isInHeaderBlock { number &+= 1 }
        if headerCount < 5 {
            header = header << 8 | UInt64(byte)
        } else {
            tail = tail << 8 | UInt32(byte)
        }
        headerCount += 1
        guard headerCount == Self.headerBytes else { return }
        beginFrame(&sides)
        if notice == .request {
            notice = .nothing
            tableVersion &+= 1
        }
    }

    /// Goes over the header block of a ``Notice/request``, if it is whole at the start of `bytes`
    /// and nothing else is in its frame.
    ///
    /// A block that is not may change the compression table.
    ///
    /// - Returns: The block.
    mutating func takeBlock(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let others = NGHTTP2_FLAG_PADDED.rawValue | NGHTTP2_FLAG_PRIORITY.rawValue
        let count = left
        guard isLastOfBlock, header & UInt64(others) == 0, count <= bytes.count else {
            tableVersion &+= 1
            return nil
        }
        if count > 0 { _ = skipPayload(count) }
        return UnsafeRawBufferPointer(rebasing: bytes[..<count])
    }

    /// Notes that a block of a ``Notice/request`` may change the compression table.
    mutating func noteTableChange() { tableVersion &+= 1 }

    /// Handles a frame's header that is complete.
    private mutating func beginFrame(_ sides: inout PeerSides) {
        headerCount = 0
        left = Int(header >> 16 & 0xFF_FFFF)
        isLastOfBlock = false
        let ends = header & UInt64(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        let isOdd = stream & 1 == 1
        switch nghttp2_frame_type(UInt32(header >> 8 & 0xFF)) {
        // Nothing may come on streams with even identifiers, which a server begins.
        case NGHTTP2_DATA:
            if isOdd { notice = beginData(ends, &sides) }
        case NGHTTP2_HEADERS:
            if isOdd { notice = beginHeaders(ends, &sides) }
            if notice != .request { tableVersion &+= 1 }
            beginBlock()
        case NGHTTP2_CONTINUATION:
            tableVersion &+= 1
            beginBlock()
        case NGHTTP2_RST_STREAM:
            if isOdd, sides.side(of: stream) != .ended { sides.note(stream, .reset) }
        case NGHTTP2_GOAWAY:
            if role == .server { lastStreamBytes = min(left, 4) }
        default: break
        }
        if left == 0 { endFrame() }
    }

    private mutating func beginBlock() {
        isInHeaderBlock = true
        isLastOfBlock = header & UInt64(NGHTTP2_FLAG_END_HEADERS.rawValue) != 0
    }

    private func beginData(_ ends: Bool, _ sides: inout PeerSides) -> Notice {
        let side = sides.side(of: stream)
        if side == .ended { return .afterEnd }
        if ends { sides.note(stream, .ended) }
        guard side != .reset else { return beginAfterReset(ends, &sides) }
        return left == 0 && !ends ? .emptyData : .nothing
    }

    private func beginHeaders(_ ends: Bool, _ sides: inout PeerSides) -> Notice {
        let isNew = sides.isNew(stream)
        let side = isNew ? .unknown : sides.side(of: stream)
        if side == .ended { return .afterEnd }
        if ends || isNew && role == .server { sides.note(stream, ends ? .ended : .begun) }
        guard side != .reset else { return beginAfterReset(ends, &sides) }
        // A client knows which streams it has begun, and so does nghttp2.
        if role == .client { return .nothing }
        if isNew { return .request }
        return side == .begun ? .secondHeaderBlock : .unknownHeaderBlock
    }

    private func beginAfterReset(_ ends: Bool, _ sides: inout PeerSides) -> Notice {
        if !ends { sides.note(stream, .begun) }
        return .afterReset
    }

    private mutating func endFrame() {
        if isLastOfBlock { isInHeaderBlock = false }
    }
}
