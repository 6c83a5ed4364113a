import Protobuf
import RelationAPI
import RelationModel

/// One read of the sample graph from disk, beside a check of as many users from fixed rows.
struct CheckFigures {
    let read: GraphRead
    /// The builds in the order of ``PeerOptions/builds``.
    var builds: [ServerRounds] = []
    /// Checks of as many users from fixed rows; nil if the read names no users.
    var fixed: ServerRounds?

    /// The processor time of a call as a part of that from fixed rows, within the rounds.
    var ofFixed: Double? {
        guard let ours = builds.first, let fixed else { return nil }
        let ratios = ours.cpuMicroseconds.ratios(to: fixed.cpuMicroseconds)
        return ratios.values.isEmpty ? nil : ratios.median
    }

    /// The users that this build looks up in a second of a processor's time.
    var pairsPerSecond: Double? {
        guard let ours = builds.first, let users = read.users, ours.cpuMicroseconds.median > 0
        else { return nil }
        return Double(users) * 1e6 / ours.cpuMicroseconds.median
    }
}

extension CheckFigures {
    var json: JSON {
        .object([
            ("call", .text(read.title)), ("users", .number(read.users)),
            ("servers", .list((builds + [fixed].compactMap(\.self)).map { .object($0.members) })),
            ("ofFixed", ofFixed.map(JSON.number) ?? .none),
            ("pairsPerSecond", pairsPerSecond.map(JSON.number) ?? .none),
        ])
    }
}

/// Measures reads over the sample graph on disk, in turns with fixed rows.
final class CheckBench {
    static let fixed = "fixed row"

    private let options: PeerOptions
    private let data: BenchData
    private let metadata = PeerServer.ours("", "", isGuarded: true).metadata
    /// Why rounds should not be trusted, in the order of the rounds.
    private(set) var disturbances: [String] = []

    init(_ options: PeerOptions, _ data: BenchData) {
        self.options = options
        self.data = data
    }

    /// - Throws: ``FloodError`` if a server failed or gave a wrong answer.
    func measure(_ note: (String) -> Void) throws -> [CheckFigures] {
        let servers = try options.builds.map { build in
            try start(build.program, ["--data", try data.copy()])
        }
        let fixed = try start(options.builds[0].program, ["--fixed"])
        let figures = try GraphRead.all.map { read in
            note(read.title)
            return try measure(read, servers, fixed)
        }
        for server in servers + [fixed] { try server.stop() }
        return figures
    }

    private func start(_ program: String, _ arguments: [String]) throws -> ServerProcess {
        try ServerProcess(
            program, ["serve", "--guarded"] + arguments, core: BenchLimits.serverProcessor,
            seconds: BenchLimits.startSeconds)
    }

    private func measure(
        _ read: GraphRead, _ servers: [ServerProcess], _ fixed: ServerProcess
    ) throws -> CheckFigures {
        var turns = Turns(effort: options.effort, title: read.title)
        for (build, server) in zip(options.builds, servers) {
            let requests = try read.requests(
                data.graph, server.port, metadata, count: options.effort.requests,
                seed: options.seed)
            turns.add(build.name, server) { [metadata] in
                Flood(
                    port: server.port, path: read.path, metadata: metadata, requests: requests,
                    connections: StoreLimits.connections, streams: read.streams, calls: .max)
            }
        }
        if let users = read.users {
            let requests = try fixedChecks(users)
            turns.add(Self.fixed, fixed) { [metadata] in
                Flood(
                    port: fixed.port, path: FriendMethods.checkFriends.path, metadata: metadata,
                    requests: requests, connections: StoreLimits.connections,
                    streams: read.streams, calls: .max)
            }
        }
        let rounds = try turns.measure()
        disturbances += turns.disturbances
        var figures = CheckFigures(read: read, builds: Array(rounds.prefix(options.builds.count)))
        figures.fixed = rounds.count > options.builds.count ? rounds[options.builds.count] : nil
        return figures
    }

    /// The calls of the same users as over the graph, each of which is a friend over fixed rows.
    private func fixedChecks(_ users: Int) throws -> [Flood.Request] {
        let graph = data.graph
        var numbers = SeededNumbers(seed: options.seed)
        let count = max(
            4, min(options.effort.requests, options.effort.requests * StoreLimits.readUsers / users)
        )
        return try (0..<count).map { _ in
            let owner = Int.random(in: graph.users.indices, using: &numbers)
            let others = (0..<users).map { _ in
                // No user is a friend of itself, not even over a fixed row.
                let step = Int.random(in: 1..<graph.users.count, using: &numbers)
                return (
                    graph.users[(owner + step) % graph.users.count].text, FriendRelation.bothWay
                )
            }
            return try Calls.check(graph.users[owner].text, others)
        }
    }
}
