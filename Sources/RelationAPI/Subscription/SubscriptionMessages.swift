public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/subscription.proto, where every field is explained.

/// One user that another follows.
public struct Subscription: Message {
    /// The user that is followed.
    ///
    /// RongCloud's userId.
    public var userID = ""
    /// The part of the user that is followed.
    ///
    /// RongCloud's subscribeType.
    public var subscribeType = SubscribeType.unspecified
    /// When the user last subscribed.
    ///
    /// RongCloud's subscribeTime.
    public var subscribeTimeMs: Int64 = 0
    /// When the subscription ends: `subscribe_time_ms` plus RongCloud's expiry.
    ///
    /// 0 in an event which says that the user is not followed any more (ours).
    public var expireTimeMs: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", subscribeType: SubscribeType = .unspecified,
        subscribeTimeMs: Int64 = 0, expireTimeMs: Int64 = 0
    ) {
        self.userID = userID
        self.subscribeType = subscribeType
        self.subscribeTimeMs = subscribeTimeMs
        self.expireTimeMs = expireTimeMs
    }
}

extension Subscription: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.Subscription", Subscription.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "subscribe_type", &subscribeType)
        visitor.field(3, "subscribe_time_ms", &subscribeTimeMs)
        visitor.field(4, "expire_time_ms", &expireTimeMs)
    }
}

/// The outcome for one user of a call about subscriptions.
public struct SubscriptionResult: Message {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = ""
    /// The outcome, always set.
    public var code: SubscriptionStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    public var info = ""
    /// Whether the subscription began, ended, or lasts for a new time.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back.
    public var changed = false
    /// The subscription as it now is, if the caller follows the user.
    ///
    /// Unsubscribe never answers it.
    public var subscription: Subscription?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", code: SubscriptionStatus? = nil, reason: Reason = .none,
        info: String = "", changed: Bool = false, subscription: Subscription? = nil
    ) {
        self.userID = userID
        self.code = code
        self.reason = reason
        self.info = info
        self.changed = changed
        self.subscription = subscription
    }
}

extension SubscriptionResult: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.SubscriptionResult", SubscriptionResult.self)

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
public struct SubscribeRequest: Message {
    /// The acting user: the subscriber.
    public var userID = ""
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The part of the users to follow: ONLINE_STATUS or USER_PROFILE.
    ///
    /// RongCloud's subscribeType.
    public var subscribeType = SubscribeType.unspecified
    /// The users to follow: 1 to 200.
    ///
    /// RongCloud's userIds. For each type, a user may follow 1,000 users and be followed by 5,000,
    /// unless the app's settings say otherwise (counting by type is ours).
    public var userIDs: [String] = []
    /// How long the subscription lasts, in seconds: 60 to 2,592,000, which is 30 days.
    ///
    /// RongCloud's expiry.
    public var expirySeconds: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: WriteOptions? = nil,
        subscribeType: SubscribeType = .unspecified, userIDs: [String] = [],
        expirySeconds: Int64 = 0
    ) {
        self.userID = userID
        self.options = options
        self.subscribeType = subscribeType
        self.userIDs = userIDs
        self.expirySeconds = expirySeconds
    }
}

extension SubscribeRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.SubscribeRequest", SubscribeRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "subscribe_type", &subscribeType)
        visitor.field(4, "user_ids", &userIDs)
        visitor.field(5, "expiry_seconds", &expirySeconds)
    }
}

/// The response of Subscribe.
public struct SubscribeResponse: Message {
    /// The acting user's sequence after the write.
    ///
    /// In a dry run, and if nothing changed, its sequence before the write.
    public var sequence: Int64 = 0
    /// Whether at least one row changed; `changed` of the results tells which items did it.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// One outcome for each id of the request, in its order.
    public var results: [SubscriptionResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        results: [SubscriptionResult] = []
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.results = results
    }
}

extension SubscribeResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.SubscribeResponse", SubscribeResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of Unsubscribe.
public struct UnsubscribeRequest: Message {
    /// The acting user: the subscriber.
    public var userID = ""
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The part of the users to stop following: ONLINE_STATUS or USER_PROFILE.
    ///
    /// RongCloud's subscribeType.
    public var subscribeType = SubscribeType.unspecified
    /// The users to stop following: 1 to 200.
    ///
    /// RongCloud's userIds.
    public var userIDs: [String] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: WriteOptions? = nil,
        subscribeType: SubscribeType = .unspecified, userIDs: [String] = []
    ) {
        self.userID = userID
        self.options = options
        self.subscribeType = subscribeType
        self.userIDs = userIDs
    }
}

extension UnsubscribeRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.UnsubscribeRequest", UnsubscribeRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "subscribe_type", &subscribeType)
        visitor.field(4, "user_ids", &userIDs)
    }
}

/// The response of Unsubscribe.
public struct UnsubscribeResponse: Message {
    /// The acting user's sequence after the write.
    ///
    /// In a dry run, and if nothing changed, its sequence before the write.
    public var sequence: Int64 = 0
    /// Whether at least one row changed; `changed` of the results tells which items did it.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// One outcome for each id of the request, in its order.
    public var results: [SubscriptionResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        results: [SubscriptionResult] = []
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.results = results
    }
}

