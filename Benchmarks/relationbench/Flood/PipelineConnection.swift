import Glibc

/// One connection of a ``PipelineFlood``, with its commands in flight.
///
/// At each wake-up it reads once, takes all whole answers, sends as many commands as were answered,
/// and writes once.
final class PipelineConnection: PolledConnection {
    private unowned let run: PipelineRun
    private let socket: Socket
    private var input = [UInt8](repeating: 0, count: FloodLimits.inputBytes)
    private var output: [UInt8] = []
    private var written = 0
    /// The commands in flight in a ring, from `first` on: their requests, and when they were sent.
    private var ring: [(request: Int, begin: UInt64)]
    private var first = 0
    private var inFlight = 0
    /// The bytes of the first command's answer that have come.
    private var matched = 0
    /// Why the connection cannot be used any more.
    private(set) var loss: FloodError?

    init(_ run: PipelineRun) throws(FloodError) {
        self.run = run
        socket = try Socket(connectingTo: run.plan.port)
        ring = Array(repeating: (0, 0), count: run.plan.load.streams)
    }

    /// Whether this connection still has work.
    var isBusy: Bool { loss == nil && (inFlight > 0 || run.hasMore) }

    var hasOutput: Bool { written < output.count }

    var pollDescriptor: Int32 { loss == nil ? socket.descriptor : -1 }

    func advance(at now: UInt64) {
        guard loss == nil else { return }
        do throws(FloodError) {
            try receive(at: now)
            while inFlight < ring.count, let request = run.next() {
                ring[(first + inFlight) % ring.count] = (request, now)
                inFlight += 1
                output += run.plan.requests[request].command
            }
            try flush()
        } catch { loss = error }
    }

    private func receive(at now: UInt64) throws(FloodError) {
        // `withUnsafeMutableBytes` would lose the error's type.
        let count = try input.withUnsafeMutableBufferPointer { (part) throws(FloodError) in
            try socket.read(into: UnsafeMutableRawBufferPointer(part))
        }
        guard let count else { return }
        var offset = 0
        while offset < count {
            guard inFlight > 0 else { throw FloodError("bytes after the last answer") }
            let (request, begin) = ring[first]
            let length = try match(run.plan.requests[request].answer, offset..<count)
            offset += length
            matched += length
            guard matched == run.plan.requests[request].answer.count else { continue }
            matched = 0
            first = (first + 1) % ring.count
            inFlight -= 1
            run.succeed(after: now - min(now, begin))
        }
    }

    /// The bytes of `range` that belong to `answer`, which they continue.
    private func match(_ answer: [UInt8], _ range: Range<Int>) throws(FloodError) -> Int {
        let length = min(answer.count - matched, range.count)
        let isSame = answer.withUnsafeBytes { answer in
            input.withUnsafeBytes { input in
                // Both have `length` bytes from these places on.
                memcmp(answer.baseAddress! + matched, input.baseAddress! + range.lowerBound, length)
                    == 0
            }
        }
        guard isSame else {
            let text = String(decoding: input[range].prefix(80), as: UTF8.self)
            throw FloodError("an answer that is not the expected one: \(text)")
        }
        return length
    }

    private func flush() throws(FloodError) {
        while hasOutput {
            let count = try socket.write(output, from: written)
            guard count > 0 else { return }
            written += count
        }
        output.removeAll(keepingCapacity: true)
        written = 0
    }
}
