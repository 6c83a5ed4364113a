public import Protobuf
public import RelationModel

// The messages of RevokeUserSessions of proto/relation/v1/account.proto, where every field is
// explained.

/// The request of RevokeUserSessions.
public struct RevokeUserSessionsRequest: AppWriteRequest, ItemsRequest {
    public var options: WriteOptions?
    /// The users whose sessions end: 1 to 100.
    public var userIDs: [String] = []
    /// Signatures that were made before this moment are refused; 0 means the time at which the
    /// server takes the call up.
    public var beforeTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RevokeUserSessionsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.RevokeUserSessionsResponse", RevokeUserSessionsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "before_time_ms", &beforeTimeMs)
    }
}

/// The outcome for one user of RevokeUserSessions.
public struct RevokeUserSessionsResult: ResultMessage {
    /// The user, as the request wrote it.
    public var userID = ""
    /// The outcome, always set: 0 or 30001.
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// Whether the call moved the moment.
    public var changed = false
    /// The moment before which the user's signatures are refused; 0 if the code is not 0.
    public var beforeTimeMs: Int64 = 0
    /// The time of the first signature that is good.
    public var firstGoodTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RevokeUserSessionsResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
        visitor.field(6, "before_time_ms", &beforeTimeMs)
        visitor.field(7, "first_good_time_ms", &firstGoodTimeMs)
    }
}

/// The response of RevokeUserSessions, whose `applied` says whether the sessions of at least one
/// user end with this call.
public typealias RevokeUserSessionsResponse = ItemsAnswer<
    RevokeUserSessionsRequest, RevokeUserSessionsResult
>
