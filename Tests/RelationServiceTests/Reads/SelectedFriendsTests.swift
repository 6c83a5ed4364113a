import Memory
import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Testing

@testable import RelationCalls
@testable import RelationService

/// ListFriends of some friends: those of a relation or with a mark, in each of its orders.
@Suite struct SelectedFriendsTests {
    /// A has B to F as friends, and B to D have A.
    ///
    /// B and D are starred, and D is pinned.
    private func harness() throws -> ServiceHarness {
        let world = try World("A", "B", "C", "D", "E", "F")
        for friend in ["B", "C", "D", "E", "F"] as [UserID] {
            world.advance(milliseconds: 1)
            let both = friend < "E"
            try #require(try world.importFriend(friend, of: "A", bothWays: both) == .success)
        }
        let remarks: [(UserID, String)] = [("B", "zoe"), ("D", "ann"), ("E", "bob")]
        for (friend, remark) in remarks {
            #expect(try world.update(friend, of: "A") { $0.remark = remark } == .success)
        }
        #expect(try world.update("B", of: "A") { $0.starred = true } == .success)
        #expect(
            try world.update("D", of: "A") { ($0.starred, $0.pinOrder) = (true, 1) } == .success)
        return ServiceHarness(world)
    }

    private struct Answer {
        var users: [String] = []
        var token = ""
        var total: Int32 = 0
        var sections: [String] = []
    }

    private func list(
        _ harness: ServiceHarness, _ edit: (inout ListFriendsRequest) -> Void
    ) throws -> Answer {
        var request = ListFriendsRequest()
        request.userID = "A"
        edit(&request)
        var answer = Answer()
        let memory = harness.world.memory
        try harness.read(
            request,
            { request, call, violations in
                request.isJoined
                    ? FriendHandlers.listJoinedFriends(
                        request, memory.names, memory.profiles, call, &violations)
                    : FriendHandlers.listFriends(request, call, &violations)
            },
            { response in
                let response = try #require(response)
                let arena = Arena()
                defer { arena.free() }
                answer.users = try response.friends.map { try $0.decoded(arena).userID }
                answer.token = response.nextPageToken
                answer.total = response.totalSize
                answer.sections = response.sections.map { "\($0.letter)\($0.count)" }
            })
        return answer
    }

    private static let orders: [(FriendOrder, DisplayOrder, [String])] = [
        (.userID, .unspecified, ["B", "D"]), (.userID, .firstName, ["B", "D"]),
        (.addTime, .unspecified, ["B", "D"]), (.addTime, .lastName, ["B", "D"]),
        (.pin, .unspecified, ["D", "B"]), (.pin, .firstName, ["D", "B"]),
        (.displayName, .unspecified, ["D", "B"]),
    ]

    @Test(arguments: orders)
    func aSelectionIsListedByPagesInEachOrder(
        _ order: FriendOrder, _ display: DisplayOrder, _ users: [String]
    ) throws {
        let harness = try harness()
        for direction in [SortDirection.ascending, .descending] {
            let wanted = direction == .ascending ? users : users.reversed()
            let whole = try list(harness) {
                ($0.order, $0.displayOrder, $0.direction) = (order, display, direction)
                ($0.mark, $0.relation) = (.starred, .bothWay)
            }
            #expect(whole.users == wanted && whole.token.isEmpty && whole.total == 2)
            if order == .displayName { #expect(whole.sections == ["A1", "Z1"]) }
            var (found, token) = ([String](), "")
            repeat {
                let page = try list(harness) {
                    ($0.order, $0.displayOrder, $0.direction) = (order, display, direction)
                    ($0.mark, $0.relation) = (.starred, .bothWay)
                    ($0.pageSize, $0.pageToken) = (1, token)
                }
                #expect(page.total == 2)
                found += page.users
                token = page.token
            } while !token.isEmpty
            #expect(found == wanted)
        }
    }

    @Test func oneDirectionLeavesOutThoseThatHaveTheUserToo() throws {
        let harness = try harness()
        for order in [FriendOrder.userID, .addTime, .pin, .displayName] {
            let listed = try list(harness) { ($0.order, $0.relation) = (order, .myUni) }
            #expect(Set(listed.users) == ["E", "F"] && listed.total == 2)
        }
    }

    @Test func aGroupThatDoesNotExistHasNoneOfThem() throws {
        let harness = try harness()
        for order in [FriendOrder.userID, .pin, .displayName] {
            let listed = try list(harness) {
                ($0.order, $0.mark, $0.group) = (order, .starred, "none")
            }
            #expect(listed.users.isEmpty && listed.total == 0 && listed.token.isEmpty)
        }
    }

    @Test func whatNoFriendHasIsRefused() throws {
        let harness = try harness()
        let edits: [(String, (inout ListFriendsRequest) -> Void)] = [
            ("relation", { $0.relation = .otherUni }),
            ("relation", { $0.relation = FriendRelation(rawValue: 9) }),
            ("mark", { $0.mark = FriendMark(rawValue: 9) }),
            ("order", { $0.order = FriendOrder(rawValue: 9) }),
        ]
        for (field, edit) in edits {
            let error = #expect(throws: RPCError.self) { _ = try list(harness, edit) }
            #expect(error?.code == .invalidArgument)
            #expect(try error?.unpacked().fields == [field])
        }
    }

    @Test func aTokenOfAnotherSelectionIsRefused() throws {
        let harness = try harness()
        let edits: [(inout ListFriendsRequest) -> Void] = [
            { _ in }, { $0.mark = .starred }, { $0.relation = .bothWay }, { $0.order = .pin },
            { $0.relation = .myUni },
        ]
        for (index, edit) in edits.enumerated() {
            let token = try list(harness) {
                edit(&$0)
                $0.pageSize = 1
            }.token
            for (other, edit) in edits.enumerated() where other != index {
                let error = #expect(throws: RPCError.self) {
                    _ = try list(harness) {
                        edit(&$0)
                        $0.pageToken = token
                    }
                }
                #expect(try error?.unpacked().reason == "INVALID_PAGE_TOKEN")
            }
        }
    }

    @Test func aPageOfReverseFriendsWithProfilesGoesOnWhereItsBytesEnd() throws {
        let world = try World("A", "B", "C", "D")
        for user in ["B", "C", "D"] as [UserID] {
            #expect(try world.add("A", to: user, .single) == .success)
            _ = try world.setProfile(of: user, [.nick]) { $0.nick = "nick \(user)" }
        }
        let harness = ServiceHarness(world)
        var request = ListReverseFriendsRequest()
        request.userID = "A"
        request.withProfiles = true
        request.pageSize = 2
        var found: [String] = []
        repeat {
            try harness.read(
                request, { FriendHandlers.listReverseFriends($0, world.profiles, $1, &$2) }
            ) { response in
                let response = try #require(response)
                #expect(response.totalSize == 3 && !response.bounded)
                found += response.users.map { "\($0.userID) \($0.profile?.nick ?? "")" }
                request.pageToken = response.nextPageToken
            }
        } while !request.pageToken.isEmpty
        #expect(found == ["B nick B", "C nick C", "D nick D"])
    }
}
