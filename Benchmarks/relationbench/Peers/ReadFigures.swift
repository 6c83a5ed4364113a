/// The long reads of one build of the server, over the sample graph.
struct ReadFigures {
    let build: String
    /// The server's processor time for one read, by its kind.
    var cpuMicroseconds: [(name: String, rounds: Rounds)] = []
    /// The median time of a short call beside long ones, by their kind.
    var p50Microseconds: [(beside: String, rounds: Rounds)] = []

    /// How many times longer a short call takes beside `kind` than alone, within the rounds.
    func ratio(beside kind: String) -> Double {
        guard let alone = p50Microseconds.first(where: { $0.beside == PeerBench.nothing }),
            let other = p50Microseconds.first(where: { $0.beside == kind })
        else { return 0 }
        return other.rounds.ratios(to: alone.rounds).median
    }

    /// The most of these ratios.
    var worstRatio: Double { p50Microseconds.map { ratio(beside: $0.beside) }.max() ?? 0 }

    func cpu(_ name: String) -> Double {
        cpuMicroseconds.first { $0.name == name }?.rounds.median ?? 0
    }

    var json: ReportObject {
        [
            "name": build,
            "cpuMicroseconds": ReportObject(cpuMicroseconds.map { ($0.name, $0.rounds) }),
            "p50Microseconds": ReportObject(p50Microseconds.map { ($0.beside, $0.rounds) }),
            "ofAlone": ReportObject(p50Microseconds.map { ($0.beside, ratio(beside: $0.beside)) }),
        ]
    }
}

/// Reads that take long: what they cost, and what they do to a short call beside them.
extension PeerBench {
    static let nothing = "nothing"
    private static let everything = "all of them"

    /// A server of one build, and the calls to it by their kinds: short ones first.
    private struct Running {
        let build: String
        let process: ServerProcess
        let floods: [(name: String, flood: Flood)]

        var short: Flood { floods[0].flood }
    }

    func measureReads() throws {
        let data = try sampleRows()
        try watch("long reads") {
            figures.reads = try measureReads(data)
            return figures.reads.flatMap { read in
                read.cpuMicroseconds.map { ("\($0.name), \(read.build)", $0.rounds) }
            }
        }
    }

    private func measureReads(_ data: BenchData) throws -> [ReadFigures] {
        let running = try builds.map { try start($0.name, $0.program, data) }
        for server in running {
            var flood = server.short
            flood.calls = max(effort.requests, flood.requests.count)
            try flood.checkedRun("\(server.build), short calls")
        }
        let costs = [GraphRead.checks(1).title] + GraphRead.long.map(\.title)
        let neighbours = [Self.nothing] + costs.dropFirst() + [Self.everything]
        var cpu = running.map { _ in [String: [Double]]() }
        var times = cpu
        for _ in 0..<effort.rounds {
            for (index, server) in running.enumerated() {
                for (name, flood) in server.floods {
                    cpu[index][name, default: []].append(try cost(flood, name, server))
                }
                for name in neighbours {
                    let beside = server.floods.dropFirst()
                        .filter { [$0.name, Self.everything].contains(name) }.map(\.flood)
                    let report = try shortCalls(server, beside: beside)
                    times[index][name, default: []].append(report.p50 / .microseconds(1))
                }
            }
        }
        for server in running { try server.process.stop() }
        return running.indices.map { index in
            ReadFigures(
                build: running[index].build,
                cpuMicroseconds: costs.map { ($0, Rounds(cpu[index][$0] ?? [])) },
                p50Microseconds: neighbours.map { ($0, Rounds(times[index][$0] ?? [])) })
        }
    }

    private func start(_ name: String, _ program: String, _ data: BenchData) throws -> Running {
        let process = try start(program, over: data)
        let seed = options.measured.seed
        // One after another.
        let short = Flood(
            port: process.port, metadata: PeerServer.keyed,
            requests: try Calls.checks(effort.requests, ids: 1, in: graph, seed: seed), load: Load()
        )
        let long = try GraphRead.long.map { read in
            var flood = short
            flood.path = read.path
            flood.requests = try read.requests(
                read.longQuestions(in: graph, seed: seed), process.port)
            flood.load.streams = PeerBenchLimits.longReadStreams
            return (read.title, flood)
        }
        return Running(
            build: name, process: process, floods: [(GraphRead.checks(1).title, short)] + long)
    }

    /// The server's processor time for one call, in microseconds.
    private func cost(_ flood: Flood, _ name: String, _ server: Running) throws -> Double {
        var flood = flood
        flood.load.streams = PeerBenchLimits.longReadStreams
        flood.seconds = effort.seconds
        let before = try server.process.usage().cpuSeconds
        let report = try flood.checkedRun("\(server.build), \(name)")
        return report.microseconds(ofSeconds: try server.process.usage().cpuSeconds - before)
    }

    private func shortCalls(_ server: Running, beside long: [Flood]) throws -> FloodReport {
        let beside = long.map { FloodRun($0) }
        for run in beside { try run.open() }
        var flood = server.short
        flood.seconds = effort.seconds
        flood.staysAwake = true
        flood.listeners = beside.flatMap(\.connections)
        let report = try flood.checkedRun("\(server.build), short calls beside others")
        try beside.finish("\(server.build), long reads")
        return report
    }
}
