public import Protobuf
import RelationModel

/// The subscriptions of users.
public enum SubscriptionMethods {
    private static let service: StaticString = "relation.v1.SubscriptionService"

    /// Lets the caller follow users.
    public static let subscribe = Method<
        SubscribeRequest, SubscribeResponse
    >(
        service, "Subscribe", .write,
        answers: codes(
            SubscriptionStatus.self, .success, .publisherInvalid, .accountNotFound,
            .subscriberFull, .publisherFull))

    /// Ends the caller's subscriptions to users.
    public static let unsubscribe = Method<
        UnsubscribeRequest, UnsubscribeResponse
    >(
        service, "Unsubscribe", .write,
        answers: codes(SubscriptionStatus.self, .success, .publisherInvalid))

    /// Tells which of several users the caller follows, and until when.
    public static let querySubscriptions = Method<
        QuerySubscriptionsRequest, QuerySubscriptionsResponse
    >(
        service, "QuerySubscriptions", .read,
        answers: codes(
            SubscriptionStatus.self, .success, .publisherInvalid, .accountNotFound))

    /// Lists the users that the caller follows by pages, in the order of the type and then of the
    /// bytes of the id (order ours).
    public static let listSubscriptions = Method<
        ListSubscriptionsRequest, ListSubscriptionsResponse
    >(service, "ListSubscriptions", .read, answers: codes(ErrorReason.self, .invalidPageToken))
}
