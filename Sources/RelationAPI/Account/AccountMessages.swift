public import Protobuf
public import RelationModel

// The messages of the calls of proto/relation/v1/account.proto that are not imports. Every field is
// explained there.

/// One account.
public struct Account: CodedMessage {
    /// The user.
    public var userID = ""
    /// When the account was made.
    public var createTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.Account", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "create_time_ms", &createTimeMs)
    }
}

/// The request of ListAccounts.
public struct ListAccountsRequest: AppReadRequest, SizedReadRequest, PagedRequest {
    public var options: ReadOptions?
    /// The most accounts to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListAccountsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }

    package var readSize: ReadSize { .scan }
}

/// The response of ListAccounts.
public struct ListAccountsResponse: CodedMessage, PagedList {
    /// The accounts of this page.
    public var accounts: [Account] = []
    public var nextPageToken = ""
    /// How many accounts the app has; 2147483647 if there are more.
    public var totalSize: Int32 = 0

    public init() {}

    public var pageItems: [Account] { accounts }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListAccountsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "accounts", &accounts)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

/// The request of CheckAccounts.
public struct CheckAccountsRequest: AppReadRequest, NamingReadRequest {
    public var options: ReadOptions?
    /// The users to look up: 1 to 100.
    public var userIDs: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.CheckAccountsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }

    package static let users = NamedUsers(schema, rows: 1)
}

/// The answer for one user of CheckAccounts.
public struct CheckAccountResult: ResultMessage {
    /// The user, as the request wrote it; of a malformed id at most the first 256 bytes.
    public var userID = ""
    /// The outcome, always set: 0, or 30001 if the id is malformed.
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// Whether the user is an account.
    public var status = AccountStatus.unspecified
    /// When the account was made; 0 if there is none.
    public var createTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.CheckAccountResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "status", &status)
        visitor.field(6, "create_time_ms", &createTimeMs)
    }
}

/// The response of CheckAccounts.
public struct CheckAccountsResponse: CodedMessage {
    /// One result for each id of the request, in its order.
    public var results: [CheckAccountResult] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.CheckAccountsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// The request of DeleteAccounts.
public struct DeleteAccountsRequest: AppWriteRequest, ItemsRequest {
    public var options: WriteOptions?
    /// The users to delete: 1 to 100.
    public var userIDs: [String] = []
    /// Whether the call also ends the users' sessions, as RevokeUserSessions does.
    public var endSessions = false
    /// Whether to erase, after the deletion, what others still have of the users.
    public var erase = false
    /// A secret of the app for the receipts: at most 64 bytes.
    public var erasureKey = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteAccountsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.DeleteAccountsResponse", DeleteAccountsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "end_sessions", &endSessions)
        visitor.field(5, "erase", &erase)
        visitor.secret(6, "erasure_key", &erasureKey)
    }
}

/// The outcome for one user of DeleteAccounts.
public struct DeleteAccountResult: ResultMessage {
    /// The user, as the request wrote it.
    public var userID = ""
    /// The outcome, always set: 0, 30001 or 30003.
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// Whether the deletion began with this call.
    public var changed = false
    /// The id to give to GetDeletion; empty if nothing was begun, as in a dry run.
    public var deletionID = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteAccountResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
        visitor.field(6, "deletion_id", &deletionID)
    }
}

/// The response of DeleteAccounts, whose `applied` says whether at least one deletion began with
/// this call.
public typealias DeleteAccountsResponse = ItemsAnswer<DeleteAccountsRequest, DeleteAccountResult>

/// The request of GetDeletion.
public struct GetDeletionRequest: AppReadRequest, SizedReadRequest {
    public var options: ReadOptions?
    /// The id of the deletion, as DeleteAccounts answered it.
    public var deletionID = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetDeletionRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "deletion_id", &deletionID)
    }

    package var readSize: ReadSize { .rows(1) }
}

/// The response of GetDeletion.
public struct GetDeletionResponse: CodedMessage {
    /// The user whose account is deleted; empty after an erasure.
    public var userID = ""
    /// Whether rows are left to remove.
    public var state = DeletionState.unspecified
    /// How many rows were removed so far, including those of others that named the user.
    public var removedRows: Int64 = 0
    /// When the deletion began.
    public var startTimeMs: Int64 = 0
    /// When it was done; 0 while it runs.
    public var endTimeMs: Int64 = 0
    /// The receipt of the erasure with which the deletion went on, once it is done.
    public var receipt: ErasureReceipt?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetDeletionResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "state", &state)
        visitor.field(3, "removed_rows", &removedRows)
        visitor.field(4, "start_time_ms", &startTimeMs)
        visitor.field(5, "end_time_ms", &endTimeMs)
        visitor.field(6, "receipt", &receipt)
    }
}

/// The receipt of the erasure of a deleted user.
public struct ErasureReceipt: CodedMessage {
    /// HMAC-SHA256 of the user's id under `erasure_key`, in hexadecimal; empty if there was no key.
    public var digest = ""
    /// Events that named the user, in the logs of others.
    public var events: Int64 = 0
    /// Events of the user, or about it, in the app's stream.
    public var streamEvents: Int64 = 0
    /// Entries of the user in lists of removed friends.
    public var removedFriends: Int64 = 0
    /// Applications that have ended, in the lists of others.
    public var endedApplications: Int64 = 0
    /// Answers that were kept for a `request_id`.
    public var keptAnswers: Int64 = 0
    /// Other rows: what the next account of the id would have gone on from, earlier deletions, the
    /// end of the sessions, positions that the app's background work or an import had reached.
    public var otherRows: Int64 = 0
    /// Until when the logs may have events that name the user; 0 if they were erased.
    public var logsKeptUntilMs: Int64 = 0
    /// Until when lists of others may have ended applications of the user; 0 if they were erased.
    public var applicationsKeptUntilMs: Int64 = 0
    /// Until when kept answers may name the user; 0 if they were erased.
    public var answersKeptUntilMs: Int64 = 0
    /// Whether the end of the user's sessions stays under its id, until the app has 100,000 later
    /// ones.
    public var sessionEndKept = false
    /// Whether it stays under a digest of the id, so that signatures from before stay refused.
    public var sessionEndDigestKept = false
    /// Reports that the user had made, whose texts were removed.
    public var reports: Int64 = 0
    /// Until when reports may have texts of the user; 0 if these were erased, and if there were
    /// none.
    public var reportsKeptUntilMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ErasureReceipt", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "digest", &digest)
        visitor.field(2, "events", &events)
        visitor.field(3, "stream_events", &streamEvents)
        visitor.field(4, "removed_friends", &removedFriends)
        visitor.field(5, "ended_applications", &endedApplications)
        visitor.field(6, "kept_answers", &keptAnswers)
        visitor.field(7, "other_rows", &otherRows)
        visitor.field(8, "logs_kept_until_ms", &logsKeptUntilMs)
        visitor.field(9, "applications_kept_until_ms", &applicationsKeptUntilMs)
        visitor.field(10, "answers_kept_until_ms", &answersKeptUntilMs)
        visitor.field(11, "session_end_kept", &sessionEndKept)
        visitor.field(12, "session_end_digest_kept", &sessionEndDigestKept)
        visitor.field(13, "reports", &reports)
        visitor.field(14, "reports_kept_until_ms", &reportsKeptUntilMs)
    }
}
