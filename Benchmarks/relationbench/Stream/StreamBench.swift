import Protobuf
import RelationAPI
import RelationModel

/// Measures one scenario of streams.
///
/// While the streams are open it makes, in turns, writes that they are notified of and the same
/// writes of users without followers. The difference in the server's processor time is the cost of
/// delivery. A turn takes some hundredths of a second, so that a slow machine makes both kinds
/// slow. The work of the engine's own threads counts in neither.
final class StreamBench {
    private let name: ScenarioName
    private let scenario: StreamScenario
    private let data: BenchData
    private let effort: Effort
    private let executable: String
    /// The users that the streams follow, one each.
    private let watchers: [String]
    /// Changes from one write to the next, so that each write changes something.
    private var renames = 0
    private var isOnline = false
    /// The times from a write's answer to each of its events, and to the last of them; of all
    /// rounds.
    private var latencies = LatencyHistogram()
    private var lasts = LatencyHistogram()

    init(
        _ name: ScenarioName, _ scenario: StreamScenario, _ data: BenchData, effort: Effort,
        executable: String
    ) {
        (self.name, self.scenario, self.data) = (name, scenario, data)
        (self.effort, self.executable) = (effort, executable)
        watchers =
            switch scenario.work {
            case .pairs: data.pairs(0..<effort.watchers / 2).flatMap { [$0.0, $0.1] }
            case .friendsProfile: data.friends
            case .profile, .presence: data.subscribers
            }
    }

    /// - Throws: ``FloodError`` if an event was missing, came twice or in a wrong order, or if a
    ///   stream ended.
    func measure(_ counter: InstructionCounter? = nil) throws -> StreamFigures {
        let server = try ServerProcess(serving: executable, ["serve", "--data", try data.copy()])
        try subscribe(watchers, server.port)
        try warmUp(server.port)
        var times: [Double] = []
        var lone: [Double] = []
        var figures = StreamFigures(scenario: scenario)
        figures.streams = watchers.count
        for number in 0..<effort.rounds {
            let before = try server.settledUsage()
            let crowd = try WatchCrowd(watchers, port: server.port)
            // A later round takes the memory that an earlier one has given back.
            if number == 0 {
                figures.streamBytes = Double(
                    try server.settledUsage().residentBytes - before.residentBytes)
            }
            let (followed, alone) = try round(server, crowd)
            lone.append(alone.cpuSeconds * 1e6 / Double(alone.writes))
            times.append((followed.cpuSeconds - alone.cpuSeconds) * 1e6 / Double(followed.events))
            figures.events = followed.events
        }
        try server.stop()
        figures.eventMicroseconds = Rounds(times)
        figures.shareOfWrite = figures.eventMicroseconds.median / Rounds(lone).median
        figures.p50 = latencies.percentile(0.5)
        figures.p99 = latencies.percentile(0.99)
        figures.last = lasts.percentile(0.5)
        figures.instructions = try counter.map(countInstructions)
        return figures
    }

    /// Makes the measured writes once before, without streams, so that the rows that they read are
    /// in memory.
    private func warmUp(_ port: UInt16) throws {
        for isFollowed in [true, false] {
            for batch in try batches(turn, isFollowed) { _ = try write(batch, port, nil, watchers) }
        }
    }

    private func subscribe(_ watchers: [String], _ port: UInt16) throws {
        let type: SubscribeType
        switch scenario.work {
        case .pairs, .friendsProfile: return
        case .profile: type = .userProfile
        case .presence: type = .onlineStatus
        }
        let requests = try watchers.map { try StreamCalls.subscribe($0, to: BenchData.idol, type) }
        try run(
            Flood(
                port: port, path: SubscriptionMethods.subscribe.path, requests: requests,
                load: Load(streams: 50), calls: requests.count))
    }

    // MARK: Writes

    /// Writes from one look at the server's processor time to the next.
    private var turn: Int {
        guard scenario.work == .pairs else { return 1 }
        let writes = scenario.writes(effort)
        return min(writes, scenario.load.isLone ? 100 : 2_000)
    }

    /// The given number of writes that streams are notified of, or of the same writes of others.
    ///
    /// - Parameters:
    ///   - number: The number of the turn: each has other pairs, as long as there are any.
    ///   - star: The user that all streams are notified of; nil means the scenario's own.
    private func batches(
        _ writes: Int, _ isFollowed: Bool, turn number: Int = 0, of star: String? = nil
    ) throws -> [Flood] {
        let own = scenario.work == .friendsProfile ? BenchData.star : BenchData.idol
        let star = isFollowed ? star ?? own : BenchData.lone
        switch scenario.work {
        case .pairs:
            let count = writes / 2
            let first = firstPair(number, count) + (isFollowed ? 0 : effort.watchers / 2)
            let pairs = data.pairs(first..<first + count)
            return [
                together(FriendMethods.addFriends.path, try pairs.map(StreamCalls.add)),
                together(FriendMethods.deleteFriends.path, try pairs.map(StreamCalls.delete)),
            ]
        case .friendsProfile, .profile:
            // One by one: each write waits until all streams have been notified of the one before.
            return try (0..<writes).map { _ in
                renames += 1
                let rename = UpdateProfileRequest.naming(star, "nick \(renames)")
                return together(ProfileMethods.updateProfile.path, [try Flood.Request(rename)])
            }
        case .presence:
            return try (0..<writes).map { _ in
                if isFollowed { isOnline.toggle() }
                return together(
                    PresenceMethods.reportPresence.path,
                    [try StreamCalls.report(star, online: isOnline)])
            }
        }
    }

