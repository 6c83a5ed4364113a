import CNghttp2

/// Where in what its peer sends a session stands: between two frames, or within one.
///
/// nghttp2 does not tell, and passes over some frames without a word: who sends the beginning of
/// one and no more would be found by nobody.
package struct FrameWalk {
    private static let headBytes = 9

    /// Bytes still to come of the frame's payload; at first of what a client sends before all
    /// frames.
    private var left: Int

    /// Bytes that have come of a frame's head, and the first five of them: length, type and flags.
    private var headCount = 0
    private var head: UInt64 = 0

    /// Whether the frame ends its header block.
    private var isLastOfBlock = false

    /// Whether a header block is not complete: its frame, or one that continues it, is to come.
    package private(set) var isInHeaderBlock = false

    /// Counts what has begun: a frame, or a header block with all its frames.
    package private(set) var number = 0

    init(role: Role) {
        left = role == .server ? Int(NGHTTP2_CLIENT_MAGIC_LEN) : 0
    }

    /// Whether a frame or a header block has begun and is not complete.
    package var isInside: Bool { left > 0 || headCount > 0 || isInHeaderBlock }

    /// Goes over the bytes that came.
    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        var place = 0
        while place < bytes.count {
            if left > 0 {
                let step = min(left, bytes.count - place)
                left -= step
                place += step
                if left == 0 { endFrame() }
            } else if headCount == 0, bytes.count - place >= Self.headBytes {
                if !isInHeaderBlock { number &+= 1 }
                let start = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
                head = UInt64(UInt32(bigEndian: start)) << 8 | UInt64(bytes[place + 4])
                place += Self.headBytes
                beginFrame()
            } else {
                take(headByte: bytes[place])
                place += 1
            }
        }
    }

    private mutating func take(headByte byte: UInt8) {
        if headCount == 0, !isInHeaderBlock { number &+= 1 }
        if headCount < 5 { head = head << 8 | UInt64(byte) }
        headCount += 1
        if headCount == Self.headBytes { beginFrame() }
    }

    /// A frame's head is complete.
    private mutating func beginFrame() {
        headCount = 0
        left = Int(head >> 16 & 0xFF_FFFF)
        switch nghttp2_frame_type(UInt32(head >> 8 & 0xFF)) {
        case NGHTTP2_HEADERS, NGHTTP2_CONTINUATION:
            isInHeaderBlock = true
            isLastOfBlock = head & UInt64(NGHTTP2_FLAG_END_HEADERS.rawValue) != 0
        default: isLastOfBlock = false
        }
        if left == 0 { endFrame() }
    }

    private mutating func endFrame() {
        if isLastOfBlock { isInHeaderBlock = false }
    }
}
