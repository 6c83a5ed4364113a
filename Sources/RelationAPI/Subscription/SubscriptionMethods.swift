public import Protobuf
import RelationModel

/// The subscriptions of users.
public enum SubscriptionMethods {
    private static let service: StaticString = "relation.v1.SubscriptionService"

    /// Subscribes the caller to users.
    public static let subscribe = Method<SubscribeRequest, SubscribeResponse>(
        service, "Subscribe", .write,
        answers: codes(
            SubscriptionStatus.self, .success, .publisherInvalid, .accountNotFound, .subscriberFull,
            .publisherFull),
        limits: [
            RequestLimit("user_ids", Int64(Limits.subscriptionItems), .items),
            RequestLimit("expiry_seconds", Limits.subscriptionSeconds.upperBound, .seconds),
        ])

    /// Ends the caller's subscriptions to users.
    public static let unsubscribe = Method<UnsubscribeRequest, UnsubscribeResponse>(
        service, "Unsubscribe", .write,
        answers: codes(SubscriptionStatus.self, .success, .publisherInvalid),
        limits: [RequestLimit("user_ids", Int64(Limits.subscriptionItems), .items)])

    /// Says to which of several users the caller subscribes, and until when.
    public static let querySubscriptions = Method<
        QuerySubscriptionsRequest, QuerySubscriptionsResponse
    >(
        service, "QuerySubscriptions", .read,
        answers: codes(SubscriptionStatus.self, .success, .publisherInvalid, .accountNotFound),
        limits: [
            RequestLimit("user_ids", Int64(Limits.subscriptionItems), .items),
            RequestLimit(
                "user_ids, with profiles", Int64(Limits.joinedSubscriptionItems), .items),
        ])

    /// Lists the users to which the caller subscribes by pages, in the order of the type and then
    /// of the bytes of the id (order ours).
    public static let listSubscriptions = Method<
        ListSubscriptionsRequest, ListSubscriptionsResponse
    >(
        service, "ListSubscriptions", .read, answers: codes(ErrorReason.self, .invalidPageToken),
        limits: [RequestLimit("page_size", Int64(Limits.subscriptionPageRows), .items)])
}