extension UnsubscribeResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.UnsubscribeResponse", UnsubscribeResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of QuerySubscriptions.
public struct QuerySubscriptionsRequest: Message {
    /// The acting user: the subscriber.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The type of the subscriptions: ONLINE_STATUS or USER_PROFILE.
    ///
    /// RongCloud's subscribeType.
    public var subscribeType = SubscribeType.unspecified
    /// The users to ask about: 1 to 200.
    ///
    /// RongCloud's userIds.
    public var userIDs: [String] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: ReadOptions? = nil,
        subscribeType: SubscribeType = .unspecified, userIDs: [String] = []
    ) {
        self.userID = userID
        self.options = options
        self.subscribeType = subscribeType
        self.userIDs = userIDs
    }
}

extension QuerySubscriptionsRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.QuerySubscriptionsRequest", QuerySubscriptionsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "subscribe_type", &subscribeType)
        visitor.field(4, "user_ids", &userIDs)
    }
}

/// The response of QuerySubscriptions.
public struct QuerySubscriptionsResponse: Message {
    /// One outcome for each id of the request, in its order.
    public var results: [QuerySubscriptionResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(results: [QuerySubscriptionResult] = []) {
        self.results = results
    }
}

extension QuerySubscriptionsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.QuerySubscriptionsResponse", QuerySubscriptionsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// The answer for one user of QuerySubscriptions.
public struct QuerySubscriptionResult: Message {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = ""
    /// The outcome, always set.
    public var code: SubscriptionStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    public var info = ""
    /// The subscription; absent if the caller does not follow the user.
    public var subscription: Subscription?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", code: SubscriptionStatus? = nil, reason: Reason = .none,
        info: String = "", subscription: Subscription? = nil
    ) {
        self.userID = userID
        self.code = code
        self.reason = reason
        self.info = info
        self.subscription = subscription
    }
}

extension QuerySubscriptionResult: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.QuerySubscriptionResult", QuerySubscriptionResult.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "subscription", &subscription)
    }
}

/// The request of ListSubscriptions.
public struct ListSubscriptionsRequest: Message {
    /// The acting user: the subscriber.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The most subscriptions to answer: 0 means 100; more than 200 means 200.
    ///
    /// RongCloud's pageSize.
    public var pageSize: Int32 = 0
    /// The `next_page_token` of the page before; empty for the first page.
    ///
    /// A token that was made for another user or type is INVALID_ARGUMENT. RongCloud's pageToken.
    public var pageToken = ""
    /// The type to list: ONLINE_STATUS or USER_PROFILE; both if not given.
    ///
    /// RongCloud's subscribeType.
    public var subscribeType = SubscribeType.unspecified
    /// How many subscriptions to skip: RongCloud's startIndex, the number that the client has
    /// received.
    ///
    /// Not negative. If the list changes between two pages that begin in this way, rows may be lost
    /// or come twice; this cannot happen with a token. INVALID_ARGUMENT together with `page_token`.
    public var startIndex: Int32 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: ReadOptions? = nil, pageSize: Int32 = 0,
        pageToken: String = "", subscribeType: SubscribeType = .unspecified, startIndex: Int32 = 0
    ) {
        self.userID = userID
        self.options = options
        self.pageSize = pageSize
        self.pageToken = pageToken
        self.subscribeType = subscribeType
        self.startIndex = startIndex
    }
}

extension ListSubscriptionsRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListSubscriptionsRequest", ListSubscriptionsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "subscribe_type", &subscribeType)
        visitor.field(6, "start_index", &startIndex)
    }
}

extension ListSubscriptionsRequest: PagedRequest {
    public mutating func goOn(at token: String) {
        pageToken = token
        // The token tells the place; the server refuses the two together.
        startIndex = 0
    }
}

/// The response of ListSubscriptions.
public struct ListSubscriptionsResponse: Message {
    /// The subscriptions of this page.
    public var subscriptions: [Subscription] = []
    /// The token of the next page; empty after the last page.
    ///
    /// It is answered for both ways of asking.
    public var nextPageToken = ""
    /// How many users the caller follows, of that type or of both types.
    ///
    /// A user that it follows in both types counts twice.
    public var totalSize: Int32 = 0
    /// The user's sequence when its subscriptions last changed.
    public var sequence: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        subscriptions: [Subscription] = [], nextPageToken: String = "", totalSize: Int32 = 0,
        sequence: Int64 = 0
    ) {
        self.subscriptions = subscriptions
        self.nextPageToken = nextPageToken
        self.totalSize = totalSize
        self.sequence = sequence
    }
}

extension ListSubscriptionsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListSubscriptionsResponse", ListSubscriptionsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "subscriptions", &subscriptions)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
    }
}

extension ListSubscriptionsResponse: PagedList {
    public var pageItems: [Subscription] { subscriptions }
}
