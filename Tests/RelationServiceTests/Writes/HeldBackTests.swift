import GRPC
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCalls
@testable import RelationService

/// A call that is all or nothing, whose items pass a limit only together.
///
/// Each item that would be accepted alone answers with the code of that limit.
@Suite struct HeldBackTests {
    private static let options = WriteOptions.with { $0.allOrNothing = true }

    private func codes(
        adding users: [String], to harness: ServiceHarness, _ options: WriteOptions = options
    ) throws -> [Int32] {
        var request = AddFriendsRequest()
        request.userID = "A"
        request.options = options
        request.items = users.map { user in
            var friend = AddFriend()
            friend.userID = user
            return friend
        }
        let before = try harness.world.snapshot(of: ["A", "B", "C", "D"])
        let response = try harness.write(
            FriendMethods.addFriends, request, FriendHandlers.addFriends
        )
        .get()
        #expect(!response.applied)
        #expect(try harness.world.snapshot(of: ["A", "B", "C", "D"]) == before)
        #expect(!response.results.contains { $0.changed })
        return response.results.map { $0.code?.rawValue ?? -1 }
    }

    @Test(arguments: [
        (["B", "C", "D"], [30010, 30010, 30010]),
        (["B", "ghost", "C", "D"], [30010, 30003, 30010, 30010]),
        (["B", "B", "C", "A", "D"], [30010, 30010, 30010, 30001, 30010]),
        (["B", "ghost"], [0, 30003]),
    ])
    func friendsThatHaveNoRoomTogetherAnswerSo(_ users: [String], _ codes: [Int32]) throws {
        let world = try World("A", "B", "C", "D")
        world.settings.limits.friends = 2
        #expect(try self.codes(adding: users, to: ServiceHarness(world)) == codes)
    }

    @Test func whatWouldWaitAnswersTheLimitToo() throws {
        let world = try World("A", "B", "C", "D")
        world.settings.limits.pendencies = 1
        for user: UserID in ["B", "C"] { try world.allow(.needConfirm, for: user) }
        #expect(
            try codes(adding: ["B", "C", "D"], to: ServiceHarness(world)) == [30012, 30012, 30012])
        world.settings.limits.pendencies = 100
        world.settings.applicationsPerDay = 1
        #expect(try codes(adding: ["B", "C"], to: ServiceHarness(world)) == [30540, 30540])
    }

    @Test func aQuestionWhatWouldHappenAnswersTheSame() throws {
        let world = try World("A", "B", "C", "D")
        world.settings.limits.friends = 1
        let options = WriteOptions.with {
            $0.dryRun = true
            $0.allOrNothing = true
        }
        #expect(
            try codes(adding: ["B", "C"], to: ServiceHarness(world), options) == [30010, 30010])
    }

    @Test func groupsThatAreTooManyTogetherAnswerSo() throws {
        let world = try World("A", "B")
        world.settings.limits.groups = 2
        try #require(try world.createGroup("old", with: [], of: "A").isAcceptable)
        var request = CreateFriendGroupsRequest()
        request.userID = "A"
        request.options = Self.options
        request.names = ["one", "two", "old"]
        let response = try ServiceHarness(world).write(
            GroupMethods.createFriendGroups, request, GroupHandlers.create
        ).get()
        #expect(response.results.map(\.code?.rawValue) == [30011, 30011, 30001])
        #expect(response.results.flatMap(\.members).isEmpty)
        #expect(try world.groups(of: "A") == ["old"])
    }

    @Test func usersThatABlacklistHasNoRoomForTogetherAnswerSo() throws {
        let world = try World("A", "B", "C")
        world.settings.limits.blacklistedUsers = 1
        var request = AddToBlacklistRequest()
        request.userID = "A"
        request.options = Self.options
        request.userIDs = ["B", "C"]
        let response = try ServiceHarness(world).write(
            BlacklistMethods.addToBlacklist, request, BlacklistHandlers.add
        ).get()
        #expect(response.results.map(\.code?.rawValue) == [30013, 30013])
        #expect(try !world.blocks("B", by: "A"))
    }
}
