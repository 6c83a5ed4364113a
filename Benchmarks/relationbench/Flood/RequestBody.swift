/// One request of a flood, ready to be copied to a socket: its DATA frames, without the stream
/// number.
struct RequestBody {
    /// The frames, with zeros in the place of the stream number.
    let frames: [UInt8]

    /// The offsets in ``frames`` where the stream number must be written.
    let streamOffsets: [Int]

    /// The bytes that the frames take from the windows of flow control.
    let windowBytes: Int

    /// The expected answer after its five bytes of envelope; nil if any message will do.
    let answer: [UInt8]?

    /// - Parameter isBare: Whether the message is sent without its envelope.
    init(_ request: Flood.Request, isBare: Bool = false) {
        let message = isBare ? request.message : Self.envelope(request.message)
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

    /// A message in gRPC's frame: a byte that means "not compressed", and four bytes of length.
    private static func envelope(_ message: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0]
        bytes.append(bigEndian: UInt32(message.count))
        return bytes + message
    }
}
