import RelationAPI
import RelationModel

/// Runs scenarios one after another, and reports each when it is done.
final class Bench {
    private let names: [ScenarioName]
    private let effort: Effort
    private let seed: UInt64
    private let graphPath: String
    private let folder: String
    private let executable: String
    private let profiles: String?

    /// - Parameters:
    ///   - executable: The path of this program, which is the server too.
    /// - profiles: The folder for callgrind's files, which tell where instructions were used.
    init(
        _ names: [ScenarioName], effort: Effort, seed: UInt64, graph: String, folder: String,
        executable: String, profiles: String? = nil
    ) {
        self.names = names
        self.effort = effort
        self.seed = seed
        graphPath = graph
        self.folder = folder
        self.executable = executable
        self.profiles = profiles
    }

    /// Prints the head of the table, and each line after its measurement.
    ///
    /// - Throws: ``FloodError`` if an answer was wrong, a server failed, or a tool is missing.
    func run(_ print: (String) -> Void) throws {
        let writes =
            scenarios.contains(where: \.writes) || !streams.isEmpty || names.contains(.overload)
        // This comes before there is data that keeps the device busy.
        let syncTime = writes ? try Machine.syncTime(in: folder) : nil
        let sendTime = streams.isEmpty ? nil : try Machine.sendTime()
        let graph = try SampleGraph(path: graphPath)
        let needsData =
            scenarios.contains { !$0.isFixed } || !streams.isEmpty
            || names.contains(.neighbours) || names.contains(.overload)
        let data =
            needsData
            ? try BenchData(
                graph, pairs: neededPairs, lightPairs: neededLightPairs, circle: neededCircle,
                in: folder) : nil
        let counter = try effort.instructionCalls.map {
            try InstructionCounter(executable, calls: $0, in: folder, keeping: profiles)
        }

        print("seed \(seed); \(effort.rounds) rounds a scenario, the median is shown")
        print("\(Machine.description); server on processor \(BenchLimits.serverProcessor)")
        print("\(graph.users.count) users, \(graph.friendships.count) friendships")
        if let syncTime { print("a sync takes \(syncTime.microseconds) µs here (median)") }
        if let sendTime {
            let (bytes, time) = (BenchLimits.measuredSendBytes, Int(sendTime / .nanoseconds(1)))
            print("sending \(bytes) bytes takes \(time) ns here (median)")
        }
        if !scenarios.isEmpty {
            print("")
            for line in ResultTable.head { print(line) }
        }
        for name in names {
            guard let scenario = name.scenario else { continue }
            let calls = ScenarioCalls(name, scenario, graph, data, seed: seed)
            var figures = try measure(scenario, calls)
            figures.instructions = try counter?.count(calls)
            print(ResultTable.line(scenario, figures))
        }
        guard let data else { return }
        if !streams.isEmpty {
            print("")
            for line in StreamTable.head { print(line) }
        }
        for scenario in streams {
            let bench = StreamBench(scenario, data, effort: effort, executable: executable)
            print(StreamTable.line(scenario, try bench.measure(counter)))
        }
        if names.contains(.neighbours) {
            print("")
            for line in NeighbourTable.head { print(line) }
            let checks = try Calls.checks(BenchLimits.differentReads, ids: 1, in: graph, seed: seed)
            let bench = NeighbourBench(checks, data, effort: effort, executable: executable)
            for line in NeighbourTable.lines(try bench.measure()) { print(line) }
        }
        if names.contains(.overload) {
            print("")
            for line in OverloadTable.head { print(line) }
            let bench = OverloadBench(data, effort: effort, executable: executable)
            print(OverloadTable.line(try bench.measure()))
        }
    }

    private var scenarios: [Scenario] { names.compactMap(\.scenario) }
    private var streams: [StreamScenario] { names.compactMap(\.streams) }

    /// The friends and subscribers of one user with which streams are measured.
    private var neededCircle: (friends: Int, subscribers: Int) {
        streams.contains { $0.work != .pairs } ? (effort.friends, effort.subscribers) : (0, 0)
    }

    /// The pairs that one server can be told to add.
    ///
    /// They are those of one round more than is measured; or the pairs that streams follow, and as
    /// many that no stream follows.
    private var neededPairs: Int {
        let watched = streams.contains { $0.work == .pairs } ? effort.watchers : 0
        let overload = names.contains(.overload) ? OverloadBench.neededPairs(effort) : 0
        return scenarios.filter(\.writes).reduce(max(watched, overload)) { most, scenario in
            max(most, (effort.rounds + 1) * writes(scenario), effort.instructionCalls?.1 ?? 0)
        }
    }

    private var neededLightPairs: Int {
        names.contains(.overload) ? OverloadBench.neededLightPairs(effort) : 0
    }

    private func writes(_ scenario: Scenario) -> Int {
        scenario.inFlight == 1 ? effort.loneWrites : effort.massedWrites
    }

    private func measure(_ scenario: Scenario, _ calls: ScenarioCalls) throws -> Figures {
        let server = try ServerProcess(
            executable, try calls.serverArguments(), core: BenchLimits.serverProcessor,
            seconds: BenchLimits.startSeconds)
        let count = scenario.writes ? writes(scenario) : .max
        _ = try calls.flood(server.port, calls: count, seconds: effort.warmUpSeconds)
        var rounds: [Figures] = []
        for _ in 0..<effort.rounds {
            let before = try server.usage()
            let seconds = scenario.writes ? 60 : effort.seconds
            let report = try calls.flood(server.port, calls: count, seconds: seconds)
            rounds.append(Figures(report, from: before, to: try server.usage()))
        }
        if scenario.writes { try calls.checkAdded(server.port) }
        try server.stop()
        rounds.sort { $0.cpuMicroseconds < $1.cpuMicroseconds }
        return rounds[rounds.count / 2]
    }
}
