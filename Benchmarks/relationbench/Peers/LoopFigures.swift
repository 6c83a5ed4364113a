/// Calls a second of two loops, beside those of one and of two servers.
struct LoopFigures {
    let build: String
    var one = Rounds([])
    var two = Rounds([])
    var apart = Rounds([])

    /// Two loops as a part of two independent servers, within the rounds.
    var ofApart: Double { two.ratios(to: apart).median }
    var ofOne: Double { two.ratios(to: one).median }

    var json: ReportObject {
        [
            "name": build, "one": one, "two": two, "apart": apart, "twoOfOne": ofOne,
            "twoOfApart": ofApart,
        ]
    }
}

/// A server of two loops beside two servers of one loop each, on the same processors.
///
/// The load has other processors if the machine has any. Else all servers share theirs with it, and
/// what the system lets run where differs from moment to moment. So rounds are short and many.
extension PeerBench {
    func measureLoops() throws {
        let data = try sampleRows()
        let requests = try Calls.checks(
            effort.requests, ids: 1, in: graph, seed: options.measured.seed)
        try watch("loops") {
            for (index, build) in builds.enumerated() {
                do {
                    figures.loops.append(
                        try measureLoops(build.name, build.program, data, requests))
                } catch  where index > 0 {
                    // An older build may have no option for loops.
                    figures.gaps.append("the loops of \(build.name): \(error)")
                }
            }
            return figures.loops.flatMap {
                [("two loops, \($0.build)", $0.two), ("two servers, \($0.build)", $0.apart)]
            }
        }
    }

    private func measureLoops(
        _ build: String, _ program: String, _ data: BenchData, _ requests: [Flood.Request]
    ) throws -> LoopFigures {
        let processors = PeerBenchLimits.loopProcessors
        func start(_ threads: Int, _ cores: [Int]) throws -> ServerProcess {
            let words = [
                "serve", "--guarded", "--data", try data.copy(), "--threads", "\(threads)",
            ]
            return try ServerProcess(
                program, words, cores: cores, seconds: BenchLimits.startSeconds)
        }
        let (one, two) = (try start(1, processors), try start(2, processors))
        let apart = try processors.map { try start(1, [$0]) }
        let groups = [[one, one], [two, two], apart]
        if Machine.processorCount > processors.count {
            try Processor.pinThisProcess(to: processors.count)
        } else {
            try Processor.pinThisProcess(to: processors[0], processors[1])
        }
        var rates: [[Double]] = groups.map { _ in [] }
        // The first round only brings rows into memory.
        for servers in groups { _ = try rate(servers, requests) }
        for round in 0..<effort.rounds * PeerBenchLimits.loopTurns {
            // Forth and back: else a machine that becomes slower would slow the last ones most.
            let order = round.isMultiple(of: 2) ? Array(groups.indices) : groups.indices.reversed()
            for index in order { rates[index].append(try rate(groups[index], requests)) }
        }
        try Processor.pinThisProcess(to: BenchLimits.loadProcessor)
        for server in [one, two] + apart { try server.stop() }
        return LoopFigures(
            build: build, one: Rounds(rates[0]), two: Rounds(rates[1]), apart: Rounds(rates[2]))
    }

    /// The calls a second of all `servers`, each with a load of its own.
    private func rate(_ servers: [ServerProcess], _ requests: [Flood.Request]) throws -> Double {
        let runs = servers.map { server in
            FloodRun(Flood(port: server.port, metadata: PeerServer.keyed, requests: requests))
        }
        let begin = FloodRun.now()
        for run in runs { try run.open() }
        let end = begin + UInt64(effort.seconds / Double(PeerBenchLimits.loopTurns) * 1e9)
        let connections = runs.flatMap(\.connections)
        while FloodRun.now() < end { try FloodRun.wait(for: connections, until: end) }
        let calls = try runs.finish("loops")
        return Double(calls) / (Double(FloodRun.now() - begin) / 1e9)
    }
}
