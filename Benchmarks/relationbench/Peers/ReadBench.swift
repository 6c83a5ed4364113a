import Protobuf
import RelationAPI

/// The long reads of one build of the server, over the sample graph.
struct ReadFigures {
    let build: String
    /// The server's processor time for one read, by its kind.
    var cpuMicroseconds: [(name: String, rounds: Rounds)] = []
    /// The median time of a short call beside long ones, by their kind.
    var p50Microseconds: [(beside: String, rounds: Rounds)] = []

    /// How many times longer a short call takes beside `kind` than alone, within the rounds.
    func ratio(beside kind: String) -> Double {
        guard let alone = p50Microseconds.first(where: { $0.beside == ReadBench.nothing }),
            let other = p50Microseconds.first(where: { $0.beside == kind })
        else { return 0 }
        return other.rounds.ratios(to: alone.rounds).median
    }

    /// The most of these ratios.
    var worstRatio: Double {
        p50Microseconds.map { ratio(beside: $0.beside) }.max() ?? 0
    }

    func cpu(_ name: String) -> Double {
        cpuMicroseconds.first { $0.name == name }?.rounds.median ?? 0
    }
}

/// Measures reads that take long: what they cost, and what they do to a short call beside them.
final class ReadBench {
    static let nothing = "nothing"
    static let everything = "all of them"
    static let short = "CheckFriends of 1"

    private let options: PeerOptions
    private let data: BenchData
    private let metadata = PeerServer.ours("", "", isGuarded: true).metadata

    init(_ options: PeerOptions, _ data: BenchData) {
        self.options = options
        self.data = data
    }

    /// A server of one build, and the calls to it.
    private struct Running {
        let build: String
        let process: ServerProcess
        let short: [Flood.Request]
        let long: [LongRead: [Flood.Request]]
    }

    /// - Throws: ``FloodError`` if a server failed or gave a wrong answer.
    func measure() throws -> [ReadFigures] {
        let running = try options.builds.map { try start($0.name, $0.program) }
        for server in running { try warmUp(server) }
        var cpu = running.map { _ in [String: [Double]]() }
        var times = running.map { _ in [String: [Double]]() }
        for _ in 0..<options.effort.rounds {
            for (index, server) in running.enumerated() {
                for name in Self.costs {
                    cpu[index][name, default: []].append(try cost(name, server))
                }
                for name in Self.neighbours {
                    let report = try shortCalls(server, beside: Self.kinds(name))
                    times[index][name, default: []].append(report.p50 / .microseconds(1))
                }
            }
        }
        for server in running { try server.process.stop() }
        return running.indices.map { index in
            var figures = ReadFigures(build: running[index].build)
            figures.cpuMicroseconds = Self.costs.map { ($0, Rounds(cpu[index][$0] ?? [])) }
            figures.p50Microseconds = Self.neighbours.map { ($0, Rounds(times[index][$0] ?? [])) }
            return figures
        }
    }

    static let costs = [short] + LongRead.allCases.map(\.rawValue)
    static let neighbours = [nothing] + LongRead.allCases.map(\.rawValue) + [everything]

    private static func kinds(_ name: String) -> [LongRead] {
        name == everything ? LongRead.allCases : LongRead(rawValue: name).map { [$0] } ?? []
    }

    private func start(_ name: String, _ program: String) throws -> Running {
        let process = try ServerProcess(
            program, ["serve", "--guarded", "--data", try data.copy()],
            core: BenchLimits.serverProcessor, seconds: BenchLimits.startSeconds)
        var long: [LongRead: [Flood.Request]] = [:]
        for kind in LongRead.allCases {
            long[kind] = try kind.requests(data.graph, process.port, metadata, seed: options.seed)
        }
        return Running(
            build: name, process: process,
            short: try Calls.checks(
                options.effort.requests, ids: 1, in: data.graph, seed: options.seed),
            long: long)
    }

    private func warmUp(_ server: Running) throws {
        var flood = short(server)
        flood.calls = max(options.effort.requests, flood.requests.count)
        _ = try flood.checkedRun("\(server.build), \(Self.short)")
    }

    /// Short calls, one after another.
    private func short(_ server: Running) -> Flood {
        Flood(
            port: server.process.port, path: FriendMethods.checkFriends.path, metadata: metadata,
            requests: server.short, connections: 1, streams: 1, calls: .max)
    }

    private func long(_ kind: LongRead, _ server: Running) -> Flood {
        Flood(
            port: server.process.port, path: kind.path, metadata: metadata,
            requests: server.long[kind] ?? [], connections: 1,
            streams: PeerLimits.longReadStreams, calls: .max)
    }

    /// The server's processor time for one call, in microseconds.
    private func cost(_ name: String, _ server: Running) throws -> Double {
        var flood = LongRead(rawValue: name).map { long($0, server) } ?? short(server)
        flood.streams = PeerLimits.longReadStreams
        flood.seconds = options.effort.seconds
        let before = try server.process.usage()
        let report = try flood.checkedRun("\(server.build), \(name)")
        return Figures(report, from: before, to: try server.process.usage()).cpuMicroseconds
    }

    private func shortCalls(_ server: Running, beside kinds: [LongRead]) throws -> FloodReport {
        let beside = kinds.map { FloodRun(long($0, server)) }
        for run in beside { try run.open() }
        var flood = short(server)
        flood.seconds = options.effort.seconds
        flood.staysAwake = true
        flood.listeners = beside.flatMap(\.connections)
        let report = try flood.checkedRun("\(server.build), \(Self.short) beside others")
        try beside.finish("\(server.build), long reads")
        return report
    }
}
