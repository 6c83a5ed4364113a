/// Measures ours and the peers in one run.
final class PeerBench {
    private let options: PeerOptions
    private let graph: SampleGraph
    private let calls: PeerCalls
    private let servers: [PeerServer]
    private var figures = PeerFigures()

    init(_ options: PeerOptions) throws {
        self.options = options
        graph = try SampleGraph(path: options.graph)
        calls = try PeerCalls(graph, count: options.effort.requests, seed: options.seed)
        var servers: [PeerServer] = []
        for (index, build) in options.builds.enumerated() {
            servers.append(.ours(build.name, build.program, isGuarded: true))
            guard index == 0 else { continue }
            servers.append(.ours(PeerFigures.oursOpen, build.program, isGuarded: false))
        }
        self.servers =
            servers
            + PeerServer.others(
                in: options.peers, python: options.python,
                script: options.sources + "/python/server.py")
    }

    /// - Parameter note: Gets what is being done.
    /// - Throws: ``FloodError`` if an answer was wrong, a server failed, or a tool is missing.
    func run(_ note: (String) -> Void) throws -> PeerFigures {
        guard let versions = readText(options.peers + "/versions") else {
            throw FloodError("\(options.peers) has no peers: `make peers` builds them")
        }
        figures.effort = options.effort
        figures.versions = versions.split(separator: "\n").compactMap { line in
            let words = line.split(separator: "=", maxSplits: 1).map(String.init)
            return words.count == 2 ? (words[0], words[1]) : nil
        }
        figures.machine = [
            ("machine", Machine.description), ("date", Machine.date),
            (
                "processors",
                "server \(BenchLimits.serverProcessor), load \(BenchLimits.loadProcessor)"
            ),
            ("requests", "\(options.effort.requests) of each length, seed \(options.seed)"),
        ]
        try StaticAnswers.write(calls.staticAnswers, in: options.peers)
        for part in options.parts where !Self.dataParts.contains(part) {
            note("part \(part.rawValue)")
            try measure(part, note)
        }
        try measureData(note)
        return figures
    }

    private func measure(_ part: PeerOptions.Part, _ note: (String) -> Void) throws {
        switch part {
        case .stack:
            let bench = StackBench(servers, calls, effort: options.effort)
            figures.shapes = try bench.measure(note)
            figures.disturbances += bench.disturbances
        case .instructions:
            let counter = try PeerCounter(calls, effort: options.effort, in: options.folder)
            for server in servers {
                let count = counter.count(server)
                figures.instructions.append(count)
                if let problem = count.problem {
                    figures.gaps.append("the instructions of \(server.name): \(problem)")
                }
            }
        case .idle:
            let bench = IdleBench(calls: calls, effort: options.effort)
            figures.idle = try servers.map { ($0.name, try bench.measure($0)) }
        case .events: measureEvents()
        case .lookups:
            let bench = LookupBench(options)
            figures.lookups = try bench.measure(note)
            figures.disturbances += bench.disturbances
        case .writes:
            let bench = WriteBench(options, graph)
            figures.writes = try bench.measure(note)
            figures.disturbances += bench.disturbances
        case .reads, .loops, .checks: break
        }
    }

    private static let dataParts: [PeerOptions.Part] = [.reads, .loops, .checks]

    /// The parts that need rows on disk, which are written once for all of them.
    private func measureData(_ note: (String) -> Void) throws {
        let parts = Self.dataParts.filter(options.parts.contains)
        guard !parts.isEmpty else { return }
        note("writing the sample graph")
        let data = try BenchData(graph, pairs: 0, in: options.folder)
        for part in parts {
            note("part \(part.rawValue)")
            switch part {
            case .reads: try measureReads(data)
            case .loops: try measureLoops(data)
            default: try measureChecks(data, note)
            }
        }
    }

    private func measureChecks(_ data: BenchData, _ note: (String) -> Void) throws {
        let bench = CheckBench(options, data)
        figures.checks = try bench.measure(note)
        figures.disturbances += bench.disturbances
    }

    private func measureReads(_ data: BenchData) throws {
        let reasons = try Disturbance.reasons {
            figures.reads = try ReadBench(options, data).measure()
        }
        figures.disturbances += reasons.map { "long reads: \($0)" }
        for read in figures.reads {
            for (name, rounds) in read.cpuMicroseconds {
                guard let reason = Disturbance.reason(ofRounds: rounds.values) else { continue }
                figures.disturbances.append("\(name), \(read.build): \(reason)")
            }
        }
    }

    private func measureLoops(_ data: BenchData) throws {
        let bench = try LoopBench(data, effort: options.effort, seed: options.seed)
        let reasons = try Disturbance.reasons {
            for (index, build) in options.builds.enumerated() {
                do {
                    figures.loops.append(try bench.measure(build.name, build.program))
                } catch  where index > 0 {
                    // An older build may have no option for loops.
                    figures.gaps.append("the loops of \(build.name): \(error)")
                }
            }
        }
        figures.disturbances += reasons.map { "loops: \($0)" }
        for loops in figures.loops {
            for (name, rounds) in [("two loops", loops.two), ("two servers", loops.apart)] {
                guard let reason = Disturbance.reason(ofRounds: rounds.values) else { continue }
                figures.disturbances.append("\(name), \(loops.build): \(reason)")
            }
        }
    }

    private func measureEvents() {
        for build in options.builds {
            do {
                let count = try EventCounter.count(build.program, in: options.folder)
                figures.events.append((build.name, count))
            } catch {
                figures.gaps.append("an event of \(build.name): \(error)")
            }
        }
    }
}
