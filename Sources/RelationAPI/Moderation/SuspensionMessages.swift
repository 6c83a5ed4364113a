public import Protobuf
public import RelationModel

// The messages of the calls on suspensions of proto/relation/v1/moderation.proto, where every field
// is explained.

/// A suspension of a user.
public struct Suspension: CodedMessage {
    /// The user.
    public var userID = ""
    /// How much it forbids; UNSPECIFIED in the event that it was taken back.
    public var level = SuspensionLevel.unspecified
    /// The text for moderators.
    public var reasonText = ""
    /// When it began: the time of the call that suspended a user that was not.
    public var startTimeMs: Int64 = 0
    /// When it ends by itself; 0 if it does not.
    public var endTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.Suspension", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "level", &level)
        visitor.field(3, "reason_text", &reasonText)
        visitor.field(4, "start_time_ms", &startTimeMs)
        visitor.field(5, "end_time_ms", &endTimeMs)
    }
}

/// One user to suspend.
public struct SuspensionItem: CodedMessage {
    /// The user.
    public var userID = ""
    /// How much the suspension forbids.
    public var level = SuspensionLevel.unspecified
    /// A text for moderators; may be empty.
    public var reasonText = ""
    /// When it ends: later than the server's time, or 0 for no end.
    public var endTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.SuspensionItem", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "level", &level)
        visitor.field(3, "reason_text", &reasonText)
        visitor.field(4, "end_time_ms", &endTimeMs)
    }
}

/// The request of SuspendAccounts.
public struct SuspendAccountsRequest: AppWriteRequest, ItemsRequest {
    public var options: WriteOptions?
    /// The users to suspend: 1 to 100.
    public var items: [SuspensionItem] = []
    /// Whether the call also ends the users' sessions, as RevokeUserSessions does.
    public var endSessions = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.SuspendAccountsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.SuspendAccountsResponse", SuspendAccountsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
        visitor.field(4, "end_sessions", &endSessions)
    }
}

/// The outcome for one user of SuspendAccounts.
public struct SuspendAccountsResult: ResultMessage {
    /// The user, as the request wrote it; of a malformed id at most the first 256 bytes.
    public var userID = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// Whether the item changed the suspension or, with `end_sessions`, the moment of the sessions.
    public var changed = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.SuspendAccountsResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
    }
}

/// The response of SuspendAccounts, whose `applied` says whether at least one item changed
/// something.
public typealias SuspendAccountsResponse = ItemsAnswer<
    SuspendAccountsRequest, SuspendAccountsResult
>

/// The request of ReinstateAccounts.
public struct ReinstateAccountsRequest: AppWriteRequest, ItemsRequest {
    public var options: WriteOptions?
    /// The users whose suspensions are taken back: 1 to 100.
    public var userIDs: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ReinstateAccountsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.ReinstateAccountsResponse", ReinstateAccountsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }
}

/// The outcome for one user of ReinstateAccounts.
public struct ReinstateAccountsResult: ResultMessage {
    /// The user, as the request wrote it; of a malformed id at most the first 256 bytes.
    public var userID = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// Whether a suspension that held was taken back.
    public var changed = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ReinstateAccountsResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
    }
}

/// The response of ReinstateAccounts, whose `applied` says whether at least one suspension was
/// taken back.
public typealias ReinstateAccountsResponse = ItemsAnswer<
    ReinstateAccountsRequest, ReinstateAccountsResult
>

/// The request of ListSuspensions.
public struct ListSuspensionsRequest: AppReadRequest, SizedReadRequest, PagedRequest {
    public var options: ReadOptions?
    /// The most suspensions to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListSuspensionsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }

    package var readSize: ReadSize { .page(pageSize) }
}

/// The response of ListSuspensions.
public struct ListSuspensionsResponse: CodedMessage, PagedList {
    /// The suspensions of this page.
    public var suspensions: [Suspension] = []
    public var nextPageToken = ""
    /// How many suspensions the app has.
    public var totalSize: Int32 = 0

    public init() {}

    public var pageItems: [Suspension] { suspensions }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListSuspensionsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "suspensions", &suspensions)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}
