import Glibc

/// The time of some processors, as the kernel has counted it since the machine started.
struct ProcessorTime {
    /// Seconds in which programs or the kernel ran, in which the machine ran others, and of all.
    var busy = 0.0
    var stolen = 0.0
    var total = 0.0

    /// The time of `processors` until now.
    init(of processors: [Int]) {
        self.init(
            of: processors, stat: readText("/proc/stat") ?? "",
            ticksPerSecond: Double(sysconf(Int32(_SC_CLK_TCK))))
    }

    /// - Parameter stat: The text of `/proc/stat`: lines of a name and the ticks of each kind of
    ///   time: user, nice, system, idle, waiting, interrupts of two kinds, stolen.
    init(of processors: [Int], stat: String, ticksPerSecond: Double) {
        let names = Set(processors.map { "cpu\($0)" })
        for line in stat.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let name = words.first, names.contains(String(name)) else { continue }
            let ticks = words.dropFirst().prefix(8).map { Double($0) ?? 0 }
            guard ticks.count == 8 else { continue }
            let all = ticks.reduce(0, +)
            busy += (all - ticks[3] - ticks[4] - ticks[7]) / ticksPerSecond
            stolen += ticks[7] / ticksPerSecond
            total += all / ticksPerSecond
        }
    }
}

/// The work of others on the processors of a measurement.
struct Disturbance {
    /// The shares of the processors' time that the machine gave to others, and that other programs
    /// used.
    let stolen: Double
    let others: Double

    /// - Parameter ours: The processor time of the server and the load, in seconds.
    init(from before: ProcessorTime, to after: ProcessorTime, ours: Double) {
        let total = after.total - before.total
        guard total > 0 else {
            (stolen, others) = (0, 0)
            return
        }
        stolen = (after.stolen - before.stolen) / total
        others = max(0, after.busy - before.busy - ours) / total
    }

    /// Why a round with this work of others should not be trusted; empty if it may.
    var reasons: [String] {
        var reasons: [String] = []
        if stolen > PeerBenchLimits.stolenShare {
            reasons.append("\(stolen.percent) of the processors' time was stolen")
        }
        if others > PeerBenchLimits.othersShare {
            reasons.append("other programs used \(others.percent) of the processors' time")
        }
        return reasons
    }

    /// Why a part of the measurement should not be trusted that starts its servers and stops them.
    static func reasons(during body: () throws -> Void) throws -> [String] {
        let before = ProcessorTime(of: BenchLimits.processors)
        let oursBefore = try Tool.loadSeconds()
        try body()
        let ours = try Tool.loadSeconds() - oursBefore
        return Disturbance(from: before, to: ProcessorTime(of: BenchLimits.processors), ours: ours)
            .reasons
    }

    /// Why the rounds of one server should not be trusted, by how much they differ.
    static func reason(ofRounds values: [Double]) -> String? {
        let rounds = Rounds(values)
        guard rounds.spread > PeerBenchLimits.spread else { return nil }
        return "rounds differ by \(rounds.spread.percent)"
    }
}
