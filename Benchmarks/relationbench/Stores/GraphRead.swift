import Memory
import Protobuf
import RelationAPI
import RelationModel

/// A read of the sample graph that is measured beside `CheckFriends` from fixed rows.
enum GraphRead: Equatable {
    case checks(Int)
    case canSend(Int)
    case blacklist(Int)
    case relations(Int)
    case mutual
    case suggestions

    static let all: [GraphRead] =
        StoreLimits.checks.map(GraphRead.checks) + [
            .canSend(1), .canSend(StoreLimits.readUsers), .blacklist(StoreLimits.readUsers),
            .relations(StoreLimits.readUsers), .mutual, .suggestions,
        ]

    var title: String {
        switch self {
        case .checks(let count): "CheckFriends of \(count)"
        case .canSend(let count): "CanSend of \(count)"
        case .blacklist(let count): "CheckBlacklist of \(count)"
        case .relations(let count): "GetRelations of \(count)"
        case .mutual: "ListMutualFriends"
        case .suggestions: LongRead.suggestions.rawValue
        }
    }

    /// The users that a call names; nil if it is not beside a check of as many.
    var users: Int? {
        switch self {
        case .checks(let count), .canSend(let count), .blacklist(let count), .relations(let count):
            count
        case .mutual, .suggestions: nil
        }
    }

    /// The calls in flight on each connection.
    var streams: Int {
        (users ?? StoreLimits.longCall) < StoreLimits.longCall
            ? StoreLimits.inFlight : StoreLimits.longInFlight
    }

    var path: String {
        switch self {
        case .checks: FriendMethods.checkFriends.path
        case .canSend: BlacklistMethods.canSend.path
        case .blacklist: BlacklistMethods.checkBlacklist.path
        case .relations: FriendMethods.getRelations.path
        case .mutual: FriendMethods.listMutualFriends.path
        case .suggestions: FriendMethods.suggestFriends.path
        }
    }

    /// Different calls, each with its only correct answer.
    ///
    /// Checks are answered from the graph here. For the others a server is asked once. That answer
    /// is compared with the graph, as far as the graph tells it, and all later ones must have the
    /// same bytes.
    func requests(
        _ graph: SampleGraph, _ port: UInt16, _ metadata: [(name: String, value: String)],
        count: Int, seed: UInt64
    ) throws -> [Flood.Request] {
        if case .checks(let ids) = self {
            // So many users are named in all that caches do not know the next one.
            let count = max(4, min(count, count * StoreLimits.readUsers / ids))
            return try Calls.checks(count, ids: ids, in: graph, seed: seed)
        }
        var numbers = SeededNumbers(seed: seed)
        let arena = Arena()
        defer { arena.free() }
        return try (0..<min(count, StoreLimits.askedReads)).map { _ in
            let owner = Int.random(in: graph.users.indices, using: &numbers)
            let others = others(than: owner, in: graph, &numbers)
            let message = try message(owner, others, in: graph, arena)
            let answer = try SingleCall.answer(port, path, metadata, message)
            guard try isRight(answer, owner, others, in: graph, arena) else {
                throw FloodError(
                    "\(title) of user \(graph.users[owner]): not as the graph requires")
            }
            arena.reset()
            return Flood.Request(message: message, answer: answer)
        }
    }

    /// The users that a call of `owner` names: half of them friends, the others any users.
    private func others(
        than owner: Int, in graph: SampleGraph, _ numbers: inout SeededNumbers
    ) -> [Int] {
        // Two friends share the most.
        if self == .mutual { return [graph.friends[owner].randomElement(using: &numbers)!] }
        var others: [Int] = []
        while others.count < users ?? 0 {
            let friend = graph.friends[owner].randomElement(using: &numbers)!
            let step = Int.random(in: 1..<graph.users.count, using: &numbers)
            let other =
                Bool.random(using: &numbers) ? friend : (owner + step) % graph.users.count
            // Some calls refuse a user that is named twice.
            if !others.contains(other) { others.append(other) }
        }
        return others
    }

