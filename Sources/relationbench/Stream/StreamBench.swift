import Protobuf
import RelationAPI
import RelationModel

/// Measures one scenario of streams.
///
/// Each round writes without any stream, opens the streams, writes the same again, and closes them:
/// the difference in the server's processor time is what telling costs, and the two times of a
/// round are taken within seconds, so that a slow machine makes both slow. What the engine's own
/// threads do meanwhile counts in neither.
final class StreamBench {
    private let scenario: StreamScenario
    private let data: BenchData
    private let effort: Effort
    private let executable: String
    /// Whom the streams follow, one each.
    private let watchers: [String]
    /// Changes from one write to the next, so that each has something to tell.
    private var renames = 0
    private var isOnline = false
    /// From a write's answer to each of its events, and to the last of them; of all rounds.
    private var latencies = LatencyHistogram()
    private var lasts = LatencyHistogram()

    init(_ scenario: StreamScenario, _ data: BenchData, effort: Effort, executable: String) {
        self.scenario = scenario
        self.data = data
        self.effort = effort
        self.executable = executable
        watchers =
            switch scenario.work {
            case .pairs: data.pairs(0..<effort.watchers / 2).flatMap { [$0.0, $0.1] }
            case .friendsProfile: data.friends
            case .profile, .presence: data.subscribers
            }
    }

    /// - Throws: ``FloodError`` if an event was missing, came twice or in disorder, or a stream
    ///   ended.
    func measure() throws -> StreamFigures {
        let server = try ServerProcess(
            executable, ["serve", "--data", try data.copy()], core: BenchLimits.serverProcessor,
            seconds: BenchLimits.startSeconds)
        try subscribe(watchers, server.port)
        _ = try round(server, nil)
        var times: [Double] = []
        var lone: [Double] = []
        var figures = StreamFigures()
        figures.streams = watchers.count
        for number in 0..<effort.rounds {
            let without = try round(server, nil)
            let before = try server.settledUsage()
            let crowd = try WatchCrowd(watchers, port: server.port)
            // A later round takes what an earlier one has given back.
            if number == 0 {
                figures.streamBytes =
                    try server.settledUsage().residentBytes - before.residentBytes
            }
            let with = try round(server, crowd)
            lone.append(without.cpuSeconds * 1e6 / Double(without.writes))
            times.append((with.cpuSeconds - without.cpuSeconds) * 1e6 / Double(with.events))
            figures.events = with.events
        }
        try server.stop()
        figures.eventMicroseconds = Spread(times)
        figures.shareOfWrite = figures.eventMicroseconds.median / Spread(lone).median
        figures.p50 = latencies.percentile(0.5)
        figures.p99 = latencies.percentile(0.99)
        figures.last = lasts.percentile(0.5)
        return figures
    }

    private func subscribe(_ watchers: [String], _ port: UInt16) throws {
        let type: SubscribeType
        switch scenario.work {
        case .pairs, .friendsProfile: return
        case .profile: type = .userProfile
        case .presence: type = .onlineStatus
        }
        let requests = try watchers.map {
            try StreamCalls.subscribe($0, to: BenchData.star, type)
        }
        try run(
            Flood(
                port: port, path: SubscriptionMethods.subscribe.path, requests: requests,
                connections: 1, calls: requests.count))
    }

    // MARK: A round

    /// So many writes in batches, one after another, of which `listeners` are told.
    private func batches(
        _ writes: Int, among listeners: Int
    ) throws -> [(path: String, requests: [Flood.Request])] {
        switch scenario.work {
        case .pairs:
            let pairs = data.pairs(0..<min(writes / 2, listeners / 2))
            let turn = [
                (FriendMethods.addFriends.path, try pairs.map(StreamCalls.add)),
                (FriendMethods.deleteFriends.path, try pairs.map(StreamCalls.delete)),
            ]
            return (0..<writes / (2 * pairs.count)).flatMap { _ in turn }
        case .friendsProfile, .profile:
            // One by one: the next one waits until all have been told of the one before.
            return try (0..<writes).map { _ in
                renames += 1
                return (
                    ProfileMethods.updateProfile.path,
                    [try StreamCalls.rename(BenchData.star, "nick \(renames)")]
                )
            }
        case .presence:
            return try (0..<writes).map { _ in
                isOnline.toggle()
                return (
                    PresenceMethods.reportPresence.path,
                    [try StreamCalls.report(BenchData.star, online: isOnline)]
                )
            }
        }
    }

    /// Events that each write has.
    private func eventsPerWrite(among listeners: Int) -> Int {
        scenario.work == .pairs ? 2 : listeners
    }

    /// What a round took.
    private struct Round {
        var writes = 0
        /// Those that streams were told of.
        var events = 0
        /// Of the server, but for its engine's threads.
        var cpuSeconds = 0.0
    }

    private func round(_ server: ServerProcess, _ crowd: WatchCrowd?) throws -> Round {
        let batches = try batches(scenario.writes(effort), among: watchers.count)
        var round = Round()
        // What streams that were closed leave behind is no part of the round.
        let before = try server.settledUsage()
        for (path, requests) in batches {
            let answered = try write(requests, to: path, server.port, crowd, among: watchers.count)
            round.writes += requests.count
            guard let crowd else { continue }
            round.events += eventsPerWrite(among: watchers.count) * requests.count
            try note(crowd.receipts, answered)
        }
        let after = try server.usage()
        round.cpuSeconds =
            after.cpuSeconds - before.cpuSeconds - after.engineSeconds + before.engineSeconds
        return round
    }

    /// Writes, and waits until `crowd` was told of it all.
    ///
    /// - Returns: When each was answered.
    private func write(
        _ requests: [Flood.Request], to path: String, _ port: UInt16, _ crowd: WatchCrowd?,
        among listeners: Int
    ) throws -> [UInt64] {
        var answered = [UInt64](repeating: 0, count: requests.count)
        crowd?.begin()
        var flood = Flood(
            port: port, path: path, requests: requests,
            connections: scenario.connections, streams: scenario.streams,
            calls: requests.count)
        flood.listeners = crowd?.connections ?? []
        flood.answered = { request, time in answered[request] = time }
        try run(flood)
        try crowd?.wait(events: eventsPerWrite(among: listeners) * requests.count)
        return answered
    }

    /// Notes how long after their writes' answers events came.
    private func note(_ receipts: [WatchCrowd.Receipt], _ answered: [UInt64]) throws {
        var last = [UInt64](repeating: 0, count: answered.count)
        for receipt in receipts {
            let write = scenario.work == .pairs ? receipt.listener / 2 : 0
            guard receipt.number == 0, write < answered.count else {
                throw FloodError("an event came that no write has")
            }
            let since = receipt.time - min(receipt.time, answered[write])
            latencies.add(nanoseconds: since)
            last[write] = max(last[write], since)
        }
        for time in last { lasts.add(nanoseconds: time) }
    }

    private func run(_ flood: Flood) throws {
        let report = try flood.run()
        guard report.failures == 0, report.calls == flood.calls else {
            throw FloodError(
                "\(scenario.title): \(report.failures) of \(report.calls) calls failed: "
                    + (report.firstFailure ?? "not all were made"))
        }
    }
}
