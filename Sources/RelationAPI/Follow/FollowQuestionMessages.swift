public import Protobuf
public import RelationModel

// The messages of the questions of proto/relation/v1/follow.proto, where every field is explained.

/// The request of CheckFollows.
public struct CheckFollowsRequest: UserReadRequest, NamingReadRequest {
    /// The acting user.
    public var userID = ""
    public var options: ReadOptions?
    /// The users to look for: 1 to 100.
    public var userIDs: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.CheckFollowsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }

    package static let users = NamedUsers(schema, rows: 3)
}

/// The response of CheckFollows.
public struct CheckFollowsResponse: CodedMessage {
    /// One outcome for each id of the request, in its order.
    public var results: [CheckFollowsResult] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.CheckFollowsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// The request of GetFollowCounts.
public struct GetFollowCountsRequest: UserReadRequest, NamingReadRequest {
    /// The acting user.
    public var userID = ""
    public var options: ReadOptions?
    /// The users whose follows are counted: 1 to 100.
    public var userIDs: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetFollowCountsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }

    package static let users = NamedUsers(schema, rows: 2)
}

/// The response of GetFollowCounts.
public struct GetFollowCountsResponse: CodedMessage {
    /// One outcome for each id of the request, in its order.
    public var results: [FollowCountsResult] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetFollowCountsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// Which of the caller and one user follows the other.
public struct CheckFollowsResult: ResultMessage {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = ""
    public var code: FollowStatus?
    public var reason = Reason.none
    public var info = ""
    /// Which of the two follows the other; set if `code` is 0, also if it is NONE.
    public var relation: FollowRelation?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.CheckFollowsResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "relation", &relation)
    }
}

/// The counts of one user.
public struct FollowCountsResult: ResultMessage {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = ""
    public var code: FollowStatus?
    public var reason = Reason.none
    public var info = ""
    /// The counts; set if `code` is 0.
    public var counts: FollowCounts?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.FollowCountsResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "counts", &counts)
    }
}

/// How many follows a user has, by their direction.
public struct FollowCounts: CodedMessage {
    /// How many users follow the user.
    public var followers: Int64 = 0
    /// How many users the user follows.
    public var following: Int64 = 0
    /// How many users follow the user and are followed by it.
    public var mutual: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FollowCounts", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "followers", &followers)
        visitor.field(2, "following", &following)
        visitor.field(3, "mutual", &mutual)
    }
}
