/// Runs scenarios one after another, and reports each when it is done.
struct Bench {
    let names: [ScenarioName]
    let effort: Effort
    let seed: UInt64
    /// The path of the graph.
    let graph: String
    let folder: String
    /// The path of this program, which is the server too.
    let executable: String
    /// The folder for callgrind's files, which say where instructions were used.
    var profiles: String?

    /// Prints the header of each table, and each line after its measurement.
    ///
    /// - Throws: ``FloodError`` if an answer was wrong, a server failed, or a tool is missing.
    func run(_ print: (String) -> Void) throws {
        let writes =
            scenarios.contains(where: \.writes) || !streams.isEmpty || names.contains(.overload)
        // This comes before there is data that keeps the device busy.
        let syncTime = writes ? try Machine.syncTime(in: folder) : nil
        let sendTime = streams.isEmpty ? nil : try Machine.sendTime()
        let graph = try SampleGraph(path: graph)
        let needsData =
            scenarios.contains { !$0.isFixed } || !streams.isEmpty
            || names.contains(.neighbours) || names.contains(.overload)
        let data =
            needsData
            ? try BenchData(
                graph, pairs: neededPairs,
                lightPairs: names.contains(.overload) ? OverloadBench.neededLightPairs(effort) : 0,
                circle: neededCircle, in: folder) : nil
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
        func begin<Row>(_ table: TextTable<Row>) -> TextTable<Row> {
            for line in [""] + table.header { print(line) }
            return table
        }
        if !scenarios.isEmpty {
            let table = begin(ScenarioTables.calls)
            for name in names {
                guard let scenario = name.scenario else { continue }
                let calls = ScenarioCalls(name, scenario, graph, data, seed: seed)
                var figures = try measure(scenario, calls)
                figures.instructions = try counter.map(calls.count)
                print(table.line(figures))
            }
        }
        guard let data else { return }
        if !streams.isEmpty {
            let table = begin(ScenarioTables.streams)
            for name in names {
                guard let scenario = name.streams else { continue }
                let bench = StreamBench(
                    name, scenario, data, effort: effort, executable: executable)
                print(table.line(try bench.measure(counter)))
            }
        }
        if names.contains(.neighbours) {
            let checks = try Calls.checks(BenchLimits.differentReads, ids: 1, in: graph, seed: seed)
            let bench = NeighbourBench(
                requests: checks, data: data, effort: effort, executable: executable)
            let rows = try bench.measure()
            let table = begin(ScenarioTables.neighbours(of: rows[0].report))
            for row in rows { print(table.line(row)) }
        }
        if names.contains(.overload) {
            let table = begin(ScenarioTables.overload)
            let bench = OverloadBench(data, effort: effort, executable: executable)
            print(table.line(try bench.measure()))
        }
    }

    private var scenarios: [Scenario] { names.compactMap(\.scenario) }
    private var streams: [StreamScenario] { names.compactMap(\.streams) }

    /// The friends and subscribers of one user with which streams are measured.
    private var neededCircle: (friends: Int, subscribers: Int) {
        streams.contains { $0.work != .pairs } ? (effort.friends, effort.subscribers) : (0, 0)
    }

    /// The pairs that one server can be asked to add.
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

    private func writes(_ scenario: Scenario) -> Int {
        scenario.load.isLone ? effort.loneWrites : effort.massedWrites
    }

    private func measure(_ scenario: Scenario, _ calls: ScenarioCalls) throws -> Figures {
        let server = try ServerProcess(serving: executable, try calls.serverArguments())
        let count = scenario.writes ? writes(scenario) : .max
        _ = try calls.flood(server.port, calls: count, seconds: effort.warmUpSeconds)
        var rounds: [Figures] = []
        for _ in 0..<effort.rounds {
            let before = try server.usage()
            let seconds = scenario.writes ? 60 : effort.seconds
            let report = try calls.flood(server.port, calls: count, seconds: seconds)
            let after = try server.usage()
            rounds.append(
                Figures(
                    scenario: scenario, report: report,
                    cpuMicroseconds: report.microseconds(
                        ofSeconds: after.cpuSeconds - before.cpuSeconds),
                    residentBytes: after.residentBytes))
        }
        if scenario.writes { try calls.checkAdded(server.port) }
        try server.stop()
        rounds.sort { $0.cpuMicroseconds < $1.cpuMicroseconds }
        return rounds[rounds.count / 2]
    }
}
