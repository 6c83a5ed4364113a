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
        return try graph.questions(count, ids: ids, &numbers).map(check)
    }

    /// Checks over fixed rows, where all users are friends.
    static func fixedChecks(
        _ count: Int, ids: Int, in graph: SampleGraph, _ numbers: inout SeededNumbers
    ) throws(CodecError) -> [Flood.Request] {
        try graph.questions(count, ids: ids, friends: false, &numbers).map {
            question throws(CodecError) in
            try check(question.user, question.names.map { ($0, .bothWay) })
        }
    }

    /// A check whose answer is that of the graph.
    static func check(_ question: Question) throws(CodecError) -> Flood.Request {
        try check(question.user, Array(zip(question.names, question.relations)))
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
            let request = AddFriendsRequest.adding(pair.1, to: pair.0)
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

extension AddFriendsRequest {
    /// The addition of one friend, in both directions.
    static func adding(_ friend: String, to user: String, wording: String = "") -> Self {
        let item = AddFriend.with {
            ($0.userID, $0.wording, $0.source) = (friend, wording, "AddSource_Type_Bench")
        }
        return with { ($0.userID, $0.items, $0.addType) = (user, [item], .both) }
    }
}

extension UpdateProfileRequest {
    /// A new nick of a user.
    static func naming(_ user: String, _ nick: String) -> Self {
        let profile = RelationAPI.Profile.with { $0.nick = nick }
        return with {
            ($0.userID, $0.profile, $0.updateMask) = (user, profile, FieldMask(["nick"]))
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
