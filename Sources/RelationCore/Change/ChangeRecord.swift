package import Protobuf
package import RelationModel

/// One event of a user's log: what one call changed of one kind, with the rows as they now are.
///
/// Field by field the `ChangeEvent` of the contract, but for the user and the sequence, which are
/// the event's key: it goes out as its stored bytes. A test holds the two descriptions together.
package struct ChangeRecord: Message, Equatable {
    package var kind = ChangeKind.unspecified
    package var timeMs: Int64 = 0
    /// The user whose call made the change.
    package var actorID = ""
    /// The device that made the call, if it named one, so that it can pass over its own changes.
    package var deviceID = ""
    package var requestID = ""
    package var items: [ChangeItem] = []
    /// The event's place in its lane of the app's feed.
    package var feedPosition: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Change", ChangeRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "kind", &kind)
        visitor.field(2, "time_ms", &timeMs)
        visitor.field(3, "actor_id", &actorID)
        visitor.field(4, "device_id", &deviceID)
        visitor.field(5, "request_id", &requestID)
        visitor.field(6, "items", &items)
        visitor.field(9, "feed_position", &feedPosition)
    }
}

/// The place of a ``ChangeRecord`` in the feed, for those who need no more of it.
package struct ChangePlaceRecord: Message, Equatable {
    package var feedPosition: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.ChangePlace", ChangePlaceRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(9, "feed_position", &feedPosition)
    }
}

/// What an event says of one user, group or list.
///
/// Exactly what its kind needs is set. Field by field the `ChangeItem` of the contract, but for
/// what no log holds.
package struct ChangeItem: Message, Equatable {
    /// The user that the change is about, from the receiver's point of view.
    package var userID = ""
    package var friend: FriendRecord?
    package var application: ChangedApplication?
    package var blacklistEntry: BlacklistRecord?
    /// The group as it now is or, if it was deleted, as it last was.
    package var group: ChangedGroup?
    /// The name that the group had before, for the kind that says that it has another.
    package var oldGroup = ""
    /// Who came into the group by this change, and who left it.
    ///
    /// A friend's own row says so too, and has this event's sequence: no other event tells of it.
    package var membersAdded: [String] = []
    package var membersRemoved: [String] = []
    /// The new values of the profile fields that changed, and the profile's new version; the whole
    /// profile if its visibility did, since that decides what others see of it.
    package var profile: ProfileRecord?
    /// The paths of the profile fields that changed: one that was cleared is absent above.
    package var fields: [String] = []
    /// Up to which time applications are read, for the kind that reports that.
    package var readTimeMs: Int64 = 0
    /// Whom the receiver follows, as the row now is; one that it ended expires at 0.
    package var subscription: SubscriptionRecord?
    /// What the user said to which client app.
    package var clientAppID = ""
    package var permission: ChangedPermission?
    /// What the user chose, for the kind that says that it chose anew.
    package var visibility: Visibility?
    /// The sequence that an account begins with: not 0 if one of the id was deleted before.
    package var sequence: Int64 = 0

    package init() {}

    package init(about user: UserID) {
        userID = user.text
    }

    package static let schema = Schema("relation.store.ChangeItem", ChangeItem.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "friend", &friend)
        visitor.field(3, "application", &application)
        visitor.field(4, "blacklist_entry", &blacklistEntry)
        visitor.field(5, "group", &group)
        visitor.field(6, "old_group", &oldGroup)
        visitor.field(7, "members_added", &membersAdded)
        visitor.field(8, "members_removed", &membersRemoved)
        visitor.field(9, "profile", &profile)
        visitor.field(10, "fields", &fields)
        visitor.field(11, "read_time_ms", &readTimeMs)
        visitor.field(12, "subscription", &subscription)
        visitor.field(14, "client_app_id", &clientAppID)
        visitor.field(15, "permission", &permission)
        visitor.field(16, "visibility", &visibility)
        visitor.field(17, "sequence", &sequence)
    }
}
