import Protobuf
import RelationAPI
import RelationModel

/// The calls of one scenario: the same calls again and again if it reads, new calls if it writes.
final class ScenarioCalls {
    private let name: ScenarioName
    private let scenario: Scenario
    private let graph: SampleGraph
    private let data: BenchData?
    private let seed: UInt64
    private var reads: [Flood.Request] = []
    /// The pairs that the present server was asked to add.
    private var added: [(String, String)] = []

    /// - Parameter data: Not nil unless the scenario's rows are fixed.
    init(
        _ name: ScenarioName, _ scenario: Scenario, _ graph: SampleGraph, _ data: BenchData?,
        seed: UInt64
    ) {
        precondition(scenario.isFixed || data != nil, "only fixed rows need no data")
        (self.name, self.scenario, self.graph) = (name, scenario, graph)
        (self.data, self.seed) = (data, seed)
    }

    /// The arguments that start a server for these calls.
    ///
    /// The server does not have the writes of an earlier one.
    func serverArguments() throws -> [String] {
        added = []
        guard let data, !scenario.isFixed else {
            return ["serve", "--fixed"] + (scenario.isGuarded ? ["--guarded"] : [])
        }
        return ["serve", "--data", scenario.writes ? try data.copy() : data.path]
    }

    /// The number of calls after which the rows that they read are in memory.
    var callsToWarmUp: Int {
        switch scenario.work {
        case .check(let ids, fixed: false): BenchLimits.differentReads / ids
        case .list: lists.count
        case .check, .add: 0
        }
    }

    /// Makes calls, at most `calls` and no longer than `seconds`.
    ///
    /// - Throws: ``FloodError`` if they could not be made, or if one got a wrong answer.
    func flood(_ port: UInt16, calls: Int, seconds: Double) throws -> FloodReport {
        let requests: [Flood.Request]
        if let data, scenario.writes {
            let pairs = data.pairs(added.count..<added.count + calls)
            added += pairs
            requests = try pairs.map { try Calls.add($0) }
        } else {
            if reads.isEmpty { reads = try makeReads(port) }
            requests = reads
        }
        let path: String
        switch scenario.work {
        case .check: path = FriendMethods.checkFriends.path
        case .list: path = FriendMethods.listFriends.path
        case .add: path = FriendMethods.addFriends.path
        }
        var flood = Flood(
            port: port, path: path, requests: requests, load: scenario.load, calls: calls,
            seconds: scenario.writes ? max(seconds, 60) : seconds)
        if scenario.isGuarded { flood.metadata = [("authorization", "Bearer \(BenchKey.text)")] }
        return try flood.checkedRun(scenario.title)
    }

    /// The instructions of one call.
    func count(_ counter: InstructionCounter) throws -> Int {
        let slope = try counter.slope(name.rawValue, serving: serverArguments) { port, count in
            // Both runs begin with the same work, so it drops out of the difference.
            if callsToWarmUp > 0 { _ = try flood(port, calls: callsToWarmUp, seconds: 60) }
            _ = try flood(port, calls: count, seconds: 60)
        }
        return Int(slope)
    }

    /// Checks that every added pair is stored, in both directions.
    func checkAdded(_ port: UInt16) throws {
        try Flood.once(
            try added.map { try Calls.check($0.0, [($0.1, .bothWay)]) }, port, scenario.title)
    }

    /// The users that have exactly as many friends as a page has rows, with these friends.
    private var lists: [Question] {
        graph.users.indices.filter { graph.friends[$0].count == BenchLimits.listedFriends }
            .map { owner in
                let friends = graph.friends[owner].sorted { graph.users[$0] < graph.users[$1] }
                return Question(graph: graph, owner: owner, others: friends)
            }
    }

    private func makeReads(_ port: UInt16) throws -> [Flood.Request] {
        let count = BenchLimits.differentReads
        switch scenario.work {
        case .check(_, fixed: true):
            var numbers = SeededNumbers(seed: seed)
            return try Calls.fixedChecks(count, ids: 1, in: graph, &numbers)
        case .check(let ids, fixed: false):
            return try Calls.checks(count, ids: ids, in: graph, seed: seed)
        case .list:
            guard !lists.isEmpty else {
                throw FloodError("no user of the graph has \(BenchLimits.listedFriends) friends")
            }
            return try GraphRead.wholeList.requests(lists, port, [])
        case .add: preconditionFailure("adds are not repeated")
        }
    }
}
