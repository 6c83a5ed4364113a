import HTTP2

/// One connection of a flood, with its calls in flight.
///
/// At each wake-up it reads once, judges the calls that ended, starts as many, and writes once.
final class FloodConnection: LinkedConnection {
    private unowned let run: FloodRun
    let link: ClientLink

    /// The calls by the contexts of their streams: their requests, and when they began.
    @exclusivity(unchecked) private var calls: [(body: Int, begin: UInt64)]
    /// The contexts that no stream has.
    @exclusivity(unchecked) private var free: [Int]
    @exclusivity(unchecked) private var isDraining = false

    var loss: FloodError? { didSet { if let loss { giveUp(loss.message) } } }

    init(to port: UInt16, streams: Int, run: FloodRun) throws(FloodError) {
        self.run = run
        link = try ClientLink(to: port, run.requestHeaders)
        calls = Array(repeating: (0, 0), count: streams)
        free = Array(0..<streams)
        let allowed = link.session.allowedStreams
        guard allowed >= streams else {
            throw FloodError("the server allows \(allowed) streams, not \(streams)")
        }
    }

    /// Whether this connection still has work.
    var isBusy: Bool { loss == nil && (free.count < calls.count || (!isDraining && run.hasMore)) }

    func proceed(at now: UInt64) throws(FloodError) {
        if let code = link.session.goAway {
            guard code == .noError else {
                throw FloodError("the server sent GOAWAY with code \(code.rawValue)")
            }
            // Calls in flight may still be answered. The others end when the connection ends.
            isDraining = true
        }
        guard !run.isPaced else { return }
        while try start(at: now) {}
    }

    /// Starts the next call, if there is one and room for it; ``advance(at:)`` sends it.
    ///
    /// - Returns: Whether it did.
    func startCall(at now: UInt64) -> Bool {
        guard loss == nil else { return false }
        do throws(FloodError) {
            return try start(at: now)
        } catch {
            loss = error
            return false
        }
    }

    private func start(at now: UInt64) throws(FloodError) -> Bool {
        guard !isDraining, let context = free.last, let body = run.nextBody(at: now) else {
            return false
        }
        let stream = try link.session.open(run.bodies[body].message)
        stream.pointee.context = context
        free.removeLast()
        calls[context] = (body, run.start(at: now))
        return true
    }

    /// Ends every call in flight as a failure.
    func giveUp(_ reason: String) {
        for _ in free.count..<calls.count { run.fail(reason) }
        free = Array(calls.indices)
    }

    /// Judges a call whose stream is gone.
    func receive(_ stream: StreamPointer, _ events: StreamEvents, at now: UInt64) throws(FloodError)
    {
        guard events.contains(.closed) else { return }
        let call = calls[stream.pointee.context]
        free.append(stream.pointee.context)
        defer { link.session.release(stream) }
        let bytes = stream.pointee.input.bytes
        run.count(answerBytes: bytes.count)
        guard stream.isRemoteEnded else {
            return run.fail("a stream reset with code \(stream.pointee.closeCode.rawValue)")
        }
        let (httpStatus, status) = (stream.httpStatus, stream.grpcStatus)
        let answer = run.bodies[call.body].answer
        if httpStatus != 200 {
            run.fail("HTTP status \(httpStatus ?? 0)")
        } else if let status, run.isRefusal(status) {
            run.refuse(call.body, status)
        } else if status != 0 {
            run.fail(status.map { "grpc-status \($0)" } ?? "no grpc-status")
        } else if let message = stream.message {
            guard answer?.withUnsafeBytes(bytes.isEqual) ?? true else {
                return run.fail("an answer of \(message.count) bytes that is not the expected one")
            }
            run.succeed(call.body, message, after: now - min(now, call.begin), at: now)
        } else {
            run.fail("\(bytes.count) bytes that are not one plain message")
        }
    }
}
