import Protobuf
import RelationAPI
import RelationCore
import RelationModel

/// Measures the effect of more writes than a server can do, on the writes that it does and on
/// another app.
///
/// In each round the server is first driven as fast as it goes, which is its peak. Then calls of
/// the same kind come three times as fast, whether or not earlier ones were answered, from callers
/// that wait only a short time. Beside this load, and alone before it, another app makes one call
/// after another. All figures of a round come from the same server, within seconds.
final class OverloadBench {
    private static let title = "overload"

    private let data: BenchData
    private let effort: Effort
    private let executable: String
    /// Pairs without any write yet: those that were never sent, and those that were refused.
    private var fresh: [(String, String)]
    private var freshOfLightApp: [(String, String)]
    private var added: [(String, String)] = []

    init(_ data: BenchData, effort: Effort, executable: String) {
        (self.data, self.effort, self.executable) = (data, effort, executable)
        fresh = data.pairs(0..<Self.neededPairs(effort)).reversed()
        freshOfLightApp = data.pairs(0..<Self.neededLightPairs(effort)).reversed()
    }

    /// Pairs that a heavy app needs; refused pairs are sent again.
    static func neededPairs(_ effort: Effort) -> Int {
        let answered = effort.overloadCalls * 2 / BenchLimits.overloadFactor
        return (effort.rounds + 1) * (effort.peakWrites + answered) + effort.overloadCalls
    }

    static func neededLightPairs(_ effort: Effort) -> Int {
        effort.rounds * (effort.loneWrites + effort.lightWrites)
    }

    /// The figures of all rounds together.
    ///
    /// Single rounds differ by a factor of two, because other work of the engine and the machine
    /// may fall into either part of a round.
    func measure() throws -> OverloadFigures {
        let server = try ServerProcess(serving: executable, ["serve", "--data", try data.copy()])
        _ = try peak(server.port)
        var rounds: [OverloadFigures] = []
        for _ in 0..<effort.rounds { rounds.append(try round(server)) }
        try check(server.port)
        try server.stop()
        return OverloadFigures(of: rounds)
    }

    private func round(_ server: ServerProcess) throws -> OverloadFigures {
        var figures = OverloadFigures()
        figures.peakPerSecond = try peak(server.port)
        let alone = try light(server.port, calls: effort.loneWrites)
        try alone.open()
        try [alone].drive(awake: true)
        figures.lightAlone = try alone.close().checked(Self.title).p99

        let beside = try light(server.port, calls: effort.lightWrites)
        let pairs = nextPairs(effort.overloadCalls)
        var flood = try heavy(server.port, pairs)
        flood.metadata = [("grpc-timeout", "\(BenchLimits.patienceMilliseconds)m")]
        flood.callsPerSecond = figures.peakPerSecond * Double(BenchLimits.overloadFactor)
        flood.patienceSeconds = Double(BenchLimits.patienceMilliseconds) / 1_000
        flood.refusals = [Self.refusal, Self.tooLate]
        // The queue is empty at first, and the last calls are answered after the last was sent.
        let seconds = Double(pairs.count) / (flood.callsPerSecond ?? 1)
        flood.window = seconds / 4...seconds
        var refused: [Int] = []
        flood.refused = { request, status in
            if status == Self.refusal { refused.append(request) }
        }
        flood.answered = { [self] request, _ in added.append(pairs[request]) }
        try beside.open()
        flood.listeners = beside.connections
        let report = try flood.checkedRun(Self.title)
        beside.stop()
        try [beside].drive()
        fresh += refused.reversed().map { pairs[$0] }

        figures.lightBeside = try beside.close().checked(Self.title).p99
        figures.goodPerSecond = Double(report.goodInWindow) / (seconds * 0.75)
        figures.offeredPerSecond = flood.callsPerSecond ?? 0
        figures.seconds = seconds
        figures.refused = Double(report.refusals[Self.refusal] ?? 0) / Double(report.calls)
        let late = report.late + (report.refusals[Self.tooLate] ?? 0)
        figures.late = Double(late) / Double(report.calls)
        figures.p99 = report.p99
        return figures
    }

    /// The statuses RESOURCE_EXHAUSTED and DEADLINE_EXCEEDED.
    private static let refusal = 8
    private static let tooLate = 4

    // MARK: Loads

    /// Calls a second of a server that always has enough work and never too much.
    private func peak(_ port: UInt16) throws -> Double {
        let pairs = nextPairs(effort.peakWrites)
        var flood = try heavy(port, pairs)
        flood.load.streams = min(flood.load.streams, BenchLimits.peakStreams)
        let report = try flood.checkedRun(Self.title)
        guard report.calls == pairs.count else {
            throw FloodError("\(Self.title): not all calls were made")
        }
        added += pairs
        return report.callsPerSecond
    }

    private func heavy(_ port: UInt16, _ pairs: [(String, String)]) throws -> Flood {
        var flood = Flood(
            port: port, path: FriendMethods.addFriends.path, requests: try pairs.map(Calls.add),
            load: Load(
                connections: BenchLimits.overloadConnections, streams: effort.overloadStreams),
            calls: pairs.count)
        flood.staysAwake = true
        return flood
    }

    /// Calls of another app, one after another.
    private func light(_ port: UInt16, calls: Int) throws -> FloodRun {
        let pairs = freshOfLightApp.suffix(calls)
        freshOfLightApp.removeLast(calls)
        return FloodRun(
            Flood(
                port: port, path: FriendMethods.addFriends.path,
                metadata: [("x-app-id", "\(BenchData.lightApp.id)")],
                requests: try pairs.map(Calls.add), load: Load(), calls: calls))
    }

    private func nextPairs(_ count: Int) -> [(String, String)] {
        precondition(count <= fresh.count, "more pairs than were made")
        defer { fresh.removeLast(count) }
        return fresh.suffix(count)
    }

    /// Checks that every answered write is stored, and no refused write is.
    private func check(_ port: UInt16) throws {
        let never = fresh.suffix(effort.overloadCalls)
        let requests =
            try added.map { try Calls.check($0.0, [($0.1, .bothWay)]) }
            + never.map { try Calls.check($0.0, [($0.1, .none)]) }
        try Flood.once(requests, port, Self.title)
    }
}
