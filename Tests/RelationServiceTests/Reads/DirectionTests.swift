import GRPC
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

/// A list is sorted in the direction of the request, or in the call's own.
@Suite struct DirectionTests {
    private func friends(
        _ harness: ServiceHarness, _ direction: SortDirection, token: String = ""
    ) throws -> (users: [String], token: String) {
        var request = ListFriendsRequest()
        request.userID = "A"
        request.direction = direction
        request.pageToken = token
        if !token.isEmpty { request.pageSize = 10 } else { request.pageSize = 2 }
        var found: (users: [String], token: String) = ([], "")
        try harness.read(request, FriendHandlers.listFriends) { response in
            let response = try #require(response)
            let arena = Arena()
            defer { arena.free() }
            found = (
                try response.friends.map { try $0.decoded(arena).userID }, response.nextPageToken
            )
        }
        return found
    }

    @Test func friendsAscendUnlessTheRequestSaysOtherwise() throws {
        let world = try World("A", "B", "C", "D")
        for user: UserID in ["B", "C", "D"] {
            try #require(try world.importFriend(user, of: "A").isAcceptable)
        }
        let harness = ServiceHarness(world)
        let usual = try friends(harness, .unspecified)
        #expect(usual.users == ["B", "C"])
        #expect(try friends(harness, .ascending).users == ["B", "C"])
        #expect(try friends(harness, .descending).users == ["D", "C"])
        // A token of the default is one of the same direction by its name, and of no other.
        #expect(try friends(harness, .ascending, token: usual.token).users == ["D"])
        let error = #expect(throws: RPCError.self) {
            _ = try friends(harness, .descending, token: usual.token)
        }
        #expect(try error?.unpacked().reason == "INVALID_PAGE_TOKEN")
        let unknown = #expect(throws: RPCError.self) {
            _ = try friends(harness, SortDirection(rawValue: 3))
        }
        #expect(unknown?.code == .invalidArgument)
        #expect(try unknown?.unpacked().fields == ["direction"])
    }

    @Test func applicationsDescendUnlessTheRequestSaysOtherwise() throws {
        let world = try World("A", "B", "C", "D")
        try world.allow(.needConfirm, for: "A")
        for user: UserID in ["B", "C", "D"] {
            world.advance(milliseconds: 10)
            try #require(try world.add("A", to: user).code == .pending)
        }
        let harness = ServiceHarness(world)
        func applications(_ direction: SortDirection) throws -> [FriendApplication] {
            var request = ListApplicationsRequest()
            request.userID = "A"
            request.direction = direction
            var found: [FriendApplication] = []
            try harness.read(request, ApplicationHandlers.listAll) {
                found = try #require($0).applications
            }
            return found
        }
        #expect(try applications(.unspecified).map(\.userID) == ["D", "C", "B"])
        #expect(try applications(.descending).map(\.userID) == ["D", "C", "B"])
        #expect(try applications(.ascending).map(\.userID) == ["B", "C", "D"])
        #expect(try applications(.ascending).map(\.status) == [.unhandled, .unhandled, .unhandled])
        let unknown = #expect(throws: RPCError.self) {
            _ = try applications(SortDirection(rawValue: -1))
        }
        #expect(try unknown?.unpacked().fields == ["direction"])
    }
}
