import Memory
import Protobuf
import RelationAPI
import RelationModel

/// The reads that take long, since they name or answer many users.
enum LongRead: String, CaseIterable {
    case profiles = "GetProfiles of 100"
    case checks = "CheckFriends of 1000"
    case friends = "ListFriends of 500 with profiles"
    case relations = "GetRelations of 100"
    case suggestions = "SuggestFriends"

    var path: String {
        switch self {
        case .profiles: ProfileMethods.getProfiles.path
        case .checks: FriendMethods.checkFriends.path
        case .friends: FriendMethods.listFriends.path
        case .relations: FriendMethods.getRelations.path
        case .suggestions: FriendMethods.suggestFriends.path
        }
    }

    /// Different calls of this kind, each with the answer that a server gave once.
    ///
    /// That answer is compared with the graph here. All later ones must have the same bytes.
    func requests(
        _ graph: SampleGraph, _ port: UInt16, _ metadata: [(name: String, value: String)],
        seed: UInt64
    ) throws -> [Flood.Request] {
        var numbers = SeededNumbers(seed: seed)
        return try owners(of: graph, &numbers).map { owner in
            let call = ReadCall(owner: owner, others: others(than: owner, in: graph, &numbers))
            let arena = Arena()
            defer { arena.free() }
            let message = try message(call, in: graph, arena)
            let answer = try SingleCall.answer(port, path, metadata, message)
            guard try isRight(answer, call, in: graph, arena) else {
                throw FloodError("\(rawValue): not as the graph requires")
            }
            return Flood.Request(message: message, answer: answer)
        }
    }

    /// A caller and the users that it names, by their places in the graph.
    private struct ReadCall {
        let owner: Int
        let others: [Int]
    }

    private func owners(of graph: SampleGraph, _ numbers: inout SeededNumbers) -> [Int] {
        guard self != .friends else {
            // A page is full for those who have the most friends, if it is for any.
            let sorted = graph.users.indices.sorted {
                graph.friends[$0].count > graph.friends[$1].count
            }
            return Array(sorted.prefix(PeerLimits.differentLongReads))
        }
        return (0..<PeerLimits.differentLongReads).map { _ in
            Int.random(in: graph.users.indices, using: &numbers)
        }
    }

    /// The users that a call of `owner` names.
    private func others(
        than owner: Int, in graph: SampleGraph, _ numbers: inout SeededNumbers
    ) -> [Int] {
        let count =
            switch self {
            case .profiles: PeerLimits.profiles
            case .checks: PeerLimits.checks
            case .relations: PeerLimits.relations
            case .friends, .suggestions: 0
            }
        let others = graph.users.indices.filter { $0 != owner }
        return Array(others.shuffled(using: &numbers).prefix(count))
    }

    private func message(
        _ call: ReadCall, in graph: SampleGraph, _ arena: Arena
    ) throws(CodecError) -> [UInt8] {
        let owner = graph.users[call.owner].text
        let others = call.others.map { graph.users[$0].text }
        switch self {
        case .profiles:
            var request = GetProfilesRequest()
            (request.userID, request.userIDs) = (owner, others)
            return try Coder(GetProfilesRequest.self).bytes(request, arena)
        case .checks:
            let request = CheckFriendsRequest.with {
                $0.userID = owner
                $0.userIDs = others
            }
            return try Coder(CheckFriendsRequest.self).bytes(request, arena)
        case .friends:
            var request = ListFriendsRequest()
            request.userID = owner
            request.pageSize = Int32(PeerLimits.friends)
            request.withProfiles = true
            return try Coder(ListFriendsRequest.self).bytes(request, arena)
        case .relations:
            var request = GetRelationsRequest()
            (request.userID, request.userIDs) = (owner, others)
            return try Coder(GetRelationsRequest.self).bytes(request, arena)
        case .suggestions:
            var request = SuggestFriendsRequest()
            request.userID = owner
            return try Coder(SuggestFriendsRequest.self).bytes(request, arena)
        }
    }

    /// Whether the answer is what the graph requires, as far as the graph tells it.
    private func isRight(
        _ answer: [UInt8], _ call: ReadCall, in graph: SampleGraph, _ arena: Arena
    ) throws(CodecError) -> Bool {
        let names = call.others.map { graph.users[$0].text }
        let relations = call.others.map {
            graph.areFriends(call.owner, $0) ? FriendRelation.bothWay : .none
        }
        switch self {
        case .profiles:
            let message = try Coder(GetProfilesResponse.self).message(answer, arena)
            return message.results.map(\.userID) == names
                && message.results.allSatisfy { $0.code == .success && $0.profile != nil }
        case .checks:
            let message = try Coder(CheckFriendsResponse.self).message(answer, arena)
            return message.results.map(\.userID) == names
                && message.results.map(\.relation) == relations
        case .friends:
            let message = try Coder(ListFriendsResponse.self).message(answer, arena)
            let friends = Set(graph.friends[call.owner].map { graph.users[$0].text })
            return message.friends.count == min(PeerLimits.friends, friends.count)
                && Set(message.friends.map(\.userID)).isSubset(of: friends)
                && message.friends.allSatisfy { $0.profile != nil }
                && message.totalSize == Int32(friends.count)
        case .relations:
            let message = try Coder(GetRelationsResponse.self).message(answer, arena)
            return message.results.map(\.userID) == names
                && message.results.map(\.relation) == relations
        case .suggestions:
            let message = try Coder(SuggestFriendsResponse.self).message(answer, arena)
            let friends = Set(graph.friends[call.owner].map { graph.users[$0].text })
            return message.suggestions.allSatisfy {
                $0.mutualCount > 0 && !friends.contains($0.userID)
            }
        }
    }
}
