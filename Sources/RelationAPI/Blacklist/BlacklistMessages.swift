public import Protobuf

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
public struct AddToBlacklistRequest: Message {
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
public struct AddToBlacklistResponse: Message {
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
public struct RemoveFromBlacklistRequest: Message {
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
public struct RemoveFromBlacklistResponse: Message {
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
public struct ListBlacklistRequest: Message {
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
