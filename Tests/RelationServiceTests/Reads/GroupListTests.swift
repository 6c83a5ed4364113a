import Memory
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCalls
@testable import RelationService

/// ListFriends of one group: the same rows as the whole list without those of other friends.
@Suite struct GroupListTests {
    private struct Answer: Equatable {
        var users: [String] = []
        var total: Int32 = 0
        var sections: [FriendSection] = []
        var token = ""
    }

    private func list(
        _ harness: ServiceHarness, _ edit: (inout ListFriendsRequest) -> Void
    ) throws -> Answer {
        var request = ListFriendsRequest()
        request.userID = "owner"
        edit(&request)
        let world = harness.world
        var answer = Answer()
        func append(_ response: ListFriendsResponseView?) throws {
            let response = try #require(response)
            answer.users = try Arena.temporary { (arena) throws(CodecError) in
                try response.friends.map { (row) throws(CodecError) in
                    try row.decoded(arena).userID
                }
            }
            answer.total = response.totalSize
            answer.sections = response.sections
            answer.token = response.nextPageToken
        }
        if request.isJoined {
            try harness.read(
                request,
                { FriendHandlers.listJoinedFriends($0, world.names, world.profiles, $1, &$2) },
                append)
        } else {
            try harness.read(request, FriendHandlers.listFriends, append)
        }
        return answer
    }

    /// All users of a list, read by pages of `size` rows.
    private func pages(
        _ harness: ServiceHarness, _ size: Int32, _ edit: (inout ListFriendsRequest) -> Void
    ) throws -> [String] {
        var users: [String] = []
        var token = ""
        repeat {
            let page = try list(harness) {
                edit(&$0)
                ($0.pageSize, $0.pageToken) = (size, token)
            }
            users += page.users
            token = page.token
        } while !token.isEmpty
        return users
    }

    private func world(_ count: Int, on store: CountingStore? = nil) throws -> World {
        let world = try store.map { try World("owner", on: $0) } ?? World("owner")
        world.settings.limits.friends = 20_000
        let friends = (0..<count).map { UserID("friend\(10_000 + $0)")! }
        try world.create(friends)
        for (number, friend) in friends.enumerated() {
            world.now = Timestamp(
                milliseconds: World.start + Int64((number * 7_919) % 1_000))
            var groups = number % 3 == 0 ? ["third"] : []
            if number % 5 == 0 { groups.append("fifth") }
            let outcome = try world.importFriend(friend, of: "owner") { $0.groups = groups }
            try #require(outcome.isAcceptable)
        }
        return world
    }

    private static let orders: [FriendOrder] = [
        .unspecified, .userID, .addTime, .firstName, .displayName,
    ]

    @Test(arguments: orders, [SortDirection.ascending, .descending])
    func aGroupIsThePartOfTheListInIt(
        _ order: FriendOrder, _ direction: SortDirection
    ) throws {
        let world = try world(60)
        let harness = ServiceHarness(world)
        let members = Set(stride(from: 0, to: 60, by: 3).map { "friend\(10_000 + $0)" })
        for displayOrder in [DisplayOrder.unspecified, .firstName] {
            func edit(_ request: inout ListFriendsRequest) {
                (request.order, request.direction) = (order, direction)
                request.displayOrder = displayOrder
            }
            let whole = try pages(harness, 1_000, edit)
            let wanted = whole.filter(members.contains)
            for size: Int32 in [1, 7, 20, 1_000] {
                let found = try pages(harness, size) {
                    edit(&$0)
                    $0.group = "third"
                }
                #expect(found == wanted)
            }
            let first = try list(harness) {
                edit(&$0)
                ($0.group, $0.pageSize) = ("third", 5)
            }
            #expect(first.total == 20)
            #expect(first.sections.reduce(0) { $0 + $1.count } == (first.sections.isEmpty ? 0 : 20))
        }
    }

    @Test func aTokenHoldsForItsGroup() throws {
        let harness = ServiceHarness(try world(30))
        let token = try list(harness) { ($0.group, $0.pageSize) = ("third", 2) }.token
        #expect(!token.isEmpty)
        for group in ["fifth", "", "none"] {
            #expect(throws: (any Error).self) {
                try list(harness) { ($0.group, $0.pageToken) = (group, token) }
            }
        }
        let whole = try list(harness) { $0.pageSize = 2 }.token
        #expect(throws: (any Error).self) {
            try list(harness) { ($0.group, $0.pageToken) = ("third", whole) }
        }
    }

    @Test(arguments: orders) func aGroupThatIsNotThereHasNoMember(_ order: FriendOrder) throws {
        let harness = ServiceHarness(try world(3))
        #expect(try list(harness) { ($0.group, $0.order) = ("none", order) } == Answer())
    }

    /// A page in the order of ids reads its own rows, and no others, of three thousand friends.
    @Test func aPageReadsTheRowsThatItAnswers() throws {
        let store = CountingStore()
        let world = try world(3_000, on: store)
        let harness = ServiceHarness(world)
        _ = store.take()
        let page = try list(harness) { ($0.group, $0.pageSize) = ("third", 50) }
        #expect(page.users.count == 50 && page.total == 1_000)
        #expect(
            store.take()
                == CountingStore.Counts(
                    keys: [
                        Tables.userRecords.kind: 1, Tables.groups.kind: 1, Tables.friends.kind: 51,
                    ], scannedRows: 51))
    }
}
