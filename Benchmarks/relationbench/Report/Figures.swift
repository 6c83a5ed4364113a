/// The results of one round.
struct Figures {
    let callsPerSecond: Double
    /// The server's processor time for one call, including that of the kernel.
    let cpuMicroseconds: Double
    let p50: Duration
    let p99: Duration
    /// The resident memory of the server at the end of the round.
    let residentBytes: Int
    var instructions: Int?

    init(_ report: FloodReport, from before: ProcessUsage, to after: ProcessUsage) {
        callsPerSecond = report.callsPerSecond
        cpuMicroseconds =
            (after.cpuSeconds - before.cpuSeconds) * 1e6 / Double(max(1, report.calls))
        p50 = report.p50
        p99 = report.p99
        residentBytes = after.residentBytes
    }
}

extension Duration {
    var microseconds: Int {
        Int(self / .microseconds(1))
    }
}
