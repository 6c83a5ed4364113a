import RelationModel

/// Checks of users with many friends beside the look-ups of stores that do less.
///
/// A store looks one direction up: whether a user stands in another one's set. Ours reads both
/// directions and the accounts, and asks for a credential.
extension PeerBench {
    static let redis = "Redis"
    private static let lmdb = "LMDB"

    func measureLookups() throws {
        let graph = SampleGraph(ring: effort.setUsers, friends: effort.setFriends)
        let data = try BenchData(graph, pairs: 0, in: folder)
        let files = try Tool.makeFolder(in: folder)
        defer { Tool.removeFolder(files) }
        let servers = try builds.map { try start($0.program, over: data) }
        let stores = [
            (Self.redis, try RedisServer.start(isDurable: false, in: files)),
            (Self.lmdb, try ServerProcess(serving: options.peers + "/lmdb-server", [files])),
        ]
        for (_, store) in stores { try RedisServer.send(graph.sets, to: store.port) }

        figures.lookups = try StoreLimits.lookups.map { ids in
            // Half of the users that are asked for are friends.
            var numbers = SeededNumbers(seed: options.measured.seed)
            let questions = graph.questions(effort.requests, ids: ids, &numbers)
            let checks = try questions.map { try Calls.check($0) }
            let lookups = questions.map(\.lookup)
            let rounds = try rounds("look-ups of \(ids)") { turns in
                for (build, server) in zip(builds, servers) {
                    turns.add(build.name, server) {
                        Flood(port: server.port, metadata: PeerServer.keyed, requests: checks)
                    }
                }
                for (name, store) in stores {
                    turns.add(name, store) { PipelineFlood(port: store.port, requests: lookups) }
                }
            }
            return ShapeFigures(shape: PeerShape(ids: ids, load: .reads), servers: rounds)
        }
        // Its folder is removed with it, and servers need theirs until they have stopped.
        try withExtendedLifetime(data) {
            for server in servers + stores.map(\.1) { try server.stop() }
        }
    }
}

extension Question {
    /// The look-up in a store of sets that asks the same.
    var lookup: PipelineFlood.Request {
        PipelineFlood.Request(
            command: RedisCommand.bytes(["SMISMEMBER", "friends:\(user)"] + names),
            answer: RedisCommand.numbers(areFriends.map { $0 ? 1 : 0 }))
    }
}

extension SampleGraph {
    /// The commands that make the sets of all users.
    var sets: [PipelineFlood.Request] {
        users.indices.map { owner in
            let names = friends[owner].map { users[$0].text }
            return PipelineFlood.Request(
                command: RedisCommand.bytes(["SADD", "friends:\(users[owner])"] + names),
                answer: RedisCommand.number(names.count))
        }
    }
}
