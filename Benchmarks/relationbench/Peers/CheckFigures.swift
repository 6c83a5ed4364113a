/// One read of the sample graph from disk, beside a check of as many users from fixed rows.
struct CheckFigures: Comparison {
    let read: GraphRead
    /// The builds in their order, this one first.
    var builds: [ServerRounds] = []
    /// Checks of as many users from fixed rows; nil if the read names no users.
    var fixed: ServerRounds?

    var servers: [ServerRounds] { builds + [fixed].compactMap(\.self) }

    /// The processor time of a call as a part of that from fixed rows, within the rounds.
    var ofFixed: Double? {
        guard let ours = builds.first, let fixed else { return nil }
        return ours.cpuMicroseconds.ratios(to: fixed.cpuMicroseconds).middle
    }

    /// The users that this build looks up in a second of a processor's time.
    var pairsPerSecond: Double? {
        guard let ours = builds.first, let users = read.users, ours.cpuMicroseconds.median > 0
        else { return nil }
        return Double(users) * 1e6 / ours.cpuMicroseconds.median
    }

    var json: ReportObject {
        [
            "call": read.title, "users": read.users,
            "servers": servers.map { ReportObject($0.members) }, "ofFixed": ofFixed,
            "pairsPerSecond": pairsPerSecond,
        ]
    }
}

/// Reads over the sample graph on disk, in turns with fixed rows.
extension PeerBench {
    func measureChecks() throws {
        let data = try sampleRows()
        let servers = try builds.map { try start($0.program, over: data) }
        let fixed = try start(builds[0].program, over: nil)
        figures.checks = try GraphRead.all.map { read in
            let rounds = try rounds(read.title) { turns in
                for (build, server) in zip(builds, servers) {
                    let requests = try requests(read, server.port)
                    add(build.name, server, read, read.path, requests, to: &turns)
                }
                guard let users = read.users else { return }
                // Of as many users as over the graph, each of which is a friend over fixed rows.
                var numbers = SeededNumbers(seed: options.measured.seed)
                let requests = try Calls.fixedChecks(
                    count(ofChecks: users), ids: users, in: graph, &numbers)
                add("fixed row", fixed, read, GraphRead.checks(users).path, requests, to: &turns)
            }
            return CheckFigures(
                read: read, builds: Array(rounds.prefix(builds.count)),
                fixed: rounds.dropFirst(builds.count).first)
        }
        for server in servers + [fixed] { try server.stop() }
    }

    /// Different calls, each with its only correct answer: checks as the graph tells it, others as
    /// a server has told it.
    private func requests(_ read: GraphRead, _ port: UInt16) throws -> [Flood.Request] {
        if let users = read.users, read.path == GraphRead.checks(users).path {
            return try Calls.checks(
                count(ofChecks: users), ids: users, in: graph, seed: options.measured.seed)
        }
        let count = min(effort.requests, StoreLimits.askedReads)
        return try read.requests(
            read.questions(count, in: graph, seed: options.measured.seed), port)
    }

    /// So many users are named in all that caches do not know the next one.
    private func count(ofChecks users: Int) -> Int {
        max(4, min(effort.requests, effort.requests * StoreLimits.readUsers / users))
    }

    private func add(
        _ name: String, _ server: ServerProcess, _ read: GraphRead, _ path: String,
        _ requests: [Flood.Request], to turns: inout Turns
    ) {
        turns.add(name, server) {
            Flood(
                port: server.port, path: path, metadata: PeerServer.keyed, requests: requests,
                load: read.load)
        }
    }
}
