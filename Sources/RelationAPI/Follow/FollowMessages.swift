public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/follow.proto, where every field is explained.

/// A row of a list of follows.
public struct FollowEntry: CodedMessage, CodedRow {
    /// The user on the other side: in a list of followers the follower, in the others the followed
    /// user.
    public var userID = ""
    /// When the follow began; in a list of mutual follows, when the later one of the two began.
    public var followTimeMs: Int64 = 0
    /// The fields of the user's profile that the caller may see.
    public var profile: Profile?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FollowEntry", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "follow_time_ms", &followTimeMs)
        visitor.field(3, "profile", &profile)
    }
}

/// The outcome for one user of Follow or Unfollow.
public struct FollowResult: ResultMessage {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = ""
    public var code: FollowStatus?
    public var reason = Reason.none
    public var info = ""
    /// Whether the follow began or ended.
    public var changed = false

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FollowResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
    }
}

/// The request of Follow.
public struct FollowRequest: WriteRequest, ItemsRequest {
    /// The acting user: the follower.
    public var userID = ""
    public var options: WriteOptions?
    /// The users to follow: 1 to 100.
    public var userIDs: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FollowRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.FollowResponse", FollowResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }
}

/// The response of Follow.
public typealias FollowResponse = ItemsAnswer<FollowRequest, FollowResult>

/// The request of Unfollow.
public struct UnfollowRequest: WriteRequest, ItemsRequest {
    /// The acting user: the follower.
    public var userID = ""
    public var options: WriteOptions?
    /// The users to stop following: 1 to 100.
    public var userIDs: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.UnfollowRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.UnfollowResponse", UnfollowResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }
}

/// The response of Unfollow.
public typealias UnfollowResponse = ItemsAnswer<UnfollowRequest, FollowResult>
