import Memory
import Protobuf
import RelationAPI
import RelationModel

/// Makes the calls of the scenarios, each with the only correct answer.
enum Calls {
    /// Checks of random users: half of them ask for a random friend, the others for any user.
    static func checks(
        _ count: Int, ids: Int, in graph: SampleGraph, seed: UInt64
    ) throws(CodecError) -> [Flood.Request] {
        var numbers = SeededNumbers(seed: seed)
        var requests: [Flood.Request] = []
        for _ in 0..<count {
            let owner = Int.random(in: graph.users.indices, using: &numbers)
            var others: [(String, FriendRelation)] = []
            while others.count < ids {
                let friend = graph.friends[owner].randomElement(using: &numbers)
                let anybody = Int.random(in: graph.users.indices, using: &numbers)
                let other = Bool.random(using: &numbers) ? friend ?? anybody : anybody
                // No user is a friend of itself; the graph has no such pair.
                let relation = graph.areFriends(owner, other) ? FriendRelation.bothWay : .none
                others.append((graph.users[other].text, relation))
            }
            requests.append(try check(graph.users[owner].text, others))
        }
        return requests
    }

    /// A check of `others`, and the relations that the answer must have.
    static func check(
        _ owner: String, _ others: [(String, FriendRelation)]
    ) throws(CodecError) -> Flood.Request {
        try Arena.temporary { (arena) throws(CodecError) in
            let request = CheckFriendsRequest.with {
                $0.userID = owner
                $0.userIDs = others.map(\.0)
            }
            let response = CheckFriendsResponse.with {
                $0.results = others.map { other, relation in
                    CheckFriendResult.with {
                        $0.userID = other
                        $0.code = .success
                        $0.relation = relation
                    }
                }
            }
            return Flood.Request(
                message: try Coder(CheckFriendsRequest.self).bytes(request, arena),
                answer: try Coder(CheckFriendsResponse.self).bytes(response, arena))
        }
    }

    /// The first of a pair, both still without any write, adds the second.
    static func add(_ pair: (String, String)) throws(CodecError) -> Flood.Request {
        try Arena.temporary { (arena) throws(CodecError) in
            let friend = AddFriend.with {
                $0.userID = pair.1
                $0.source = "AddSource_Type_Bench"
            }
            let request = AddFriendsRequest.with {
                $0.userID = pair.0
                $0.items = [friend]
                $0.addType = .both
            }
            let result = FriendResult.with {
                $0.userID = pair.1
                $0.code = .success
                $0.changed = true
            }
            let response = AddFriendsResponse.with {
                $0.sequence = 1
                $0.applied = true
                $0.results = [result]
            }
            return Flood.Request(
                message: try Coder(AddFriendsRequest.self).bytes(request, arena),
                answer: try Coder(AddFriendsResponse.self).bytes(response, arena))
        }
    }
}

extension Flood.Request {
    /// A call that any answer will do for.
    init<Message: CodedMessage>(_ request: Message) throws(CodecError) {
        message = try Arena.temporary { (arena) throws(CodecError) in
            try Coder(Message.self).bytes(request, arena)
        }
    }
}
