/// One connection on which streams of changes are opened, and reset a little later.
final class ResetConnection: PolledConnection {
    private let link: FrameLink
    private let request: RequestBody
    private let head: RequestHead
    private var nextStream: UInt32 = 1
    private var open: UInt32?
    private var sent = 0

    /// Streams that were opened and reset.
    private(set) var resets = 0
    /// Why the connection cannot be used any more.
    private(set) var loss: FloodError?

    init(to port: UInt16, _ request: RequestBody, head: RequestHead) throws(FloodError) {
        self.request = request
        self.head = head
        link = try FrameLink(to: port)
    }

    var hasOutput: Bool { link.hasOutput }

    var pollDescriptor: Int32 { loss == nil ? link.descriptor : -1 }

    /// Resets the stream that is open, and opens another.
    func turn(at now: UInt64) {
        guard loss == nil else { return }
        if let open {
            link.appendReset(of: open)
            resets += 1
            self.open = nil
        }
        // The server gives back the window of requests that it has read; a run of minutes never
        // needs it.
        guard sent + request.windowBytes <= FloodLimits.initialWindowBytes else { return }
        link.append(nextStream == 1 ? head.first : head.later, request, on: nextStream)
        sent += request.windowBytes
        open = nextStream
        nextStream += 2
        advance(at: now)
    }

    func advance(at now: UInt64) {
        guard loss == nil else { return }
        do throws(FloodError) {
            // Answers of streams are skipped: most streams are reset before they send anything.
            try link.receive { (event) throws(FloodError) in
                switch event {
                case .window(let bytes): sent -= bytes
                case .goAway: throw FloodError("the server said goodbye to who resets streams")
                case .data, .head, .reset, .settings: break
                }
            }
            try link.flush()
        } catch {
            loss = error
        }
    }
}
