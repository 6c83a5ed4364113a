import Memory
import Protobuf
import RelationAPI
import RelationModel
import RelationSuite
import Testing

@testable import RelationCalls
@testable import RelationService

/// A copy of one user's friend list, kept by SyncFriends alone.
struct SyncedList {
    private(set) var friends: [String: Friend] = [:]
    private var sequence: Int64 = 0
    private(set) var resyncs = 0

    /// Asks for the changes, page by page, and applies them.
    mutating func catchUp(_ user: UserID, _ harness: ServiceHarness, pageSize: Int32) throws {
        var request = SyncFriendsRequest()
        request.userID = user.text
        request.sinceSequence = sequence
        request.pageSize = pageSize
        var isFirst = true
        repeat {
            var copy = self
            var token = ""
            try harness.read(request, FriendHandlers.syncFriends) { response in
                let response = try #require(response)
                if response.resync, isFirst {
                    copy.friends = [:]
                    copy.resyncs += 1
                }
                for id in response.removedUserIDs { copy.friends[id] = nil }
                for row in response.friends {
                    let friend = try Arena.temporary { (arena) throws(CodecError) in
                        try row.decoded(arena)
                    }
                    copy.friends[friend.userID] = friend
                }
                copy.sequence = response.sequence
                token = response.nextPageToken
            }
            self = copy
            isFirst = false
            request.pageToken = token
        } while !request.pageToken.isEmpty
    }
}
