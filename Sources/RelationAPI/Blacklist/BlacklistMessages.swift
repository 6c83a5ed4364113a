public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/blacklist.proto, where every field is explained.

/// A row of a user's blacklist.
public struct BlacklistEntry: Message, Equatable {
    public var userID = ""
    public var addTimeMs: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.BlacklistEntry", BlacklistEntry.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "add_time_ms", &addTimeMs)
    }
}

/// The request of AddToBlacklist.
public struct AddToBlacklistRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var userIDs: [String] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.AddToBlacklistRequest", AddToBlacklistRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }
}

/// The response of AddToBlacklist.
public struct AddToBlacklistResponse: Message, ItemsResponse, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [FriendResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.AddToBlacklistResponse", AddToBlacklistResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of RemoveFromBlacklist.
public struct RemoveFromBlacklistRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var userIDs: [String] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.RemoveFromBlacklistRequest", RemoveFromBlacklistRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }
}

/// The response of RemoveFromBlacklist.
public struct RemoveFromBlacklistResponse: Message, ItemsResponse, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [FriendResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.RemoveFromBlacklistResponse", RemoveFromBlacklistResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of ListBlacklist.
public struct ListBlacklistRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var pageSize: Int32 = 0
    public var pageToken = ""

    public init() {}

    public static let schema = Schema("relation.v1.ListBlacklistRequest", ListBlacklistRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }
}

/// The response of ListBlacklist.
public struct ListBlacklistResponse: Message {
    public var entries: [Encoded<BlacklistEntry>] = []
    public var nextPageToken = ""
    public var totalSize: Int32 = 0
    public var sequence: Int64 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListBlacklistResponse", ListBlacklistResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "entries", &entries)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
    }
}

/// The request of CheckBlacklist.
public struct CheckBlacklistRequest: Message, ReadRequest {
    public var userID = Text()
    public var options: ReadOptions?
    public var userIDs: [Text] = []
    public var checkType = BlacklistCheckType.unspecified

    public init() {}

    public static let schema = Schema(
        "relation.v1.CheckBlacklistRequest", CheckBlacklistRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "check_type", &checkType)
    }
}

/// The response of CheckBlacklist.
public struct CheckBlacklistResponse: Message {
    public var results: [CheckBlacklistResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.CheckBlacklistResponse", CheckBlacklistResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// How one user and the caller stand on each other's blacklists.
public struct CheckBlacklistResult: Message {
    public var userID = Text()
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = Text()
    public var relation: BlacklistRelation?

    public init() {}

    public static let schema = Schema("relation.v1.CheckBlacklistResult", CheckBlacklistResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "relation", &relation)
    }
}

/// The request of CanSend.
public struct CanSendRequest: Message, ReadRequest {
    public var userID = Text()
    public var options: ReadOptions?
    public var userIDs: [Text] = []

    public init() {}

    public static let schema = Schema("relation.v1.CanSendRequest", CanSendRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }
}

/// The response of CanSend.
public struct CanSendResponse: Message {
    public var results: [CanSendResult] = []

    public init() {}

    public static let schema = Schema("relation.v1.CanSendResponse", CanSendResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// Whether a message to one user may be sent.
public struct CanSendResult: Message {
    public var userID = Text()
    public var code: SendStatus?
    public var reason = Reason.none
    public var info = Text()

    public init() {}

    public static let schema = Schema("relation.v1.CanSendResult", CanSendResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
    }
}

extension CanSendRequest {
    package var actingUser: String { String(userID) }
}

extension CheckBlacklistRequest {
    package var actingUser: String { String(userID) }
}
