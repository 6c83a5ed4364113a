/// Servers that are measured in turns, one right after another in each round.
///
/// Each round begins with another server. So a machine that becomes slower makes all slower.
struct Turns {
    /// The work of one turn of a server.
    struct Turn {
        var report = FloodReport()
        /// The use of the server's processes before the turn and after it.
        var before = ProcessTree()
        var after = ProcessTree()
        /// The processor time of the client, where it is looked at.
        var clientSeconds = 0.0
    }

    private struct Entry {
        let name: String
        let run: (_ seconds: Double) throws -> Turn
    }

    private let effort: PeerEffort
    private let title: String
    private var entries: [Entry] = []
    /// Why rounds should not be trusted, in the order of the rounds.
    private(set) var disturbances: [String] = []

    init(effort: PeerEffort, title: String) { (self.effort, self.title) = (effort, title) }

    /// Adds a server under a load.
    ///
    /// A load without a number of calls lasts as long as a round.
    mutating func add<Work: MeasuredLoad>(
        _ name: String, _ server: ServerProcess, _ load: @escaping () throws -> Work
    ) {
        let title = "\(name), \(title)"
        add(name) { seconds in
            var load = try load()
            if load.calls == .max { load.seconds = seconds }
            var turn = Turn()
            turn.before = try ProcessTree(of: server.process)
            turn.report = try load.checkedRun(title)
            turn.after = try ProcessTree(of: server.process)
            return turn
        }
    }

    /// Adds a server whose turn `run` takes.
    mutating func add(_ name: String, _ run: @escaping (_ seconds: Double) throws -> Turn) {
        entries.append(Entry(name: name, run: run))
    }

    /// Takes all turns, and returns the rounds of each server, in the order of their adding.
    mutating func measure() throws -> [ServerRounds] {
        for entry in entries { _ = try entry.run(effort.warmUpSeconds) }
        var turns = entries.map { _ in [Turn]() }
        for round in 0..<effort.rounds {
            for turn in entries.indices {
                let index = (turn + round) % entries.count
                turns[index].append(try watched(entries[index], round))
            }
        }
        let rounds = zip(entries, turns).map { Self.rounds($0.name, $1) }
        disturbances += rounds.compactMap { server in
            Disturbance.reason(ofRounds: server.cpuMicroseconds.values).map {
                "\(title), \(server.name): \($0)"
            }
        }
        return rounds
    }

    /// Takes one turn, and notes the work of others meanwhile.
    private mutating func watched(_ entry: Entry, _ round: Int) throws -> Turn {
        let time = ProcessorTime(of: BenchLimits.processors)
        let load = try Tool.loadSeconds()
        let turn = try entry.run(effort.seconds)
        let ours = turn.after.cpuSeconds - turn.before.cpuSeconds + (try Tool.loadSeconds()) - load
        let after = ProcessorTime(of: BenchLimits.processors)
        let disturbance = Disturbance(from: time, to: after, ours: ours)
        disturbances += disturbance.reasons.map {
            "\(title), round \(round + 1), \(entry.name): \($0)"
        }
        return turn
    }

    private static func rounds(_ name: String, _ turns: [Turn]) -> ServerRounds {
        func each(_ value: (Turn) -> Double) -> Rounds { Rounds(turns.map(value)) }
        return ServerRounds(
            name: name,
            cpuMicroseconds: each {
                $0.report.microseconds(ofSeconds: $0.after.cpuSeconds - $0.before.cpuSeconds)
            },
            callsPerSecond: each(\.report.callsPerSecond),
            p50Microseconds: each { $0.report.p50 / .microseconds(1) },
            p99Microseconds: each { $0.report.p99 / .microseconds(1) },
            writtenBytes: each {
                Double($0.after.writtenBytes - $0.before.writtenBytes)
                    / Double(max(1, $0.report.calls))
            },
            clientMicroseconds: each { $0.report.microseconds(ofSeconds: $0.clientSeconds) })
    }
}
