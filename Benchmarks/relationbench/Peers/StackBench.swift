import Glibc

/// The rounds of one server under one load.
struct ServerRounds {
    let name: String
    /// The server's processor time for one call, with that of the kernel.
    var cpuMicroseconds = Rounds([])
    var callsPerSecond = Rounds([])
    var p50Microseconds = Rounds([])
    var p99Microseconds = Rounds([])
    /// The bytes that it caused to be written to a device for one call; empty if they were
    /// not looked at.
    var writtenBytes = Rounds([])
}

extension ServerRounds {
    /// The rounds as members of an object.
    var members: [(String, JSON)] {
        [
            ("name", .text(name)), ("cpuMicroseconds", cpuMicroseconds.json),
            ("callsPerSecond", callsPerSecond.json), ("p50Microseconds", p50Microseconds.json),
            ("p99Microseconds", p99Microseconds.json),
        ] + (writtenBytes.values.isEmpty ? [] : [("writtenBytes", writtenBytes.json)])
    }
}

/// The rounds of all servers under one load.
struct ShapeFigures {
    let shape: PeerShape
    var servers: [ServerRounds]

    /// The processor time of one server's call as a part of another's: the median of the ratios
    /// within the rounds.
    func ratio(of one: String, to other: String) -> Double? {
        guard let one = servers.first(where: { $0.name == one }),
            let other = servers.first(where: { $0.name == other })
        else { return nil }
        let ratios = one.cpuMicroseconds.ratios(to: other.cpuMicroseconds)
        return ratios.values.isEmpty ? nil : ratios.median
    }
}

/// Measures the same calls to all servers, which stand by in one run.
///
/// In each round all servers have a turn, one right after another, and each round begins with
/// another server. So a machine that becomes slower makes all of them slower.
final class StackBench {
    private let servers: [PeerServer]
    private let calls: PeerCalls
    private let effort: PeerEffort
    /// Why rounds should not be trusted, in the order of the rounds.
    private(set) var disturbances: [String] = []

    init(_ servers: [PeerServer], _ calls: PeerCalls, effort: PeerEffort) {
        self.servers = servers
        self.calls = calls
        self.effort = effort
    }

    /// - Throws: ``FloodError`` if a server failed or gave a wrong answer.
    func measure(_ note: (String) -> Void) throws -> [ShapeFigures] {
        let processes = try servers.map { try $0.start() }
        let figures = try PeerShape.all.map { shape in
            note("\(shape.title): \(effort.rounds) rounds of \(servers.count) servers")
            return try measure(shape, processes)
        }
        for (server, process) in zip(servers, processes) {
            try process.stop(bySignal: server.endsBySignal)
        }
        return figures
    }

    private func measure(
        _ shape: PeerShape, _ processes: [ServerProcess]
    ) throws -> ShapeFigures {
        for (server, process) in zip(servers, processes) {
            _ = try flood(server, process, shape, seconds: effort.warmUpSeconds)
        }
        var turns = servers.map { _ in [TimeSlice]() }
        for round in 0..<effort.rounds {
            for place in servers.indices {
                let index = (place + round) % servers.count
                let (server, process) = (servers[index], processes[index])
                let turn = try self.turn(server, process, shape)
                turns[index].append(turn)
                disturbances += turn.disturbance.reasons.map {
                    "\(shape.title), round \(round + 1), \(server.name): \($0)"
                }
            }
        }
        let figures = zip(servers, turns).map { Self.rounds($0, $1) }
        disturbances += figures.compactMap { server in
            Disturbance.reason(ofRounds: server.cpuMicroseconds.values).map {
                "\(shape.title), \(server.name): \($0)"
            }
        }
        return ShapeFigures(shape: shape, servers: figures)
    }

    private struct TimeSlice {
        let figures: Figures
        let disturbance: Disturbance
    }

    private func turn(
        _ server: PeerServer, _ process: ServerProcess, _ shape: PeerShape
    ) throws -> TimeSlice {
        let processors = [BenchLimits.serverProcessor, BenchLimits.loadProcessor]
        let before = ProcessorTime(of: processors)
        let load = try ProcessUsage(of: getpid())
        let usage = try process.usage()
        let report = try flood(server, process, shape, seconds: effort.seconds)
        let usageAfter = try process.usage()
        let loadAfter = try ProcessUsage(of: getpid())
        let ours =
            usageAfter.cpuSeconds - usage.cpuSeconds + loadAfter.cpuSeconds - load.cpuSeconds
        return TimeSlice(
            figures: Figures(report, from: usage, to: usageAfter),
            disturbance: Disturbance(
                from: before, to: ProcessorTime(of: processors), ours: ours))
    }

    private func flood(
        _ server: PeerServer, _ process: ServerProcess, _ shape: PeerShape, seconds: Double
    ) throws -> FloodReport {
        var flood = calls.flood(server, process.port, shape)
        flood.seconds = seconds
        return try flood.checkedRun("\(server.name), \(shape.title)")
    }

    private static func rounds(_ server: PeerServer, _ turns: [TimeSlice]) -> ServerRounds {
        var rounds = ServerRounds(name: server.name)
        let figures = turns.map(\.figures)
        rounds.cpuMicroseconds = Rounds(figures.map(\.cpuMicroseconds))
        rounds.callsPerSecond = Rounds(figures.map(\.callsPerSecond))
        rounds.p50Microseconds = Rounds(figures.map { $0.p50 / .microseconds(1) })
        rounds.p99Microseconds = Rounds(figures.map { $0.p99 / .microseconds(1) })
        return rounds
    }
}

extension Flood {
    /// Runs it, and refuses a run with a wrong answer or without any.
    func checkedRun(_ title: String) throws(FloodError) -> FloodReport {
        let report = try run()
        guard report.failures == 0, report.calls > 0 else {
            throw FloodError(
                "\(title): \(report.failures) of \(report.calls) calls failed, the first with "
                    + (report.firstFailure ?? "nothing said"))
        }
        return report
    }
}
