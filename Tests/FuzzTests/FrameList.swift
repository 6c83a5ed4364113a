import PeerSupport

/// Bytes as frames of HTTP/2, however broken; bytes at the end that form no frame stay as they are.
struct FrameList {
    var frames: [Frame] = []
    var rest: [UInt8] = []

    init(_ bytes: some Collection<UInt8>) {
        var left = ArraySlice(Array(bytes))
        while left.count >= 9 {
            let length = Int(Frame.number(left.prefix(3)))
            guard left.count >= 9 + length else { break }
            let head = Array(left.prefix(9))
            frames.append(
                Frame(
                    type: head[3], flags: head[4], stream: Frame.number(head[5...]),
                    payload: Array(left.dropFirst(9).prefix(length))))
            left = left.dropFirst(9 + length)
        }
        rest = Array(left)
    }

    /// Whether the peer ends the connection.
    ///
    /// Once no stream is open, nghttp2 reads no further piece, and then it matters where the pieces
    /// begin.
    var hasGoAway: Bool { frames.contains { $0.kind == .goAway } }

    var bytes: [UInt8] { frames.flatMap(\.bytes) + rest }
}

/// The frames that a session sends, checked against the rules as far as the frames show it.
struct SentFrames {
    let list: FrameList

    /// - Throws: ``Broken``.
    init(_ bytes: [UInt8], settingsFirst: Bool) throws(Broken) {
        list = FrameList(bytes)
        try require(list.rest.isEmpty, "a frame was sent in part")
        if settingsFirst, let first = list.frames.first {
            try require(first.kind == .settings, "the first frame is \(first)")
        }
        var ended: Set<UInt32> = []
        var reset: Set<UInt32> = []
        var block: UInt32?
        for frame in list.frames {
            try require(frame.payload.count <= 16_384, "a frame of \(frame.payload.count) bytes")
            try require(
                (frame.kind == .continuation) == (block != nil)
                    && (block ?? frame.stream)
                        == frame.stream,
                "a header block that is not in one piece: \(frame)")
            let endsBlock = frame.flags & Frame.endHeaders != 0
            switch frame.kind {
            case .headers, .data:
                try require(!ended.contains(frame.stream), "sent after the end: \(frame)")
                try require(!reset.contains(frame.stream), "sent after a reset: \(frame)")
                if frame.kind == .headers, !endsBlock { block = frame.stream }
                if frame.flags & Frame.endStream != 0 { ended.insert(frame.stream) }
            case .continuation:
                if endsBlock { block = nil }
            case .resetStream:
                try require(reset.insert(frame.stream).inserted, "reset twice: \(frame)")
            default: break
            }
        }
    }
}
