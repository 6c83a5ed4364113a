public import Protobuf

// The messages of SyncFriends in proto/relation/v1/friend.proto, where every field is explained.

/// The request of SyncFriends.
public struct SyncFriendsRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var pageSize: Int32 = 0
    public var pageToken = ""
    public var sinceSequence: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.SyncFriendsRequest", SyncFriendsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "since_sequence", &sinceSequence)
    }
}

/// The response of SyncFriends.
public struct SyncFriendsResponse: Message {
    public var friends: [Encoded<Friend>] = []
    public var nextPageToken = ""
    public var totalSize: Int32 = 0
    public var sequence: Int64 = 0
    public var removedUserIDs: [String] = []
    public var resync = false

    public init() {}

    public static let schema = Schema("relation.v1.SyncFriendsResponse", SyncFriendsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "friends", &friends)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
        visitor.field(5, "removed_user_ids", &removedUserIDs)
        visitor.field(6, "resync", &resync)
    }
}
