public import Protobuf
public import RelationModel

// The messages of GetMutualFriendCounts in proto/relation/v1/friend.proto, where every field is
// explained.

/// The request of GetMutualFriendCounts.
public struct GetMutualFriendCountsRequest: UserReadRequest, SizedReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    /// The users with whom to count: 1 to 100.
    public var userIDs: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetMutualFriendCountsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }

    // Each user stands for a list.
    package var readSize: ReadSize { .scan }
}

/// The response of GetMutualFriendCounts.
public struct GetMutualFriendCountsResponse: CodedMessage {
    /// One answer for each id of the request, in its order.
    public var results: [MutualFriendCount] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetMutualFriendCountsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// How many friends the caller and one user have in common.
public struct MutualFriendCount: ResultMessage {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = ""
    /// The outcome, always set; the fields below are empty unless it is 0.
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// How many friends the two have in common.
    public var mutualCount: Int32 = 0
    /// Whether not every row was looked at, so that the count may be too low.
    public var bounded = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.MutualFriendCount", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "mutual_count", &mutualCount)
        visitor.field(6, "bounded", &bounded)
    }
}
