import HTTP2

/// One connection to the server under test: a ``ClientSession`` over a socket that does not block.
final class ClientLink {
    let session: ClientSession
    private let socket: Socket
    private var input = [UInt8](repeating: 0, count: FloodLimits.inputBytes)
    @exclusivity(unchecked) private var written = 0
    /// Whether it reads its input; otherwise the server's bytes fill its socket.
    var isReading = true

    /// Connects, and waits for the server's settings, so that no call goes beyond them.
    init(to port: UInt16, _ requestHeaders: FloodHeaders) throws(FloodError) {
        session = try ClientSession(requestHeaders)
        socket = try Socket(connectingTo: port)
        let end = FloodRun.now() + UInt64(FloodLimits.graceSeconds * 1e9)
        while !session.isGreeted {
            guard FloodRun.now() < end else { throw FloodError("the server does not greet") }
            try flush()
            try socket.awaitInput(until: end)
            try receive()
        }
        try flush()
    }

    var hasOutput: Bool { written < session.output.count }

    /// The descriptor to wait for, or one that `poll` ignores.
    var pollDescriptor: Int32 { isReading || hasOutput ? socket.descriptor : -1 }

    /// Reads once what has come; the session has the streams on which it came.
    func receive() throws(FloodError) {
        guard isReading else { return }
        // `withUnsafeMutableBytes` would lose the error's type.
        try input.withUnsafeMutableBufferPointer { (part) throws(FloodError) in
            let part = UnsafeMutableRawBufferPointer(part)
            guard let count = try socket.read(into: part) else { return }
            try session.receive(UnsafeRawBufferPointer(rebasing: part[..<count]))
        }
    }

    /// Writes as much as the socket accepts.
    func flush() throws(FloodError) {
        guard hasOutput else { return }
        written += try socket.write(session.output, from: written)
        guard !hasOutput else { return }
        session.output.removeAll(keepingCapacity: true)
        written = 0
    }
}

/// The user of a ``ClientLink``, which a loop drives.
protocol LinkedConnection: PolledConnection {
    var link: ClientLink { get }
    /// Why the connection cannot be used any more.
    var loss: FloodError? { get set }
    /// Takes what came on a stream.
    func receive(_ stream: StreamPointer, _ events: StreamEvents, at now: UInt64) throws(FloodError)
    /// Called after all that came was taken, before the output is written.
    func proceed(at now: UInt64) throws(FloodError)
}

extension LinkedConnection {
    var hasOutput: Bool { link.hasOutput }
    var pollDescriptor: Int32 { loss == nil ? link.pollDescriptor : -1 }

    func advance(at now: UInt64) {
        guard loss == nil else { return }
        do throws(FloodError) {
            try link.receive()
            while let (stream, events) = link.session.nextReady() {
                try receive(stream, events, at: now)
            }
            try proceed(at: now)
            try link.flush()
        } catch { loss = error }
    }

    /// A server that sends GOAWAY ends most measurements.
    func proceed(at now: UInt64) throws(FloodError) {
        guard link.session.goAway == nil else { throw FloodError("the server sent GOAWAY") }
    }
}
