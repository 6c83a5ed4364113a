/// Measures ours and the peers in one run.
final class PeerBench {
    let options: Peers
    let effort: PeerEffort
    let builds: [(name: String, program: String)]
    let graph: SampleGraph
    let calls: PeerCalls
    let servers: [PeerServer]
    /// Gets what is being done.
    let note: (String) -> Void
    var figures = PeerFigures()
    private var rows: BenchData?

    init(_ options: Peers, _ note: @escaping (String) -> Void) throws {
        (self.options, effort, self.note) = (options, options.effort, note)
        builds = try options.builds()
        graph = try SampleGraph(path: options.measured.graph)
        calls = try PeerCalls(graph, count: effort.requests, seed: options.measured.seed)
        var servers = builds.map { PeerServer.ours($0.name, $0.program, isGuarded: true) }
        servers.insert(.ours(PeerFigures.oursOpen, builds[0].program, isGuarded: false), at: 1)
        self.servers = servers + PeerServer.others(in: options.peers, python: options.python)
    }

    var folder: String { options.measured.folder }

    /// - Throws: ``FloodError`` if an answer was wrong, a server failed, or a tool is missing.
    func run() throws -> PeerFigures {
        guard let versions = readText(options.peers + "/versions") else {
            throw FloodError("\(options.peers) has no peers: `make peers` builds them")
        }
        figures.effort = effort
        figures.versions = versions.split(separator: "\n").compactMap { Peers.pair($0) }
        figures.machine =
            Machine.facts + [
                ("requests", "\(effort.requests) of each length, seed \(options.measured.seed)")
            ]
        try StaticAnswers.write(calls.staticAnswers, in: options.peers)
        for part in Peers.Part.allCases where options.part.isEmpty || options.part.contains(part) {
            note("part \(part.rawValue)")
            switch part {
            case .stack: try measureStack()
            case .instructions: try countCalls()
            case .idle: figures.idle = try servers.map { ($0.name, try measureIdle($0)) }
            case .events: countEvents()
            case .lookups: try measureLookups()
            case .writes: try measureWrites()
            case .reads: try measureReads()
            case .loops: try measureLoops()
            case .checks: try measureChecks()
            }
        }
        return figures
    }

    // MARK: For all parts

    /// The folder with the sample graph, which is written once for all parts that need it.
    func sampleRows() throws -> BenchData {
        if let rows { return rows }
        note("writing the sample graph")
        let made = try BenchData(graph, pairs: 0, in: folder)
        rows = made
        return made
    }

    /// Starts a build over a copy of `data`, or over fixed rows.
    func start(_ program: String, over data: BenchData?) throws -> ServerProcess {
        let rows = try data.map { ["--data", try $0.copy()] } ?? ["--fixed"]
        return try ServerProcess(serving: program, ["serve", "--guarded"] + rows)
    }

    /// The rounds of the servers that `add` adds, under one load.
    func rounds(_ title: String, _ add: (inout Turns) throws -> Void) throws -> [ServerRounds] {
        note("\(title): \(effort.rounds) rounds")
        var turns = Turns(effort: effort, title: title)
        try add(&turns)
        defer { figures.disturbances += turns.disturbances }
        return try turns.measure()
    }

    /// Notes why rounds should not be trusted that `body` measures, without turns of its own.
    func watch(_ title: String, _ body: () throws -> [(name: String, rounds: Rounds)]) throws {
        var named: [(name: String, rounds: Rounds)] = []
        let reasons = try Disturbance.reasons { named = try body() }
        figures.disturbances += reasons.map { "\(title): \($0)" }
        figures.disturbances += named.compactMap { name, rounds in
            Disturbance.reason(ofRounds: rounds.values).map { "\(name): \($0)" }
        }
    }

    // MARK: Parts

    /// Measures the same calls to all servers, which stand by in one run.
    private func measureStack() throws {
        let processes = try servers.map { try $0.start() }
        figures.shapes = try PeerShape.all.map { shape in
            let rounds = try rounds(shape.title) { turns in
                for (server, process) in zip(servers, processes) {
                    turns.add(server.name, process) { [calls] in
                        calls.flood(server, process.port, shape)
                    }
                }
            }
            return ShapeFigures(shape: shape, servers: rounds.map(\.withoutWrites))
        }
        for (server, process) in zip(servers, processes) {
            try process.stop(bySignal: server.endsBySignal)
        }
    }

    /// The growth of a server's resident memory with each connection that had one call and has none
    /// now, in KiB.
    private func measureIdle(_ server: PeerServer) throws -> Double {
        let process = try server.start()
        var flood = calls.flood(server, process.port, PeerShape(ids: 1, load: .reads))
        flood.seconds = effort.warmUpSeconds
        try flood.checkedRun("\(server.name), before idle connections")
        let before = try process.settledUsage()

        let count = effort.idleConnections
        flood = calls.flood(server, process.port, PeerShape(ids: 1, load: Load(connections: count)))
        flood.calls = count
        let run = FloodRun(flood)
        try run.open()
        try [run].drive(seconds: PeerBenchLimits.callSeconds)
        let after = try process.settledUsage()
        guard try run.close().checked(server.name).calls == count else {
            throw FloodError("\(server.name): calls are missing")
        }
        try process.stop(bySignal: server.endsBySignal)
        return Double(after.residentBytes - before.residentBytes) / 1_024 / Double(count)
    }

    private func countEvents() {
        for build in builds {
            do {
                let count = try EventCounter.count(build.program, in: folder)
                figures.events.append((build.name, count))
            } catch { figures.gaps.append("an event of \(build.name): \(error)") }
        }
    }
}