    private func message(
        _ owner: Int, _ others: [Int], in graph: SampleGraph, _ arena: Arena
    ) throws(CodecError) -> [UInt8] {
        let owner = graph.users[owner].text
        let others = others.map { graph.users[$0].text }
        switch self {
        case .checks:
            let request = CheckFriendsRequest.with {
                $0.userID = owner
                $0.userIDs = others
            }
            return try Coder(CheckFriendsRequest.self).bytes(request, arena)
        case .canSend:
            let request = CanSendRequest.with {
                $0.userID = owner
                $0.userIDs = others
            }
            return try Coder(CanSendRequest.self).bytes(request, arena)
        case .blacklist:
            let request = CheckBlacklistRequest.with {
                $0.userID = owner
                $0.userIDs = others
            }
            return try Coder(CheckBlacklistRequest.self).bytes(request, arena)
        case .relations:
            var request = GetRelationsRequest()
            (request.userID, request.userIDs) = (owner, others)
            return try Coder(GetRelationsRequest.self).bytes(request, arena)
        case .mutual:
            let request = ListMutualFriendsRequest.with {
                $0.userID = owner
                $0.otherUserID = others[0]
            }
            return try Coder(ListMutualFriendsRequest.self).bytes(request, arena)
        case .suggestions:
            var request = SuggestFriendsRequest()
            request.userID = owner
            return try Coder(SuggestFriendsRequest.self).bytes(request, arena)
        }
    }
}

// MARK: - Answers

extension GraphRead {
    private func isRight(
        _ answer: [UInt8], _ owner: Int, _ others: [Int], in graph: SampleGraph, _ arena: Arena
    ) throws(CodecError) -> Bool {
        let names = others.map { graph.users[$0].text }
        switch self {
        case .checks: return true
        case .canSend:
            // No user of the graph has a blacklist, and the app lets strangers write.
            let message = try Coder(CanSendResponse.self).message(answer, arena)
            return message.results.map(\.userID) == names
                && message.results.allSatisfy { $0.code == .success }
        case .blacklist:
            let message = try Coder(CheckBlacklistResponse.self).message(answer, arena)
            return message.results.map(\.userID) == names
                && message.results.allSatisfy {
                    $0.code == .success && $0.relation == BlacklistRelation.none
                }
        case .relations:
            let message = try Coder(GetRelationsResponse.self).message(answer, arena)
            return message.results.map(\.userID) == names
                && zip(message.results, others).allSatisfy { card, other in
                    let areFriends = graph.areFriends(owner, other)
                    return card.relation == (areFriends ? .bothWay : FriendRelation.none)
                        && (card.friendEntry != nil) == areFriends && !card.blacklisted
                }
        case .mutual:
            let message = try Coder(ListMutualFriendsResponse.self).message(answer, arena)
            let shared = Set(graph.friends[owner]).intersection(graph.friends[others[0]])
                .map { graph.users[$0] }.sorted().map(\.text)
            return message.code == .success && Int(message.totalSize) == shared.count
                && message.userIDs == Array(shared.prefix(message.userIDs.count))
                && message.userIDs.isEmpty == shared.isEmpty
        case .suggestions:
            let message = try Coder(SuggestFriendsResponse.self).message(answer, arena)
            return Self.areBest(message.suggestions, isBounded: message.bounded, owner, in: graph)
        }
    }

    /// Whether these are friends of friends, the best first, each with the count that the graph
    /// has for it.
    private static func areBest(
        _ suggestions: [FriendSuggestion], isBounded: Bool, _ owner: Int, in graph: SampleGraph
    ) -> Bool {
        let friends = Set(graph.friends[owner])
        var counts: [Int: Int] = [:]
        for friend in friends {
            for other in graph.friends[friend] where other != owner && !friends.contains(other) {
                counts[other, default: 0] += 1
            }
        }
        let known = Dictionary(uniqueKeysWithValues: counts.map { (graph.users[$0].text, $1) })
        let found = suggestions.map { Int($0.mutualCount) }
        let areKnown = zip(suggestions, found).allSatisfy { suggestion, count in
            guard let most = known[suggestion.userID] else { return false }
            // Not all rows are looked at if there are too many.
            return isBounded ? (1...most).contains(count) : count == most
        }
        guard areKnown, zip(found, found.dropFirst()).allSatisfy({ $0 >= $1 }) else { return false }
        return isBounded || found.first == counts.values.max()
    }
}
