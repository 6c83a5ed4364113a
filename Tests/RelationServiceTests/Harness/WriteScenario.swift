import GRPC
import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCalls
@testable import RelationService

/// One write call on several users, in a world that has an answer of each kind for it.
///
/// The same request can be sent with only some of its items, so each item can be asked alone.
struct WriteScenario: CustomTestStringConvertible, Sendable {
    /// The parts that the answers of all such calls have.
    struct Answer: Equatable {
        var sequence: Int64
        var applied: Bool
        var replayed: Bool
        var results: [FriendResult]
    }

    let testDescription: String
    /// The number of items; those before `refused` succeed, and the others are refused.
    let count: Int
    let refused: Int
    let send: @Sendable (ServiceHarness, WriteOptions, [Int]) throws -> Result<Answer, RPCError>

    static let users: [UserID] = ["A", "B", "C", "D", "E", "F"]

    /// A world in which A has the friends B and C, with C in a group.
    ///
    /// A blocks F. D and E applied to A, and H wants to confirm.
    static func harness() throws -> ServiceHarness {
        let world = try World("A", "B", "C", "D", "E", "F")
        for friend: UserID in ["B", "C"] {
            try #require(try world.add(friend, to: "A") == .success)
        }
        try #require(try world.createGroup("old", with: ["C"], of: "A").isAcceptable)
        try world.allow(.needConfirm, for: "A")
        for user: UserID in ["D", "E"] {
            try #require(try world.add("A", to: user).code == .pending)
        }
        try #require(try world.block("F", by: "A") == .success)
        try world.create(["G", "H"])
        try world.allow(.needConfirm, for: "H")
        world.advance(milliseconds: 1_000)
        return ServiceHarness(world)
    }

    static let all: [WriteScenario] = [
        add, delete, update, respond, block, unblock, putIntoGroup, takeOutOfGroup,
    ]

    static let add = WriteScenario(
        "AddFriends", ["G", "H", "D", "B", "ghost", "F", "A", " bad"], refused: 3
    ) { (options, names) in
        var request = AddFriendsRequest()
        request.userID = "A"
        request.options = options
        request.items = names.map { name in
            var friend = AddFriend()
            friend.userID = name
            friend.group = "group of \(name)"
            return friend
        }
        return (FriendMethods.addFriends, request, FriendHandlers.addFriends)
    }

    static let delete = WriteScenario(
        "DeleteFriends", ["C", "B", "D", "ghost", "A", ""], refused: 2
    ) { (options, names) in
        var request = DeleteFriendsRequest()
        request.userID = "A"
        request.options = options
        request.userIDs = names
        request.deleteType = .both
        return (FriendMethods.deleteFriends, request, FriendHandlers.deleteFriends)
    }

    static let update = WriteScenario(
        "UpdateFriends", ["B", "C", "D", "ghost", "bad "], refused: 2
    ) { (options, names) in
        var request = UpdateFriendsRequest()
        request.userID = "A"
        request.options = options
        request.items = names.map { name in
            var item = FriendUpdate()
            item.userID = name
            item.remark = "remark of \(name)"
            item.groups = ["one", "two"]
            item.updateMask = FieldMask(["remark", "groups"])
            return item
        }
        return (FriendMethods.updateFriends, request, FriendHandlers.updateFriends)
    }

    static let respond = WriteScenario(
        "RespondToApplications", ["E", "D", "B", "ghost", "A", "\u{7F}"], refused: 2
    ) { (options, names) in
        var request = RespondToApplicationsRequest()
        request.userID = "A"
        request.options = options
        request.items = names.map { name in
            var item = FriendResponse()
            item.userID = name
            item.responseType = name == "E" ? .agreeAndAdd : .reject
            return item
        }
        return (
            ApplicationMethods.respondToApplications, request, ApplicationHandlers.respond
        )
    }

    static let block = WriteScenario(
        "AddToBlacklist", ["B", "D", "G", "F", "A", "ghost", "é"], refused: 3
    ) { (options, names) in
        var request = AddToBlacklistRequest()
        request.userID = "A"
        request.options = options
        request.userIDs = names
        return (BlacklistMethods.addToBlacklist, request, BlacklistHandlers.add)
    }

    static let unblock = WriteScenario(
        "RemoveFromBlacklist", ["F", "B", "ghost", "\n"], refused: 1
    ) { (options, names) in
        var request = RemoveFromBlacklistRequest()
        request.userID = "A"
        request.options = options
        request.userIDs = names
        return (BlacklistMethods.removeFromBlacklist, request, BlacklistHandlers.remove)
    }

    static let putIntoGroup = WriteScenario(
        "AddFriendsToGroup", ["B", "C", "D", "A", "ghost", "bad "], refused: 1
    ) { (options, names) in
        var request = AddFriendsToGroupRequest()
        request.userID = "A"
        request.options = options
        request.name = "old"
        request.userIDs = names
        return (GroupMethods.addFriendsToGroup, request, GroupHandlers.addFriends)
    }

    static let takeOutOfGroup = WriteScenario(
        "RemoveFriendsFromGroup", ["C", "B", "D", "A", "ghost", ""], refused: 1
    ) { (options, names) in
        var request = RemoveFriendsFromGroupRequest()
        request.userID = "A"
        request.options = options
        request.name = "old"
        request.userIDs = names
        return (GroupMethods.removeFriendsFromGroup, request, GroupHandlers.removeFriends)
    }

    private init<Request: WriteRequest, Response: ItemsResponse<FriendResult>>(
        _ name: String, _ names: [String], refused: Int,
        _ make:
            @escaping @Sendable (WriteOptions, [String]) -> (
                Protobuf.Method<Request, Response>, Request,
                (Request, Call, inout Violations) -> Work<Response>
            )
    ) {
        testDescription = name
        count = names.count
        self.refused = refused
        send = { harness, options, indices in
            let (method, request, handler) = make(options, indices.map { names[$0] })
            return try harness.write(method, request, handler).map { response in
                Answer(
                    sequence: response.sequence, applied: response.applied,
                    replayed: response.replayed, results: response.results)
            }
        }
    }
}
