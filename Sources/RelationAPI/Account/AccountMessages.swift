public import Protobuf
public import RelationModel

// The messages of the calls of proto/relation/v1/account.proto that are not imports. Every field is
// explained there.

/// One account.
public struct Account: Message {
    /// The user.
    ///
    /// TIM's UserID.
    public var userID = ""
    /// When the account was made.
    public var createTimeMs: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", createTimeMs: Int64 = 0) {
        self.userID = userID
        self.createTimeMs = createTimeMs
    }
}

extension Account: CodedMessage {
    @usableFromInline package static let schema = Schema("relation.v1.Account", Account.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "create_time_ms", &createTimeMs)
    }
}

/// The request of ListAccounts.
public struct ListAccountsRequest: Message {
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The most accounts to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    /// The `next_page_token` of the page before; empty for the first page.
    ///
    /// A token that was made for another app or list is INVALID_ARGUMENT.
    public var pageToken = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: ReadOptions? = nil, pageSize: Int32 = 0, pageToken: String = "") {
        self.options = options
        self.pageSize = pageSize
        self.pageToken = pageToken
    }
}

extension ListAccountsRequest: AppReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListAccountsRequest", ListAccountsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }
}

extension ListAccountsRequest: PagedRequest {}

/// The response of ListAccounts.
public struct ListAccountsResponse: Message {
    /// The accounts of this page.
    public var accounts: [Account] = []
    /// The token of the next page; empty after the last page.
    public var nextPageToken = ""
    /// How many accounts the app has; 2147483647 if there are more.
    ///
    /// GetStats counts further.
    public var totalSize: Int32 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(accounts: [Account] = [], nextPageToken: String = "", totalSize: Int32 = 0) {
        self.accounts = accounts
        self.nextPageToken = nextPageToken
        self.totalSize = totalSize
    }
}

extension ListAccountsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListAccountsResponse", ListAccountsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "accounts", &accounts)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

extension ListAccountsResponse: PagedList {
    public var pageItems: [Account] { accounts }
}

/// The request of CheckAccounts.
public struct CheckAccountsRequest: Message {
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The users to look up: 1 to 100.
    ///
    /// TIM's CheckItem.
    public var userIDs: [String] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: ReadOptions? = nil, userIDs: [String] = []) {
        self.options = options
        self.userIDs = userIDs
    }
}

extension CheckAccountsRequest: AppReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.CheckAccountsRequest", CheckAccountsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }
}

/// The answer for one user of CheckAccounts.
public struct CheckAccountResult: Message {
    /// The user, as the request wrote it; of a malformed id at most the first 256 bytes.
    public var userID = ""
    /// The outcome, always set: 0, or 30001 if the id is malformed.
    public var code: FriendStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form; empty if it is unspecified.
    public var info = ""
    /// Whether the user is an account.
    ///
    /// TIM's AccountStatus.
    public var status = AccountStatus.unspecified
    /// When the account was made; 0 if there is none.
    public var createTimeMs: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", code: FriendStatus? = nil, reason: Reason = .none, info: String = "",
        status: AccountStatus = .unspecified, createTimeMs: Int64 = 0
    ) {
        self.userID = userID
        self.code = code
        self.reason = reason
        self.info = info
        self.status = status
        self.createTimeMs = createTimeMs
    }
}

extension CheckAccountResult: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.CheckAccountResult", CheckAccountResult.self)

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
public struct CheckAccountsResponse: Message {
    /// One result for each id of the request, in its order.
    ///
    /// TIM's ResultItem.
    public var results: [CheckAccountResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(results: [CheckAccountResult] = []) {
        self.results = results
    }
}

extension CheckAccountsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.CheckAccountsResponse", CheckAccountsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// The request of DeleteAccounts.
public struct DeleteAccountsRequest: Message {
    /// How the write is carried out.
    ///
    /// The app's administrators share their request ids.
    public var options: WriteOptions?
    /// The users to delete: 1 to 100.
    ///
    /// TIM's DeleteItem.
    public var userIDs: [String] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: WriteOptions? = nil, userIDs: [String] = []) {
        self.options = options
        self.userIDs = userIDs
    }
}

extension DeleteAccountsRequest: AppWriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteAccountsRequest", DeleteAccountsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }
}

/// The outcome for one user of DeleteAccounts.
public struct DeleteAccountResult: Message {
    /// The user, as the request wrote it.
    public var userID = ""
    /// The outcome, always set: 0, 30001 or 30003.
    public var code: FriendStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form; empty if it is unspecified.
    public var info = ""
    /// Whether the deletion began with this call.
    ///
    /// False in a dry run, and if `all_or_nothing` held it back.
    public var changed = false
    /// The id to give to GetDeletion; empty if nothing was begun, as in a dry run.
    public var deletionID = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", code: FriendStatus? = nil, reason: Reason = .none, info: String = "",
        changed: Bool = false, deletionID: String = ""
    ) {
        self.userID = userID
        self.code = code
        self.reason = reason
        self.info = info
        self.changed = changed
        self.deletionID = deletionID
    }
}

extension DeleteAccountResult: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteAccountResult", DeleteAccountResult.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
        visitor.field(6, "deletion_id", &deletionID)
    }
}

/// The response of DeleteAccounts.
public struct DeleteAccountsResponse: Message {
    /// Always 0: the call acts for no user.
    public var sequence: Int64 = 0
    /// Whether at least one deletion began with this call; `changed` of the results tells which.
    ///
    /// False in a dry run, and if `all_or_nothing` held them back.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// One outcome for each id of the request, in its order.
    ///
    /// TIM's ResultItem.
    public var results: [DeleteAccountResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        results: [DeleteAccountResult] = []
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.results = results
    }
}

extension DeleteAccountsResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteAccountsResponse", DeleteAccountsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of GetDeletion.
public struct GetDeletionRequest: Message {
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The id of the deletion, as DeleteAccounts answered it.
    ///
    /// Any other text is INVALID_ARGUMENT.
    public var deletionID = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: ReadOptions? = nil, deletionID: String = "") {
        self.options = options
        self.deletionID = deletionID
    }
}

extension GetDeletionRequest: AppReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetDeletionRequest", GetDeletionRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "deletion_id", &deletionID)
    }
}

/// The response of GetDeletion.
public struct GetDeletionResponse: Message {
    /// The user whose account is deleted.
    public var userID = ""
    /// Whether rows are left to remove.
    public var state = DeletionState.unspecified
    /// How many rows were removed so far, including those of others that named the user.
    public var removedRows: Int64 = 0
    /// When the deletion began.
    public var startTimeMs: Int64 = 0
    /// When it was done; 0 while it runs.
    public var endTimeMs: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", state: DeletionState = .unspecified, removedRows: Int64 = 0,
        startTimeMs: Int64 = 0, endTimeMs: Int64 = 0
    ) {
        self.userID = userID
        self.state = state
        self.removedRows = removedRows
        self.startTimeMs = startTimeMs
        self.endTimeMs = endTimeMs
    }
}

extension GetDeletionResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetDeletionResponse", GetDeletionResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "state", &state)
        visitor.field(3, "removed_rows", &removedRows)
        visitor.field(4, "start_time_ms", &startTimeMs)
        visitor.field(5, "end_time_ms", &endTimeMs)
    }
}
