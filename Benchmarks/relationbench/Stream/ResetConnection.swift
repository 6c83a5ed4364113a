import HTTP2

/// One connection on which streams of changes are opened, and reset a little later.
final class ResetConnection: LinkedConnection {
    let link: ClientLink
    private let request: [UInt8]
    private var open: StreamPointer?
    /// Streams that were opened and reset.
    private(set) var resets = 0
    var loss: FloodError?

    init(to port: UInt16, _ request: [UInt8], requestHeaders: FloodHeaders) throws(FloodError) {
        self.request = [UInt8](enveloping: request)
        link = try ClientLink(to: port, requestHeaders)
    }

    /// Resets the stream that is open, and opens another.
    func turn(at now: UInt64) {
        guard loss == nil else { return }
        do throws(FloodError) {
            if let open {
                self.open = nil
                try link.session.reset(open)
                resets += 1
            }
            open = try link.session.open(request)
        } catch { loss = error }
        advance(at: now)
    }

    /// Answers of streams are skipped: most streams are reset before anything comes.
    func receive(_ stream: StreamPointer, _ events: StreamEvents, at now: UInt64) throws(FloodError)
    {
        guard !events.contains(.closed) else { throw FloodError("a stream ended by itself") }
        link.session.drop(stream.pointee.input.count, of: stream)
    }
}
