import CNghttp2

/// Where in what its peer sends a session stands: between two frames, or within one.
///
/// nghttp2 does not tell, and passes over some frames without a word: who sends the beginning of
/// one and no more would be found by nobody. So the walk also notices what the session must judge.
package struct FrameWalk {
    /// Why the walk stands still.
    enum Notice {
        case nothing
        /// The head of `DATA` or `HEADERS` on a stream that the peer has ended.
        case afterEnd
        /// The same on one that the peer has reset: once, and what follows is no news.
        case afterReset
        /// The head of `HEADERS` from a client on a stream that it has begun before.
        case secondHead
        /// The same on a stream that is not above the last one, and of which nothing is remembered.
        case unknownHead
        /// The head of `DATA` that brings nothing.
        case emptyData
        /// Bytes of the identifier in a client's `GOAWAY`.
        case lastStream
    }

    private static let headBytes = 9

    private let role: Role

    /// Bytes still to come of the frame's payload; at first of what a client sends before all
    /// frames.
    private var left: Int

    /// Bytes that have come of a frame's head, the first five of them (length, type and flags), and
    /// the others.
    private var headCount = 0
    private var head: UInt64 = 0
    private var tail: UInt32 = 0

    /// Bytes to come that are a ``Notice/lastStream``.
    private var lastStreamBytes = 0

    /// Whether the frame ends its header block.
    private var isLastOfBlock = false

    /// Whether a header block is not complete: its frame, or one that continues it, is to come.
    package private(set) var isInHeaderBlock = false

    /// Counts what has begun: a frame, or a header block with all its frames.
    package private(set) var number = 0

    private(set) var notice = Notice.nothing

    init(role: Role) {
        self.role = role
        left = role == .server ? Int(NGHTTP2_CLIENT_MAGIC_LEN) : 0
    }

    /// Whether a frame or a header block has begun and is not complete.
    package var isInside: Bool { left > 0 || headCount > 0 || isInHeaderBlock }

    /// The stream of the last frame.
    var stream: UInt32 { tail & 0x7FFF_FFFF }

    /// Goes over the bytes that came, up to the first ``notice``.
    ///
    /// - Returns: How many bytes it went over; those of which it takes notice are the last of them.
    mutating func take(_ bytes: UnsafeRawBufferPointer, _ sides: inout PeerSides) -> Int {
        notice = .nothing
        var place = 0
        while place < bytes.count, notice == .nothing {
            if left > 0 {
                if lastStreamBytes > 0, place > 0 { return place }
                place += takePayload(bytes.count - place)
            } else if headCount == 0, bytes.count - place >= Self.headBytes {
                if !isInHeaderBlock { number &+= 1 }
                let start = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
                head = UInt64(UInt32(bigEndian: start)) << 8 | UInt64(bytes[place + 4])
                let end = bytes.loadUnaligned(fromByteOffset: place + 5, as: UInt32.self)
                tail = UInt32(bigEndian: end)
                place += Self.headBytes
                beginFrame(&sides)
            } else {
                take(headByte: bytes[place], &sides)
                place += 1
            }
        }
        return place
    }

    private mutating func takePayload(_ count: Int) -> Int {
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

    private mutating func take(headByte byte: UInt8, _ sides: inout PeerSides) {
        if headCount == 0, !isInHeaderBlock { number &+= 1 }
        if headCount < 5 {
            head = head << 8 | UInt64(byte)
        } else {
            tail = tail << 8 | UInt32(byte)
        }
        headCount += 1
        if headCount == Self.headBytes { beginFrame(&sides) }
    }

    /// A frame's head is complete.
    private mutating func beginFrame(_ sides: inout PeerSides) {
        headCount = 0
        left = Int(head >> 16 & 0xFF_FFFF)
        isLastOfBlock = false
        let ends = head & UInt64(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        let isOdd = stream & 1 == 1
        switch nghttp2_frame_type(UInt32(head >> 8 & 0xFF)) {
        // On streams with even identifiers, which a server begins, nothing may come at all.
        case NGHTTP2_DATA:
            if isOdd { notice = beginData(ends, &sides) }
        case NGHTTP2_HEADERS:
            if isOdd { notice = beginHeaders(ends, &sides) }
            beginBlock()
        case NGHTTP2_CONTINUATION:
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
        isLastOfBlock = head & UInt64(NGHTTP2_FLAG_END_HEADERS.rawValue) != 0
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
        // A client knows which streams it has begun, and nghttp2 as well.
        if isNew || role == .client { return .nothing }
        return side == .begun ? .secondHead : .unknownHead
    }

    private func beginAfterReset(_ ends: Bool, _ sides: inout PeerSides) -> Notice {
        if !ends { sides.note(stream, .begun) }
        return .afterReset
    }

    private mutating func endFrame() {
        if isLastOfBlock { isInHeaderBlock = false }
    }
}
