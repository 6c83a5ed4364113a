/// A measured load of commands whose answers come in the order of the commands.
///
/// It is to a server that speaks Redis' protocol what ``Flood`` is to one that speaks gRPC: one
/// thread, bytes made beforehand, and every answer compared byte by byte.
struct PipelineFlood: MeasuredLoad {
    /// The bytes that one command sends, and those that must come back.
    struct Request {
        var command: [UInt8]
        var answer: [UInt8]
    }

    /// The port on 127.0.0.1.
    var port: UInt16
    /// The requests, sent in this order over all connections, and from the beginning again.
    var requests: [Request]
    /// The connections, and the commands that each has in flight.
    var load = Load.reads
    /// The number of commands in all.
    var calls = Int.max
    /// After this time no further command is sent.
    var seconds = 60.0

    /// Sends the commands, and waits for their answers.
    ///
    /// - Throws: ``FloodError`` if there is no connection, or if one is lost, or if an answer is
    ///   another one than is expected or does not come: later ones could be of any call.
    func run() throws(FloodError) -> FloodReport {
        precondition(!requests.isEmpty && load.isSome && calls >= 0)
        return try PipelineRun(self).run()
    }

    func checkedRun(_ title: String) throws(FloodError) -> FloodReport {
        do throws(FloodError) {
            return try run()
        } catch { throw FloodError("\(title): \(error)") }
    }
}

/// A running load: the state that its connections share, and the loop that drives them.
final class PipelineRun {
    let plan: PipelineFlood
    private var started = 0
    private var latencies = LatencyHistogram()

    init(_ plan: PipelineFlood) { self.plan = plan }

    func run() throws(FloodError) -> FloodReport {
        var connections: [PipelineConnection] = []
        for _ in 0..<plan.load.connections {
            connections.append(try PipelineConnection(self))
        }
        let begin = FloodRun.now()
        let last = begin + UInt64(plan.seconds * 1e9)
        let end = last + UInt64(FloodLimits.graceSeconds * 1e9)
        for connection in connections { connection.advance(at: begin) }
        while connections.contains(where: \.isBusy) {
            let now = FloodRun.now()
            guard now < end else { throw FloodError("no answer in time") }
            if now >= last { limit = started }
            try FloodRun.wait(for: connections, until: hasMore ? last : end)
            if let loss = connections.lazy.compactMap(\.loss).first { throw loss }
        }
        if let loss = connections.lazy.compactMap(\.loss).first { throw loss }
        var report = FloodReport()
        report.calls = started
        report.seconds = Double(FloodRun.now() - begin) / 1e9
        report.merge(latencies)
        return report
    }

    /// The commands that are sent in all.
    private lazy var limit = plan.calls

    var hasMore: Bool { started < limit }

    /// The request to send next, or nil if there is none.
    func next() -> Int? {
        guard hasMore else { return nil }
        defer { started += 1 }
        return started % plan.requests.count
    }

    func succeed(after nanoseconds: UInt64) { latencies.add(nanoseconds: nanoseconds) }
}
