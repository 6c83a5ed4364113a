/// One request of a flood, ready to be copied to a socket: its DATA frames, stream number left out.
struct RequestBody {
    /// The frames, with zero where the stream number belongs.
    let frames: [UInt8]

    /// Where in ``frames`` the stream number must be written.
    let streamOffsets: [Int]

    /// What the frames take from the windows of flow control.
    let windowBytes: Int

    /// The expected answer behind its five bytes of envelope, or nil if any message will do.
    let answer: [UInt8]?

    init(_ request: Flood.Request) {
        let message = Self.envelope(request.message)
        var frames: [UInt8] = []
        var offsets: [Int] = []
        var sent = 0
        while sent < message.count {
            let part = min(message.count - sent, FloodLimits.frameBytes)
            let isLast = sent + part == message.count
            offsets.append(frames.count + FrameHead.byteCount - 4)
            frames.append(
                frame: FrameHead(
                    length: part, kind: .data, flags: isLast ? FrameFlags.endStream : 0,
                    stream: 0))
            frames.append(contentsOf: message[sent..<sent + part])
            sent += part
        }
        self.frames = frames
        streamOffsets = offsets
        windowBytes = message.count
        answer = request.answer.map(Self.envelope)
    }

    /// A message as gRPC frames it: a byte that says "not compressed", four of length.
    private static func envelope(_ message: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0]
        bytes.append(bigEndian: UInt32(message.count))
        return bytes + message
    }
}
