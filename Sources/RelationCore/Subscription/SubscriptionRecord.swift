package import Protobuf
package import RelationModel

/// A subscription: one user to which another subscribes.
///
/// Its fields are those of the contract's `Subscription`, one by one.
package struct SubscriptionRecord: CodedMessage, Equatable {
    /// The user that it is to.
    package var userID = ""
    package var subscribeType = SubscribeType.unspecified
    package var subscribeTimeMs: Int64 = 0
    /// From this time on it has expired.
    package var expireTimeMs: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Subscription", SubscriptionRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "subscribe_type", &subscribeType)
        visitor.field(3, "subscribe_time_ms", &subscribeTimeMs)
        visitor.field(4, "expire_time_ms", &expireTimeMs)
    }
}

/// The numbers of subscribers of a user.
///
/// Subscribers whose subscription has expired are counted until it is ended.
package struct SubscriberCountRecord: CodedMessage, Equatable {
    package var onlineStatus: UInt32 = 0
    package var userProfile: UInt32 = 0

    package init() {}

    package static let schema = Schema(
        "relation.store.SubscriberCount", SubscriberCountRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "online_status", &onlineStatus)
        visitor.field(2, "user_profile", &userProfile)
    }

    package subscript(_ type: SubscribeType) -> UInt32 {
        get { type == .onlineStatus ? onlineStatus : userProfile }
        set {
            if type == .onlineStatus { onlineStatus = newValue } else { userProfile = newValue }
        }
    }
}

extension UserRecord {
    /// The number of the user's subscriptions of that type.
    ///
    /// A subscription that has expired is counted until it is ended.
    package subscript(subscriptions type: SubscribeType) -> UInt32 {
        get { type == .onlineStatus ? onlineSubscriptionCount : profileSubscriptionCount }
        set {
            if type == .onlineStatus {
                onlineSubscriptionCount = newValue
            } else {
                profileSubscriptionCount = newValue
            }
        }
    }

    /// The number of the user's subscriptions of all types, counted likewise.
    package var subscriptionCount: UInt32 { onlineSubscriptionCount + profileSubscriptionCount }
}
