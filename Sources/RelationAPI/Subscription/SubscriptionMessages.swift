public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/subscription.proto, where every field is explained.

/// One user that another follows.
public struct Subscription: Message, Equatable {
    public var userID = ""
    public var type = SubscribeType.unspecified
    public var subscribeTimeMs: Int64 = 0
    public var expireTimeMs: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.Subscription", Subscription.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "type", &type)
        visitor.field(3, "subscribe_time_ms", &subscribeTimeMs)
        visitor.field(4, "expire_time_ms", &expireTimeMs)
    }
}

/// The outcome for one user of a call about subscriptions.
public struct SubscriptionResult: Message, Equatable {
    public var userID = ""
    public var code = SubscriptionStatus.success
    public var info = ""
    public var subscription: Subscription?

    public init() {}

    public static let schema = Schema("relation.v1.SubscriptionResult", SubscriptionResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "info", &info)
        visitor.field(4, "subscription", &subscription)
    }
}

/// The request of Subscribe.
public struct SubscribeRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var type = SubscribeType.unspecified
    public var userIDs: [String] = []
    public var expirySeconds: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.SubscribeRequest", SubscribeRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "type", &type)
        visitor.field(4, "user_ids", &userIDs)
        visitor.field(5, "expiry_seconds", &expirySeconds)
    }
}

/// The response of Subscribe.
public struct SubscribeResponse: Message, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [SubscriptionResult] = []

    public init() {}

    public static let schema = Schema("relation.v1.SubscribeResponse", SubscribeResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of Unsubscribe.
public struct UnsubscribeRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var type = SubscribeType.unspecified
    public var userIDs: [String] = []

    public init() {}

    public static let schema = Schema("relation.v1.UnsubscribeRequest", UnsubscribeRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "type", &type)
        visitor.field(4, "user_ids", &userIDs)
    }
}

/// The response of Unsubscribe.
public struct UnsubscribeResponse: Message, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [SubscriptionResult] = []

    public init() {}

    public static let schema = Schema("relation.v1.UnsubscribeResponse", UnsubscribeResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of QuerySubscriptions.
public struct QuerySubscriptionsRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var type = SubscribeType.unspecified
    public var userIDs: [String] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.QuerySubscriptionsRequest", QuerySubscriptionsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "type", &type)
        visitor.field(4, "user_ids", &userIDs)
    }
}

/// The response of QuerySubscriptions.
public struct QuerySubscriptionsResponse: Message {
    public var results: [SubscriptionResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.QuerySubscriptionsResponse", QuerySubscriptionsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// The request of ListSubscriptions.
public struct ListSubscriptionsRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var type = SubscribeType.unspecified
    public var pageSize: Int32 = 0
    public var pageToken = ""
    public var startIndex: Int32 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListSubscriptionsRequest", ListSubscriptionsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "type", &type)
        visitor.field(4, "page_size", &pageSize)
        visitor.field(5, "page_token", &pageToken)
        visitor.field(6, "start_index", &startIndex)
    }
}

/// The response of ListSubscriptions.
public struct ListSubscriptionsResponse: Message {
    public var subscriptions: [Subscription] = []
    public var nextPageToken = ""
    public var totalSize: Int32 = 0
    public var sequence: Int64 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListSubscriptionsResponse", ListSubscriptionsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "subscriptions", &subscriptions)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
    }
}
