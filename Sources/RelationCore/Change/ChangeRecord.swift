package import Protobuf
package import RelationModel

/// One event of a user's log: what one call changed of one kind, with the rows as they now are.
///
/// The event's sequence is its key.
package struct ChangeRecord: Message, Equatable {
    package var kind = ChangeKind.unspecified
    package var timeMs: Int64 = 0
    /// The user whose call made the change.
    package var actor = ""
    /// The device that made the call, if it named one, so that it can pass over its own changes.
    package var deviceID = ""
    package var requestID = ""
    package var items: [ChangeItem] = []

    package init() {}

    package static let schema = Schema("relation.store.Change", ChangeRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "kind", &kind)
        visitor.field(2, "time_ms", &timeMs)
        visitor.field(3, "actor", &actor)
        visitor.field(4, "device_id", &deviceID)
        visitor.field(5, "request_id", &requestID)
        visitor.field(6, "items", &items)
    }
}

/// What an event says of one user, group or list.
///
/// Exactly what its kind needs is set.
package struct ChangeItem: Message, Equatable {
    /// The user that the change is about, from the receiver's point of view.
    package var userID = ""
    package var friend: FriendRecord?
    package var pendency: PendencyRecord?
    package var pendencyType = PendencyType.unspecified
    /// How an application ended, for the kind that says that it did; one that still waits was only
    /// taken off the receiver's list.
    package var outcome = ApplicationStatus.unhandled
    package var blacklisted: BlacklistRecord?
    /// The name that the group has now, or had last.
    package var group = ""
    /// The new values of the profile fields that changed, and the profile's new version; the whole
    /// profile if its visibility did, since that decides what others see of it.
    package var profile: ProfileRecord?
    /// The paths of the profile fields that changed: one that was cleared is absent above.
    package var profileFields: [String] = []
    /// Up to which time applications are read, for the kind that reports that.
    package var readMarkMs: Int64 = 0
    /// The name that the group had before, for the kind that says that it has another.
    package var oldGroup = ""
    /// The group's row, as it now is or, if the group was deleted, as it last was.
    package var groupRecord: GroupRecord?
    /// Who came into the group by this change, and who left it.
    ///
    /// A friend's own row says so too, and has this event's sequence: no other event tells of it.
    package var membersAdded: [String] = []
    package var membersRemoved: [String] = []
    /// What the user said to a client app.
    package var grant: GrantRecord?

    package init() {}

    package init(about user: UserID) {
        userID = user.text
    }

    package static let schema = Schema("relation.store.ChangeItem", ChangeItem.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "friend", &friend)
        visitor.field(3, "pendency", &pendency)
        visitor.field(4, "pendency_type", &pendencyType)
        visitor.field(5, "outcome", &outcome)
        visitor.field(6, "blacklisted", &blacklisted)
        visitor.field(7, "group", &group)
        visitor.field(8, "profile", &profile)
        visitor.field(9, "profile_fields", &profileFields)
        visitor.field(10, "read_mark_ms", &readMarkMs)
        visitor.field(11, "old_group", &oldGroup)
        visitor.field(12, "group_record", &groupRecord)
        visitor.field(13, "members_added", &membersAdded)
        visitor.field(14, "members_removed", &membersRemoved)
        visitor.field(20, "grant", &grant)
    }
}

/// Where one lane of an app's feed stands: the position of its latest event; and what the users of
/// the lane have.
///
/// The counts stand here because every change of them makes an event, whose position is written
/// anyway; an app's are the sums over its lanes.
package struct LaneRecord: Message, Equatable {
    package var position: Int64 = 0
    package var accounts: Int64 = 0
    package var friends: Int64 = 0
    package var groups: Int64 = 0
    package var blacklisted: Int64 = 0
    package var comeIn: Int64 = 0
    package var sendOut: Int64 = 0

    package init() {}

    /// Counts in, or with -1 out, what a user has whose head is `head`.
    package mutating func count(_ head: HeadRecord?, _ sign: Int64) {
        guard let head else { return }
        accounts += sign
        friends += sign * Int64(head.friendCount)
        groups += sign * Int64(head.groupCount)
        blacklisted += sign * Int64(head.blacklistCount)
        comeIn += sign * Int64(head.comeInCount)
        sendOut += sign * Int64(head.sendOutCount)
    }

    /// The sums with another lane's.
    package mutating func add(_ other: LaneRecord) {
        position += other.position
        accounts += other.accounts
        friends += other.friends
        groups += other.groups
        blacklisted += other.blacklisted
        comeIn += other.comeIn
        sendOut += other.sendOut
    }

    package static let schema = Schema("relation.store.Lane", LaneRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "position", &position)
        visitor.field(2, "accounts", &accounts)
        visitor.field(3, "friends", &friends)
        visitor.field(4, "groups", &groups)
        visitor.field(5, "blacklisted", &blacklisted)
        visitor.field(6, "come_in", &comeIn)
        visitor.field(7, "send_out", &sendOut)
    }
}

/// One event in an app's feed: whose log holds it, and at which sequence.
package struct FeedRecord: Message, Equatable {
    package var userID = ""
    package var sequence: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Feed", FeedRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "sequence", &sequence)
    }
}
