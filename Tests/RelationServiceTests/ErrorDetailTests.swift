import GRPC
import Memory
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

/// Requests that are wrong as a whole: one error that names every bad field.
@Suite struct ErrorDetailTests {
    private func harness() throws -> ServiceHarness { ServiceHarness(try World("A", "B")) }

    /// The details of the error that `body` throws.
    private func failure(_ body: () throws -> Void) throws -> RPCError.Details {
        let error = try #require(throws: RPCError.self, performing: body)
        #expect(error.code == .invalidArgument)
        return try error.unpacked()
    }

    private func ids(_ count: Int) -> [String] { (0..<count).map { "user\($0)" } }

    @Test(arguments: [0, 101])
    func addFriendsNamesAllThatIsWrong(_ count: Int) throws {
        let harness = try harness()
        var request = AddFriendsRequest()
        request.userID = " A"
        request.items = ids(count).map { name in
            var friend = AddFriend()
            friend.userID = name
            return friend
        }
        request.addType = AddType(rawValue: 9)
        let details = try failure {
            _ = try harness.write(FriendMethods.addFriends, request, FriendHandlers.addFriends)
                .get()
        }
        #expect(details.reason == "INVALID_FIELD", "the reason of the first field")
        #expect(details.fields == ["user_id", "items", "add_type"])
    }

