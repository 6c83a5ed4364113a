import GRPC
import Protobuf
import RelationAPI
import RelationModel
import RelationService
import Testing

@testable import RelationService

/// One write call with its request, whatever its types: the same for every desk.
struct ServiceStep: CustomStringConvertible {
    let description: String
    private let send: (Desk, WriteOptions) throws -> Answer

    /// What a call answered, so that two answers can be compared.
    enum Answer: Equatable {
        /// The response with what differs between a dry run and the write left out.
        case response([UInt8], applied: Bool)
        case fault(String)
    }

    init<Request: WriteRequest, Response: WriteResponse>(
        _ method: Protobuf.Method<Request, Response>, _ request: Request,
        _ handler: @escaping (Request, Call, inout Violations) -> Work<Response>
    ) {
        description = "\(method.name) \(request)"
        send = { desk, options in
            var request = request
            request.options = options
            switch try desk.write(method, request, handler) {
            case .success(var response):
                let applied = response.applied
                response.applied = false
                response.sequence = 0
                let bytes = try Arena.temporary { (arena) throws(CodecError) in
                    try method.responseCoder.bytes(response, arena)
                }
                return .response(bytes, applied: applied)
            case .failure(let error):
                return .fault("\(error.code) \(error.message)")
            }
        }
    }

    func send(to desk: Desk, _ options: WriteOptions) throws -> Answer {
        try send(desk, options)
    }
}

/// A copy of one user's friend list, kept by SyncFriends alone.
struct SyncedList {
    private(set) var friends: [String: Friend] = [:]
    private var sequence: Int64 = 0
    private(set) var resyncs = 0

    /// Asks for what changed, page by page, and takes it over.
    mutating func catchUp(_ user: UserID, _ desk: Desk, pageSize: Int32) throws {
        var request = SyncFriendsRequest()
        request.userID = user.text
        request.sequence = sequence
        request.pageSize = pageSize
        var isFirst = true
        repeat {
            var copy = self
            var token = ""
            try desk.read(request, FriendHandlers.syncFriends) { response in
                let response = try #require(response)
                if response.fullResync, isFirst {
                    copy.friends = [:]
                    copy.resyncs += 1
                }
                for id in response.removedIDs { copy.friends[id] = nil }
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