    /// Writes that are made together, to a server that is not known yet.
    private func together(_ path: String, _ requests: [Flood.Request]) -> Flood {
        Flood(port: 0, path: path, requests: requests, load: scenario.load, calls: requests.count)
    }

    /// The first pair that is written in that turn.
    private func firstPair(_ turn: Int, _ count: Int) -> Int {
        turn % (effort.watchers / 2 / count) * count
    }

    /// The events of each write that `listeners` are notified of.
    private func eventsPerWrite(among listeners: [String]) -> Int {
        scenario.work == .pairs ? 2 : listeners.count
    }

    /// Writes, and waits until `crowd` was notified of all writes.
    ///
    /// - Parameter crowd: The streams that are notified, which follow `listeners`; nil if there are
    ///   none.
    /// - Returns: When each write was answered.
    private func write(
        _ batch: Flood, _ port: UInt16, _ crowd: WatchCrowd?, _ listeners: [String]
    ) throws -> [UInt64] {
        var answered = [UInt64](repeating: 0, count: batch.requests.count)
        crowd?.begin()
        var flood = batch
        flood.port = port
        flood.listeners = crowd?.connections ?? []
        flood.answered = { request, time in answered[request] = time }
        try run(flood)
        try crowd?.wait(events: eventsPerWrite(among: listeners) * batch.requests.count)
        return answered
    }

    // MARK: A round

    /// The cost of one round's writes, either with streams that were notified or without.
    private struct Round {
        /// The writes without streams, or the events that streams were notified of.
        var writes = 0
        var events = 0
        /// The processor time of the server, without its engine's threads.
        var cpuSeconds = 0.0
    }

    private func round(
        _ server: ServerProcess, _ crowd: WatchCrowd
    ) throws -> (followed: Round, alone: Round) {
        var (followed, alone) = (Round(), Round())
        for number in 0..<max(1, scenario.writes(effort) / turn) {
            for isFollowed in [true, false] {
                for batch in try batches(turn, isFollowed, turn: number) {
                    let before = try server.usage()
                    let answered = try write(batch, server.port, isFollowed ? crowd : nil, watchers)
                    let seconds = try server.usage().callSeconds - before.callSeconds
                    guard isFollowed else {
                        alone.cpuSeconds += seconds
                        alone.writes += answered.count
                        continue
                    }
                    followed.cpuSeconds += seconds
                    followed.events += eventsPerWrite(among: watchers) * answered.count
                    try note(crowd.receipts, answered, from: firstPair(number, answered.count))
                }
            }
        }
        return (followed, alone)
    }

    /// Notes how long after their writes' answers events came.
    ///
    /// - Parameter first: The index of the first written pair.
    private func note(
        _ receipts: [WatchCrowd.Receipt], _ answered: [UInt64], from first: Int
    ) throws {
        var last = [UInt64](repeating: 0, count: answered.count)
        for receipt in receipts {
            let write = scenario.work == .pairs ? receipt.listener / 2 - first : 0
            guard receipt.number == 0, answered.indices.contains(write) else {
                throw FloodError("an event came that no write has")
            }
            let since = receipt.time - min(receipt.time, answered[write])
            latencies.add(nanoseconds: since)
            last[write] = max(last[write], since)
        }
        for time in last { lasts.add(nanoseconds: time) }
    }

    // MARK: Instructions

    /// The instructions of one event: those of a write with streams, less those of a write without.
    ///
    /// The servers have fewer streams than are measured.
    func countInstructions(_ counter: InstructionCounter) throws -> Int {
        let listeners = Array(watchers.prefix(BenchLimits.countedStreams))
        let counts = BenchLimits.countedWrites
        let star = scenario.work == .friendsProfile ? BenchData.lesserStar : nil
        let scale = scenario.work == .pairs ? BenchLimits.countedStreams / 8 : 1
        var slopes: [Double] = []
        for hasStreams in [false, true] {
            slopes.append(
                try counter.slope(
                    "\(name)\(hasStreams ? "" : ".untold")", counts,
                    serving: { ["serve", "--data", try self.data.copy()] },
                    { (port, count) in
                        try self.subscribe(listeners, port)
                        let crowd = hasStreams ? try WatchCrowd(listeners, port: port) : nil
                        for _ in 0..<count {
                            for batch in try self.batches(scale, true, of: star) {
                                _ = try self.write(batch, port, crowd, listeners)
                            }
                        }
                    }))
        }
        let events = eventsPerWrite(among: listeners) * scale
        return Int((slopes[1] - slopes[0]) / Double(events))
    }

    private func run(_ flood: Flood) throws {
        let report = try flood.checkedRun(scenario.title)
        guard report.calls == flood.calls else {
            throw FloodError("\(scenario.title): not all calls were made")
        }
    }
}
