public import Protobuf
public import RelationModel

// The messages of ImportBlacklists and ImportFollows of proto/relation/v1/maintenance.proto, where
// every field is explained.

/// One row of a blacklist to write.
public struct BlacklistRow: CodedMessage {
    /// The owner of the blacklist.
    public var userID = ""
    /// The user to put onto it.
    public var blockedUserID = ""
    /// When the user came onto the blacklist; absent means now.
    public var addTimeMs: Int64?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.BlacklistRow", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "blocked_user_id", &blockedUserID)
        visitor.field(3, "add_time_ms", &addTimeMs)
    }
}

/// A message of ImportBlacklists to the server.
public typealias ImportBlacklistsRequest = ImportRequest<BlacklistRow>

/// A message of ImportBlacklists to the client.
public typealias ImportBlacklistsResponse = ImportResponse<BlacklistRow, ImportRowResult>

extension BlacklistRow: ImportedRow {
    @usableFromInline package static let requestSchema = Schema(
        "relation.v1.ImportBlacklistsRequest", ImportBlacklistsRequest.self)
    @usableFromInline package static let responseSchema = Schema(
        "relation.v1.ImportBlacklistsResponse", ImportBlacklistsResponse.self)
}

/// One follow to write.
public struct FollowRow: CodedMessage {
    /// The follower.
    public var userID = ""
    /// The user whom it follows.
    public var followedUserID = ""
    /// When the follow began; absent means now.
    public var followTimeMs: Int64?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FollowRow", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "followed_user_id", &followedUserID)
        visitor.field(3, "follow_time_ms", &followTimeMs)
    }
}

/// A message of ImportFollows to the server.
public typealias ImportFollowsRequest = ImportRequest<FollowRow>

/// The outcome of one row of ImportFollows.
///
/// A row without a result was accepted.
public struct ImportFollowsRowResult: ResultMessage {
    /// The row's number: the first row of the stream is 1.
    public var rowNumber: Int64 = 0
    /// The row's `user_id`, as it was sent; at most the first 256 bytes of a malformed one.
    public var userID = ""
    public var code: FollowStatus?
    public var reason = Reason.none
    public var info = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ImportFollowsRowResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "row_number", &rowNumber)
        visitor.field(2, "user_id", &userID)
        visitor.field(3, "code", &code)
        visitor.field(4, "reason", &reason)
        visitor.field(5, "info", &info)
    }
}

/// A message of ImportFollows to the client.
public typealias ImportFollowsResponse = ImportResponse<FollowRow, ImportFollowsRowResult>

extension FollowRow: ImportedRow {
    @usableFromInline package static let requestSchema = Schema(
        "relation.v1.ImportFollowsRequest", ImportFollowsRequest.self)
    @usableFromInline package static let responseSchema = Schema(
        "relation.v1.ImportFollowsResponse", ImportFollowsResponse.self)
}