    @Test func forceIsForAdministrators() throws {
        let harness = try harness()
        harness.isAdmin = false
        var friend = AddFriend()
        friend.userID = "B"
        var request = AddFriendsRequest()
        request.userID = "A"
        request.items = [friend]
        request.force = true
        let error = try #require(throws: RPCError.self) {
            _ = try harness.write(FriendMethods.addFriends, request, FriendHandlers.addFriends)
                .get()
        }
        #expect(error.code == .permissionDenied)
        #expect(try error.unpacked().reason == "SCOPE_MISSING")
        #expect(try harness.world.friends(of: "A").isEmpty)
        harness.isAdmin = true
        #expect(
            try harness.write(FriendMethods.addFriends, request, FriendHandlers.addFriends)
                .get().applied)
    }

    @Test(arguments: [0, 1_001])
    func listsOfIDsHaveTheirBounds(_ count: Int) throws {
        let harness = try harness()
        var delete = DeleteFriendsRequest()
        delete.userID = "A"
        delete.userIDs = ids(count)
        delete.deleteType = DeleteType(rawValue: -1)
        let details = try failure {
            _ = try harness.write(
                FriendMethods.deleteFriends, delete, FriendHandlers.deleteFriends
            ).get()
        }
        #expect(details.fields == ["user_ids", "delete_type"])
        #expect(details.reason == (count == 0 ? "INVALID_FIELD" : "TOO_MANY_ITEMS"))
        #expect(details.metadata == (count == 0 ? [:] : ["limit": "1000", "actual": "1001"]))
        var check = CheckFriendsRequestView()
        check.userID = "A"
        check.userIDs = ids(count).map { _ in Text(stringLiteral: "B") }
        check.checkType = CheckType(rawValue: 3)
        #expect(
            try failure { try harness.read(check) { _ in } }.fields == ["user_ids", "check_type"])
        var block = AddToBlacklistRequest()
        block.userID = "A"
        block.userIDs = ids(count)
        #expect(
            try failure {
                _ = try harness.write(
                    BlacklistMethods.addToBlacklist, block, BlacklistHandlers.add
                ).get()
            }.fields == ["user_ids"])
        var unblock = RemoveFromBlacklistRequest()
        unblock.userID = "A"
        unblock.userIDs = ids(count)
        #expect(
            try failure {
                _ = try harness.write(
                    BlacklistMethods.removeFromBlacklist, unblock, BlacklistHandlers.remove
                ).get()
            }.fields == ["user_ids"])
    }

    @Test(arguments: [0, 101])
    func readsOfNamedRowsNameTheBadMaskToo(_ count: Int) throws {
        let harness = try harness()
        var friends = GetFriendsRequest()
        friends.userID = "A"
        friends.userIDs = ids(count)
        friends.readMask = FieldMask(["remark", "nick", "friends.remark"])
        #expect(
            try failure {
                try harness.read(
                    friends, { FriendHandlers.getFriends($0, harness.world.profiles, $1, &$2) }
                ) { _ in }
            }.fields
                == ["user_ids", "read_mask", "read_mask"])
        var profiles = GetProfilesRequest()
        profiles.userID = "A"
        profiles.userIDs = ids(count)
        profiles.readMask = FieldMask(["nick", "remark", ""])
        #expect(
            try failure { try harness.read(profiles) { _ in } }.fields
                == ["user_ids", "read_mask", "read_mask"])
    }

    @Test func everyAnswerToAnApplicationSaysWhichOneItIs() throws {
        let harness = try harness()
        var request = RespondToApplicationsRequest()
        request.userID = "A"
        request.items = [nil, .agree, FriendResponseType(rawValue: 3), nil].map { type in
            var item = FriendResponse()
            item.userID = "B"
            item.responseType = type
            return item
        }
        #expect(
            try failure {
                _ = try harness.write(
                    ApplicationMethods.respondToApplications, request, ApplicationHandlers.respond
                ).get()
            }.fields == [
                "items[0].response_type", "items[2].response_type", "items[3].response_type",
            ])
    }

    @Test func aListOfApplicationsNamesAllThatIsWrong() throws {
        let harness = try harness()
        var request = ListPendenciesRequest()
        request.userID = ""
        request.pendencyType = PendencyType(rawValue: 4)
        request.numPerPage = 101
        request.seq = -1
        request.timestampMs = -1
        #expect(
            try failure { try harness.read(request, ApplicationHandlers.list) { _ in } }.fields
                == ["user_id", "pendency_type", "num_per_page", "seq", "timestamp_ms"])
        request.numPerPage = -1
        #expect(
            try failure { try harness.read(request, ApplicationHandlers.list) { _ in } }
                .fields.contains("num_per_page"))
    }

    @Test(arguments: [-1, Int32.min])
    func aPageHasItsBoundsAndItsToken(_ size: Int32) throws {
        let harness = try harness()
        var request = ListFriendsRequest()
        request.userID = "A"
        request.pageSize = size
        request.pageToken = "00"
        request.order = FriendOrder(rawValue: 7)
        request.direction = SortDirection(rawValue: 3)
        request.readMask = FieldMask(["nope"])
        let friends = try failure { try harness.read(request, FriendHandlers.listFriends) { _ in } }
        #expect(
            Set(friends.fields)
                == ["page_size", "page_token", "order", "direction", "read_mask"])
        var blacklist = ListBlacklistRequest()
        blacklist.userID = "A"
        blacklist.pageSize = size
        blacklist.pageToken = "x"
        #expect(
            try failure {
                try harness.read(
                    blacklist, { BlacklistHandlers.list($0, harness.world.profiles, $1, &$2) }
                ) { _ in }
            }.fields
                == ["page_size", "page_token"])
    }

    @Test func anUpdateOfAProfileNamesItsFieldsOneWay() throws {
        let harness = try harness()
        func fields(_ edit: (inout UpdateProfileRequest) -> Void) throws -> [String] {
            var request = UpdateProfileRequest()
            request.userID = "A"
            edit(&request)
            return try failure {
                _ = try harness.write(
                    ProfileMethods.updateProfile, request, ProfileHandlers.update
                ).get()
            }.fields
        }
        #expect(try fields { _ in } == ["profile"])
        #expect(try fields { $0.profile = Profile() } == ["profile"])
        #expect(try fields { $0.updateMask = FieldMask(["nick"]) } == ["profile"])
        #expect(
            try fields {
                $0.updateMask = FieldMask(["nick"])
                $0.profile = Profile()
                $0.tags = [TagValue()]
            } == ["profile"])
        #expect(
            try fields {
                $0.updateMask = FieldMask(["nick"])
                $0.tags = [TagValue()]
            } == ["update_mask"])
        #expect(
            try fields {
                $0.updateMask = FieldMask(Array(repeating: "nick", count: 65))
            } == ["profile", "update_mask"])
        #expect(
            try fields { $0.tags = Array(repeating: TagValue(), count: 65) } == ["tags"])
    }

    @Test(arguments: [
        (StorageError.Code.conflict, Status.Code.aborted, "CONFLICT"),
        (.diskLow, .resourceExhausted, "DISK_LOW"),
        (.unavailable, .unavailable, "STORAGE_UNAVAILABLE"),
        (.corrupted, .internalError, "STORAGE_UNAVAILABLE"),
        (.failed, .internalError, "STORAGE_UNAVAILABLE"),
    ])
    func anErrorOfTheStoreSaysNothingOfItsFiles(
        _ code: StorageError.Code, _ status: Status.Code, _ reason: String
    ) throws {
        let error = RPCError(StorageError(code, "/var/secret/file"))
        #expect(error.code == status)
        #expect(!error.message.contains("secret"))
        #expect(!String(decoding: error.details, as: UTF8.self).contains("secret"))
        #expect(try error.unpacked().reason == reason)
    }

    @Test func anOverloadedServerSaysWhenToComeBack() throws {
        let error = RPCError.overloaded
        #expect(error.code == .resourceExhausted)
        let details = try error.unpacked()
        #expect(details.reason == "OVERLOADED")
        #expect(details.retryMilliseconds == AnswerLimits.retryAfterMilliseconds)
    }
}
