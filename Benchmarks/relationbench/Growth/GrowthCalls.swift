import Protobuf
import RelationModel

/// The calls over a graph that is too large to be kept, with their answers.
///
/// No call repeats another one, so each round reaches users that were not asked for before.
final class GrowthCalls {
    private let graph: LiftedGraph
    private var numbers: SeededNumbers
    /// The pairs that were added to the graph.
    private(set) var added: [(Int, Int)] = []
    private var keys: Set<UInt64> = []

    init(_ graph: LiftedGraph, seed: UInt64) {
        self.graph = graph
        numbers = SeededNumbers(seed: seed)
    }

    /// Checks of random users: half of them ask for a random friend, the others for any user.
    func checks(_ count: Int, ids: Int) throws(CodecError) -> [Flood.Request] {
        try (0..<count).map { _ throws(CodecError) in
            let owner = Int.random(in: 0..<graph.userCount, using: &numbers)
            let friends = graph.friends(of: owner)
            let others = (0..<ids).map { _ in
                let step = Int.random(in: 1..<graph.userCount, using: &numbers)
                let anyUser = (owner + step) % graph.userCount
                return Bool.random(using: &numbers)
                    ? friends.randomElement(using: &numbers) ?? anyUser : anyUser
            }
            return try check(owner, others)
        }
    }

    /// Checks of each user of `owners`, for one of its friends.
    func visits(_ owners: Range<Int>) throws(CodecError) -> [Flood.Request] {
        try owners.map { owner throws(CodecError) in
            try check(owner, Array(graph.friends(of: owner).prefix(1)))
        }
    }

    private func check(_ owner: Int, _ others: [Int]) throws(CodecError) -> Flood.Request {
        try Calls.check(
            graph.id(of: owner),
            others.map { other in
                (graph.id(of: other), areFriends(owner, other) ? FriendRelation.bothWay : .none)
            })
    }

    private func areFriends(_ one: Int, _ other: Int) -> Bool {
        graph.areFriends(one, other) || keys.contains(SampleGraph.pair(one, other))
    }

    /// Additions of users that have friends already.
    ///
    /// An answer holds the user's sequence, which the graph does not have, so any answer will do.
    /// ``addedChecks(from:)`` looks at the friends afterwards.
    func additions(_ count: Int) throws -> [Flood.Request] {
        try (0..<count).map { _ in
            let (one, other) = try unrelatedUsers()
            keys.insert(SampleGraph.pair(one, other))
            added.append((one, other))
            var request = try Calls.add((graph.id(of: one), graph.id(of: other)))
            request.answer = nil
            return request
        }
    }

    private func unrelatedUsers() throws(FloodError) -> (Int, Int) {
        for _ in 0..<GrowthLimits.draws {
            let one = Int.random(in: 0..<graph.userCount, using: &numbers)
            let other = Int.random(in: 0..<graph.userCount, using: &numbers)
            if one != other, !areFriends(one, other) { return (one, other) }
        }
        throw FloodError("the graph has too few users who are not friends")
    }

    /// Checks that the pairs from place `first` on are friends of each other.
    func addedChecks(from first: Int) throws(CodecError) -> [Flood.Request] {
        try added[first...].flatMap { [($0, $1), ($1, $0)] }.map { pair throws(CodecError) in
            try check(pair.0, [pair.1])
        }
    }
}
