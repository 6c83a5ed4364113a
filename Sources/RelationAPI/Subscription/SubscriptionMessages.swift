public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/subscription.proto, where every field is explained.

/// One user to which another subscribes.
public struct Subscription: CodedMessage {
    /// The user that is subscribed to.
    public var userID = ""
    /// The part of the user that is subscribed to.
    public var subscribeType = SubscribeType.unspecified
    /// When the user last subscribed.
    public var subscribeTimeMs: Int64 = 0
    /// When the subscription ends: `subscribe_time_ms` plus RongCloud's `expiry`.
    public var expireTimeMs: Int64 = 0
    /// The fields of the user's profile that the caller may see.
    public var profile: Profile?
    /// Whether the user is online, as GetPresence answers it to the caller.
    public var presence: Presence?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.Subscription", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "subscribe_type", &subscribeType)
        visitor.field(3, "subscribe_time_ms", &subscribeTimeMs)
        visitor.field(4, "expire_time_ms", &expireTimeMs)
        visitor.field(5, "profile", &profile)
        visitor.field(6, "presence", &presence)
    }
}

/// The outcome for one user of a call about subscriptions.
public struct SubscriptionResult: ResultMessage {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = ""
    public var code: SubscriptionStatus?
    public var reason = Reason.none
    public var info = ""
    /// Whether the subscription began, ended, or lasts for a new time.
    public var changed = false
    /// The subscription as it now is, if there is one.
    public var subscription: Subscription?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.SubscriptionResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
        visitor.field(6, "subscription", &subscription)
    }
}

/// The request of Subscribe.
public struct SubscribeRequest: WriteRequest, ItemsRequest {
    /// The acting user: the subscriber.
    public var userID = ""
    public var options: WriteOptions?
    /// The part of the users to subscribe to: ONLINE_STATUS or USER_PROFILE.
    public var subscribeType = SubscribeType.unspecified
    /// The users to subscribe to: 1 to 200.
    public var userIDs: [String] = []
    /// How long the subscription lasts, in seconds: 60 to 2,592,000, which is 30 days.
    public var expirySeconds: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.SubscribeRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.SubscribeResponse", SubscribeResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "subscribe_type", &subscribeType)
        visitor.field(4, "user_ids", &userIDs)
        visitor.field(5, "expiry_seconds", &expirySeconds)
    }
}

/// The response of Subscribe.
public typealias SubscribeResponse = ItemsAnswer<SubscribeRequest, SubscriptionResult>

/// The request of Unsubscribe.
public struct UnsubscribeRequest: WriteRequest, ItemsRequest {
    /// The acting user: the subscriber.
    public var userID = ""
    public var options: WriteOptions?
    /// The part of the users to unsubscribe from: ONLINE_STATUS or USER_PROFILE.
    public var subscribeType = SubscribeType.unspecified
    /// The users to unsubscribe from: 1 to 200.
    public var userIDs: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.UnsubscribeRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.UnsubscribeResponse", UnsubscribeResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "subscribe_type", &subscribeType)
        visitor.field(4, "user_ids", &userIDs)
    }
}

/// The response of Unsubscribe.
public typealias UnsubscribeResponse = ItemsAnswer<UnsubscribeRequest, SubscriptionResult>

/// The request of QuerySubscriptions.
public struct QuerySubscriptionsRequest: UserReadRequest, NamingReadRequest, JoiningRequest {
    /// The acting user: the subscriber.
    public var userID = ""
    public var options: ReadOptions?
    /// The type of the subscriptions: ONLINE_STATUS or USER_PROFILE.
    public var subscribeType = SubscribeType.unspecified
    /// The users to ask about: 1 to 200; with `with_profiles` 1 to 100.
    public var userIDs: [String] = []
    /// Whether to answer, in each subscription, the fields of the user's profile that GetProfiles
    /// answers to the caller, whichever type the subscription has.
    public var withProfiles = false
    /// The fields of Profile to answer; empty means all.
    public var profileMask: FieldMask?
    /// Whether to answer, in each subscription, the presence of the user, whichever type the
    /// subscription has.
    public var withPresence = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.QuerySubscriptionsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "subscribe_type", &subscribeType)
        visitor.field(4, "user_ids", &userIDs)
        visitor.field(5, "with_profiles", &withProfiles)
        visitor.field(6, "profile_mask", &profileMask)
        visitor.field(7, "with_presence", &withPresence)
    }

    package static let users = NamedUsers(schema, rows: 2)
    package var readSize: ReadSize {
        .items(userIDs.count, rows: 2 + (withProfiles ? 4 : 0) + (withPresence ? 4 : 0))
    }
}

/// The response of QuerySubscriptions.
public struct QuerySubscriptionsResponse: CodedMessage {
    /// One outcome for each id of the request, in its order.
    public var results: [QuerySubscriptionResult] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.QuerySubscriptionsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// The answer for one user of QuerySubscriptions.
public struct QuerySubscriptionResult: ResultMessage {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = ""
    public var code: SubscriptionStatus?
    public var reason = Reason.none
    public var info = ""
    /// The subscription; absent if there is none.
    public var subscription: Subscription?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.QuerySubscriptionResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "subscription", &subscription)
    }
}

/// The request of ListSubscriptions.
public struct ListSubscriptionsRequest:
    UserReadRequest, SizedReadRequest, PagedRequest, JoiningRequest
{
    /// The acting user: the subscriber.
    public var userID = ""
    public var options: ReadOptions?
    /// The most subscriptions to answer: 0 means 100; more than 200 means 200.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// The type to list: ONLINE_STATUS or USER_PROFILE; both if not given.
    public var subscribeType = SubscribeType.unspecified
    /// How many subscriptions to skip: RongCloud's startIndex, the number that the client has
    /// received.
    public var startIndex: Int32 = 0
    /// Whether to answer, in each subscription, the fields of the user's profile that GetProfiles
    /// answers to the caller, whichever type the subscription has.
    public var withProfiles = false
    /// The fields of Profile to answer; empty means all.
    public var profileMask: FieldMask?
    /// Whether to answer, in each subscription, the presence of the user, whichever type the
    /// subscription has.
    public var withPresence = false

    public init() {}

    public mutating func advance(to token: String) {
        pageToken = token
        // The token has the position; the server refuses the two together.
        startIndex = 0
    }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListSubscriptionsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "subscribe_type", &subscribeType)
        visitor.field(6, "start_index", &startIndex)
        visitor.field(7, "with_profiles", &withProfiles)
        visitor.field(8, "profile_mask", &profileMask)
        visitor.field(9, "with_presence", &withPresence)
    }

    /// The rows that it passes over are read, too.
    package var readSize: ReadSize {
        startIndex > 0 || withProfiles || withPresence
            ? .scan : .list(pageSize, atMost: Limits.subscriptionPageRows)
    }
}

/// The response of ListSubscriptions.
public struct ListSubscriptionsResponse: CodedMessage, PagedList {
    /// The subscriptions of this page.
    public var subscriptions: [Subscription] = []
    public var nextPageToken = ""
    /// How many subscriptions the caller has, of that type or of both types.
    public var totalSize: Int32 = 0
    /// The user's sequence when its subscriptions last changed.
    public var sequence: Int64 = 0

    public init() {}

    public var pageItems: [Subscription] { subscriptions }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListSubscriptionsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "subscriptions", &subscriptions)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
    }
}
