public import Protobuf

/// The outcome for one user of a call about subscriptions.
///
/// The numbers are RongCloud's, but an unknown user has that of Tencent IM.
public struct SubscriptionStatus: OpenEnum, Scalar {
    /// Done.
    public static let success = SubscriptionStatus(rawValue: 0)
    /// The other user has as many subscribers as the app allows.
    ///
    /// BESUBSCRIBED_USERIDS_COUNT_EXCEED_LIMIT.
    public static let publisherFull = SubscriptionStatus(rawValue: 26021)
    /// The caller has as many subscriptions of that type as the app allows.
    ///
    /// SUBSCRIBED_USERIDS_EXCEED_LIMIT.
    public static let subscriberFull = SubscriptionStatus(rawValue: 26022)
    /// The other user is not an account of the app.
    public static let accountNotFound = SubscriptionStatus(rawValue: 30003)
    /// The other user's id is malformed, or is the caller's own.
    public static let publisherInvalid = SubscriptionStatus(rawValue: 34308)

    public static let schema = EnumSchema(
        "relation.v1.SubscriptionStatus",
        codes: [
            (
                success.rawValue, "SUBSCRIPTION_STATUS_SUCC",
                "Done."
            ),
            (
                publisherFull.rawValue, "SUBSCRIPTION_STATUS_PUBLISHER_FULL",
                "The other user has as many subscribers as the app allows."
            ),
            (
                subscriberFull.rawValue, "SUBSCRIPTION_STATUS_SUBSCRIBER_FULL",
                "The caller has as many subscriptions of that type as the app allows."
            ),
            (
                accountNotFound.rawValue, "SUBSCRIPTION_STATUS_ACCOUNT_NOT_FOUND",
                "The other user is not an account of the app."
            ),
            (
                publisherInvalid.rawValue, "SUBSCRIPTION_STATUS_PUBLISHER_INVALID",
                "The other user's identifier is malformed, or is the caller's own."
            ),
        ],
        spelled: [
            success.rawValue: "success"
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
