package import Protobuf
package import RelationModel

/// One event of a user's log: the changes of one kind by one call, with the rows as they are after
/// it.
///
/// Its fields are those of the contract's `ChangeEvent`, one by one, without the user and the
/// sequence, which are in the event's key. So an event is sent as its stored bytes. A test compares
/// the two descriptions.
package struct ChangeRecord: CodedMessage, Equatable {
    package var kind = ChangeKind.unspecified
    package var timeMs: Int64 = 0
    /// The user whose call made the change.
    package var actorUserID = ""
    /// The device that made the call, if the call named one, so that the device can ignore its own
    /// changes.
    package var deviceID = ""
    package var requestID = ""
    package var items: [ChangeItemRecord] = []
    /// The event's position in the app's feed.
    package var feedPosition: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Change", ChangeRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "kind", &kind)
        visitor.field(2, "time_ms", &timeMs)
        visitor.field(3, "actor_user_id", &actorUserID)
        visitor.field(4, "device_id", &deviceID)
        visitor.field(5, "request_id", &requestID)
        visitor.field(Self.itemsNumber, "items", &items)
        visitor.field(9, "feed_position", &feedPosition)
    }

    static let itemsNumber: UInt32 = 6

    /// The encoding of the event with those encoded items, as the codec would write it.
    func encoding(with items: EncodedFields) -> EncodedFields {
        var fields = EncodedFields()
        fields.reserve(
            64 + items.bytes.count + actorUserID.utf8.count + deviceID.utf8.count
                + requestID.utf8.count)
        fields.append(1, Int64(kind.rawValue))
        fields.append(2, timeMs)
        fields.append(3, actorUserID)
        fields.append(4, deviceID)
        fields.append(5, requestID)
        fields.append(items)
        fields.append(9, feedPosition)
        return fields
    }
}

/// The position of a ``ChangeRecord`` in the feed, for readers that need nothing else of it.
package struct ChangePositionRecord: CodedMessage, Equatable {
    package var feedPosition: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.ChangePlace", ChangePositionRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(9, "feed_position", &feedPosition)
    }
}

/// The part of an event about one user, group or list.
///
/// An item sets only the fields that its event's kind needs. The fields are those of the contract's
/// `ChangeItemRecord`, one by one, without those that no log holds.
package struct ChangeItemRecord: CodedMessage, Equatable {
    /// The user that the change is about, from the receiver's point of view.
    package var userID = ""
    package var friendEntry: FriendRecord?
    package var application: ChangedApplication?
    package var blacklistEntry: BlacklistRecord?
    /// The group as it is after the change or, if it was deleted, as it last was.
    package var group: ChangedGroup?
    /// The earlier name of the group, for the kind that reports a new name.
    package var oldGroupName = ""
    /// The users that came into the group by this change.
    ///
    /// The friend's own row shows the change too, and has this event's sequence. No other event
    /// reports it.
    package var addedUserIDs: [String] = []
    /// The users that left the group by this change; their own rows show it likewise.
    package var removedUserIDs: [String] = []
    /// The new values of the profile fields that changed, and the profile's new version.
    ///
    /// If the visibility changed, it is the whole profile, since visibility decides what other
    /// users see of it.
    package var profile: ProfileRecord?
    /// The paths of the profile fields that changed: a field that was cleared has no value in
    /// `profile`.
    package var fields: [String] = []
    /// The time up to which applications are read, for the kind that reports it.
    package var readTimeMs: Int64 = 0
    /// The receiver's subscription as the row is after the change; one that the receiver ended
    /// expires at 0.
    package var subscription: SubscriptionRecord?
    /// The client app that the user decided about.
    package var clientAppID = ""
    /// The user's decision about one permission of that client app.
    package var permission: ChangedPermission?
    /// The visibility that the user chose, for the kind that reports a new choice.
    package var visibility: Visibility?
    /// The sequence with which an account begins: not 0 if an earlier account of the id was
    /// deleted.
    package var sequence: Int64 = 0

    package init() {}

    package init(about user: UserID) {
        userID = user.text
    }

    package static let schema = Schema("relation.store.ChangeItemRecord", ChangeItemRecord.self)
    static let userNumber: UInt32 = 1
    static let friendNumber: UInt32 = 2

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(Self.userNumber, "user_id", &userID)
        visitor.field(Self.friendNumber, "friend_entry", &friendEntry)
        visitor.field(3, "application", &application)
        visitor.field(4, "blacklist_entry", &blacklistEntry)
        visitor.field(5, "group", &group)
        visitor.field(6, "old_group_name", &oldGroupName)
        visitor.field(7, "added_user_ids", &addedUserIDs)
        visitor.field(8, "removed_user_ids", &removedUserIDs)
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
