public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/subscription.proto, where every field is explained.

/// One user that another follows.
public struct Subscription: Message, Equatable {
    public var userID = ""
    public var subscribeType = SubscribeType.unspecified
    public var subscribeTimeMs: Int64 = 0
    public var expireTimeMs: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.Subscription", Subscription.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "subscribe_type", &subscribeType)
        visitor.field(3, "subscribe_time_ms", &subscribeTimeMs)
        visitor.field(4, "expire_time_ms", &expireTimeMs)
    }
}

/// The outcome for one user of a call about subscriptions.
public struct SubscriptionResult: Message, Equatable {
    public var userID = ""
    public var code: SubscriptionStatus?
    public var reason = Reason.none
    public var info = ""
    public var changed = false
    public var subscription: Subscription?

    public init() {}

    public static let schema = Schema("relation.v1.SubscriptionResult", SubscriptionResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
        visitor.field(6, "subscription", &subscription)
    }
}

/// The request of Subscribe.
public struct SubscribeRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var subscribeType = SubscribeType.unspecified
    public var userIDs: [String] = []
    public var expirySeconds: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.SubscribeRequest", SubscribeRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "subscribe_type", &subscribeType)
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
    public var subscribeType = SubscribeType.unspecified
    public var userIDs: [String] = []

    public init() {}

    public static let schema = Schema("relation.v1.UnsubscribeRequest", UnsubscribeRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "subscribe_type", &subscribeType)
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
    public var subscribeType = SubscribeType.unspecified
    public var userIDs: [String] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.QuerySubscriptionsRequest", QuerySubscriptionsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "subscribe_type", &subscribeType)
        visitor.field(4, "user_ids", &userIDs)
    }
}

/// The response of QuerySubscriptions.
public struct QuerySubscriptionsResponse: Message {
    public var results: [QuerySubscriptionResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.QuerySubscriptionsResponse", QuerySubscriptionsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// The answer for one user of QuerySubscriptions.
public struct QuerySubscriptionResult: Message, Equatable {
    public var userID = ""
    public var code: SubscriptionStatus?
    public var reason = Reason.none
    public var info = ""
    public var subscription: Subscription?

    public init() {}

    public static let schema = Schema(
        "relation.v1.QuerySubscriptionResult", QuerySubscriptionResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "subscription", &subscription)
    }
}

/// The request of ListSubscriptions.
public struct ListSubscriptionsRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var pageSize: Int32 = 0
    public var pageToken = ""
    public var subscribeType = SubscribeType.unspecified
    public var startIndex: Int32 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListSubscriptionsRequest", ListSubscriptionsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "subscribe_type", &subscribeType)
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
