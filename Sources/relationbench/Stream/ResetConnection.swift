/// One connection on which streams of changes are opened, and reset a little later.
final class ResetConnection: PolledConnection {
    private let socket: Socket
    private let request: RequestBody
    private let head: RequestHead
    private var input = FrameReader()
    private var output: [UInt8] = []
    private var written = 0
    private var nextStream: UInt32 = 1
    private var open: UInt32?
    private var sent = 0

    /// Streams that were opened and reset.
    private(set) var resets = 0
    /// Why the connection is of no more use.
    private(set) var loss: FloodError?

    init(to port: UInt16, _ request: RequestBody, head: RequestHead) throws(FloodError) {
        self.request = request
        self.head = head
        socket = try Socket(connectingTo: port)
        output.append(contentsOf: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        output.append(frame: FrameHead(length: 6, kind: .settings, flags: 0, stream: 0))
        output.append(setting: SettingCode.initialWindowBytes, UInt32(FloodLimits.windowBytes))
        output.append(frame: FrameHead(length: 4, kind: .windowUpdate, flags: 0, stream: 0))
        output.append(bigEndian: UInt32(FloodLimits.windowBytes - FloodLimits.initialWindowBytes))
    }

    var hasOutput: Bool { written < output.count }

    var pollDescriptor: Int32 { loss == nil ? socket.descriptor : -1 }

    /// Resets the stream that is open, and opens another.
    func turn(at now: UInt64) {
        guard loss == nil else { return }
        if let open {
            output.append(
                frame: FrameHead(length: 4, kind: .resetStream, flags: 0, stream: open))
            output.append(bigEndian: FloodLimits.cancelCode)
            resets += 1
            self.open = nil
        }
        // The server gives back what it has read; a run of minutes never needs it.
        guard sent + request.windowBytes <= FloodLimits.initialWindowBytes else { return }
        let block = nextStream == 1 ? head.first : head.later
        output.append(
            frame: FrameHead(
                length: block.count, kind: .headers, flags: FrameFlags.endHeaders,
                stream: nextStream))
        output.append(contentsOf: block)
        let start = output.count
        output.append(contentsOf: request.frames)
        for offset in request.streamOffsets {
            output.patch(bigEndian: nextStream, at: start + offset)
        }
        sent += request.windowBytes
        open = nextStream
        nextStream += 2
        advance(at: now)
    }

    func advance(at now: UInt64) {
        guard loss == nil else { return }
        do throws(FloodError) {
            try receive()
            guard hasOutput else { return }
            written += try socket.write(output, from: written)
            guard written == output.count else { return }
            output.removeAll(keepingCapacity: true)
            written = 0
        } catch {
            loss = error
        }
    }

    /// Answers of streams are passed over: most are reset before they say anything.
    private func receive() throws(FloodError) {
        let count = try input.fill { (buffer) throws(FloodError) in
            try socket.read(into: buffer) ?? 0
        }
        guard count > 0 else { return }
        while let frame = try input.next() {
            switch frame.head.kind {
            case .settings where frame.head.flags & FrameFlags.acknowledge == 0:
                output.append(
                    frame: FrameHead(
                        length: 0, kind: .settings, flags: FrameFlags.acknowledge, stream: 0))
            case .windowUpdate where frame.head.stream == 0 && frame.payload.count == 4:
                sent -= Int(input.bytes.uint32(at: frame.payload.lowerBound))
            case .goAway: throw FloodError("the server said goodbye to who resets streams")
            default: break
            }
        }
    }
}
