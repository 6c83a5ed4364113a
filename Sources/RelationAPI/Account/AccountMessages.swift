public import Protobuf
public import RelationModel

// The messages of the calls of proto/relation/v1/account.proto that are not imports. Every field is
// explained there.

/// One account.
public struct Account: Message, Equatable {
    public var userID = ""
    public var createTimeMs: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.Account", Account.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "create_time_ms", &createTimeMs)
    }
}

/// The request of ListAccounts.
public struct ListAccountsRequest: Message, AppReadRequest {
    public var options: ReadOptions?
    public var pageSize: Int32 = 0
    public var pageToken = ""

    public init() {}

    public static let schema = Schema("relation.v1.ListAccountsRequest", ListAccountsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }
}

/// The response of ListAccounts.
public struct ListAccountsResponse: Message {
    public var accounts: [Account] = []
    public var nextPageToken = ""
    public var totalSize: Int32 = 0

    public init() {}

    public static let schema = Schema("relation.v1.ListAccountsResponse", ListAccountsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "accounts", &accounts)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

/// The request of CheckAccounts.
public struct CheckAccountsRequest: Message, AppReadRequest {
    public var options: ReadOptions?
    public var userIDs: [String] = []

    public init() {}

    public static let schema = Schema("relation.v1.CheckAccountsRequest", CheckAccountsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }
}

/// The answer for one user of CheckAccounts.
public struct CheckAccountResult: Message, Equatable {
    public var userID = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    public var status = AccountStatus.unspecified
    public var createTimeMs: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.CheckAccountResult", CheckAccountResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
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
    public var results: [CheckAccountResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.CheckAccountsResponse", CheckAccountsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// The request of DeleteAccounts.
public struct DeleteAccountsRequest: Message, AppWriteRequest {
    public var options: WriteOptions?
    public var userIDs: [String] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.DeleteAccountsRequest", DeleteAccountsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }
}

/// The outcome for one user of DeleteAccounts.
public struct DeleteAccountResult: Message, Equatable {
    public var userID = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    public var changed = false
    public var deletionID = ""

    public init() {}

    public static let schema = Schema("relation.v1.DeleteAccountResult", DeleteAccountResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
        visitor.field(6, "deletion_id", &deletionID)
    }
}

/// The response of DeleteAccounts.
public struct DeleteAccountsResponse: Message, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [DeleteAccountResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.DeleteAccountsResponse", DeleteAccountsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of GetDeletion.
public struct GetDeletionRequest: Message, AppReadRequest {
    public var options: ReadOptions?
    public var deletionID = ""

    public init() {}

    public static let schema = Schema("relation.v1.GetDeletionRequest", GetDeletionRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "deletion_id", &deletionID)
    }
}

/// The response of GetDeletion.
public struct GetDeletionResponse: Message {
    public var userID = ""
    public var state = DeletionState.unspecified
    public var removedRows: Int64 = 0
    public var startTimeMs: Int64 = 0
    public var endTimeMs: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.GetDeletionResponse", GetDeletionResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "state", &state)
        visitor.field(3, "removed_rows", &removedRows)
        visitor.field(4, "start_time_ms", &startTimeMs)
        visitor.field(5, "end_time_ms", &endTimeMs)
    }
}
