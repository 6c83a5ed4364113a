package import Protobuf
package import RelationModel

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
    /// The user's own custom status as it is after the change; empty if it was cleared.
    package var status: StatusRecord?
    /// The client app that the user decided about.
    package var clientAppID = ""
    /// The user's decision about one permission of that client app.
    package var permission: ChangedPermission?
    /// The visibility that the user chose, for the kind that reports a new choice.
    package var visibility: Visibility?
    /// The sequence with which an account begins: not 0 if an earlier account of the id was
    /// deleted.
    package var sequence: Int64 = 0
    /// The follow as it is after the change; nil if it has ended.
    package var follow: FollowRecord?
    /// Which of the receiver and the user follows the other after the change, for items about
    /// follows.
    package var followRelation: FollowRelation?
    /// The receiver's invitation as the row is after the change.
    package var invitation: InvitationRecord?
    /// The suggestion that the receiver dismissed; nil if it was restored.
    package var dismissedSuggestion: DismissalRecord?
    /// The user's choices for single fields that changed, as they are after the change.
    package var fieldVisibilities: [ChangedFieldVisibility] = []
    /// The same choices as they were before.
    package var formerFieldVisibilities: [ChangedFieldVisibility] = []
    /// The user's suspension as it is after the change, without the text for moderators.
    package var suspension: SuspensionRecord?
    /// The report of a user, as it is after the change.
    package var report: ReportRecord?
    /// The marks of the user that applied.
    package var riskMarks: [RiskMark] = []
    /// The user's choices of who may find it, all of them, as they are after the change.
    package var findSettings: FindSettingsRecord?
    /// The review of a field of the profile, or of the row of a friend.
    package var review: ReviewRecord?
    /// Whether the user has the receiver as a friend after the change, and not the other way round.
    package var reverseFriend = false

    package init() {}

    package init(about user: UserID) {
        userID = user.text
    }

    package static let schema = Schema("relation.store.ChangeItemRecord", ChangeItemRecord.self)
    static let userNumber: UInt32 = 1
    static let friendNumber: UInt32 = 2

    // Each event is written by these two. Left to itself, the compiler calls the generic form,
    // which looks up the metadata of thirty types for each item.
    @_specialize(where Visitor == Encoder)
    @_specialize(where Visitor == EncodedSize)
    package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) {
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
        visitor.field(13, "presence", &status)
        visitor.field(14, "client_app_id", &clientAppID)
        visitor.field(15, "permission", &permission)
        visitor.field(16, "visibility", &visibility)
        visitor.field(17, "sequence", &sequence)
        visitor.field(18, "follow", &follow)
        visitor.field(19, "follow_relation", &followRelation)
        visitor.field(20, "invitation", &invitation)
        visitor.field(21, "field_visibilities", &fieldVisibilities)
        visitor.field(22, "former_field_visibilities", &formerFieldVisibilities)
        visitor.field(23, "find_settings", &findSettings)
        visitor.field(24, "suspension", &suspension)
        visitor.field(25, "report", &report)
        visitor.field(26, "risk_marks", &riskMarks)
        visitor.field(27, "dismissed_suggestion", &dismissedSuggestion)
        visitor.field(28, "review", &review)
        visitor.field(30, "reverse_friend", &reverseFriend)
    }
}
