public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/change.proto, where every field is explained.

/// One change: the effect of one call, of one kind, for one receiver.
public struct ChangeEvent: CodedMessage, CodedRow {
    /// The kind of the event.
    public var kind = ChangeKind.unspecified
    /// When it happened.
    public var timeMs: Int64 = 0
    /// The user whose call made the change.
    public var actorUserID = ""
    /// The `device_id` of that call, so that a device can ignore changes that it made itself.
    public var deviceID = ""
    /// The `request_id` of that call.
    public var requestID = ""
    /// The changed rows: exactly the fields that the kind names are set.
    public var items: [ChangeItem] = []
    /// The user whose log holds the event.
    public var userID = ""
    /// The event's number in that log; 0 for an event that is in no log, such as a change of
    /// another user.
    public var sequence: Int64 = 0
    /// The event's position in the app's feed, which orders it among all events of the app's users.
    public var feedPosition: Int64 = 0
    /// The subject of a STATE or a SYNC_COMPLETED.
    public var syncType = SyncType.unspecified

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ChangeEvent", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "kind", &kind)
        visitor.field(2, "time_ms", &timeMs)
        visitor.field(3, "actor_user_id", &actorUserID)
        visitor.field(4, "device_id", &deviceID)
        visitor.field(5, "request_id", &requestID)
        visitor.field(6, "items", &items)
        visitor.field(7, "user_id", &userID)
        visitor.field(8, "sequence", &sequence)
        visitor.field(9, "feed_position", &feedPosition)
        visitor.field(10, "sync_type", &syncType)
    }
}

/// The part of an event about one user, group, list or permission.
public struct ChangeItem: CodedMessage {
    /// The user that the change is about, as the receiver sees it: the friend, the other side of an
    /// application, the blacklisted user, or the owner of the profile.
    public var userID = ""
    /// The friend's row as it then was.
    public var friendEntry: Friend?
    /// The application as it then was, without `nick` and `face_url`.
    public var application: FriendApplication?
    /// The row of the blacklist.
    public var blacklistEntry: BlacklistEntry?
    /// The group as the whole call left it; a deleted group as it last was.
    public var group: FriendGroup?
    /// The name that the group had before.
    public var oldGroupName = ""
    /// The friends that came into the group.
    public var addedUserIDs: [String] = []
    /// The friends that left the group.
    public var removedUserIDs: [String] = []
    /// The changed fields of the profile with its new `version`, or the whole profile; never
    /// `age_range`.
    public var profile: Profile?
    /// The paths of the profile fields that changed, such as `nick` or `custom.Blood`.
    public var fields: [String] = []
    /// Applications up to this time are read.
    public var readTimeMs: Int64 = 0
    /// The subscription of the receiver, as the row then was; `expire_time_ms` is 0 if the receiver
    /// ended it.
    public var subscription: Subscription?
    /// The presence of the user.
    public var presence: Presence?
    /// The client app that the permission is for.
    public var clientAppID = ""
    /// The permission, as the call left it.
    public var permission: UserPermission?
    /// The user's choice of who may read the profile.
    public var visibility: Visibility?
    /// The sequence that a new account begins with: not 0 if an account of the same id was deleted
    /// before, or if the app has erased a user, which may have had that id.
    public var sequence: Int64 = 0
    /// The follow as it now is: of the receiver, or in FOLLOWERS_CHANGED of the other user.
    public var follow: FollowEntry?
    /// Which of the receiver and the user follows the other, after the change.
    public var followRelation: FollowRelation?
    /// The invitation of the receiver, as the row then was.
    public var invitation: Invitation?
    /// The suggestion that the receiver dismissed, without `profile`.
    public var dismissedSuggestion: DismissedSuggestion?
    /// The review of a field of the profile, or of the row of a friend.
    public var review: ProfileReview?
    /// Whether the user has the receiver as a friend after the change without being the receiver's
    /// friend.
    public var reverseFriend = false
    /// The user's choices for single fields: in VISIBILITY_CHANGED those that changed, as they now
    /// are; in STATE all of them.
    public var fieldVisibilities: [FieldVisibility] = []
    /// The same choices as they were before the change, without the names of groups.
    public var formerFieldVisibilities: [FieldVisibility] = []
    /// The suspension of the user as it now is, without the text for moderators; its level is
    /// UNSPECIFIED if it was taken back.
    public var suspension: Suspension?
    /// The report, as the call left it.
    public var report: UserReport?
    /// The marks of the application's user, in ascending order.
    public var riskMarks: [RiskMark] = []
    /// All choices of the user about how it may be found, after the change.
    public var findSettings: FindSettings?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ChangeItem", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "friend_entry", &friendEntry)
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
        visitor.field(13, "presence", &presence)
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

/// The request of ListChanges.
public struct ListChangesRequest: UserReadRequest, SizedReadRequest, PagedRequest {
    /// The acting user, whose log is listed.
    public var userID = ""
    public var options: ReadOptions?
    /// The most events to answer: 0 means 100; more than 500 means 500.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// The sequence that the caller has come to; later events are listed.
    public var sinceSequence: Int64 = 0
    /// The kinds of events to list: up to 64; none means all.
    public var kinds: [ChangeKind] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListChangesRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "since_sequence", &sinceSequence)
        visitor.field(6, "kinds", &kinds)
    }

    /// Events of kinds that it does not ask for are looked at, too.
    package var readSize: ReadSize {
        kinds.isEmpty ? .page(pageSize, atMost: Limits.maxChanges) : .rows(Limits.changesLookedAt)
    }
}

/// The response of ListChanges.
public typealias ListChangesResponse = ListChangesResponseForm<ChangeEvent>

/// ``ListChangesResponse`` as the service has it: its rows are kept as their bytes.
package typealias ListChangesResponseView = ListChangesResponseForm<Encoded<ChangeEvent>>

/// The response of ListChanges.
///
/// A client has ``ListChangesResponse``, whose rows are of type ``ChangeEvent``.
public struct ListChangesResponseForm<Row: Message>: PagedAnswer {
    /// The events, oldest first.
    public var events: [Row] = []
    public var nextPageToken = ""
    /// The user's sequence when the page was read.
    public var sequence: Int64 = 0
    /// Whether the log cannot report the changes since.
    public var resync = false

    @inlinable public init() {}
}

extension ListChangesResponseForm: CodedMessage where Row: CodedRow {
    @usableFromInline package static var schema: Schema { listChangesResponse.schema(Row.self) }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.rows(1, "events", &events)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "sequence", &sequence)
        visitor.field(4, "resync", &resync)
    }
}

private let listChangesResponse = FormSchemas(
    "relation.v1.ListChangesResponse", ListChangesResponse.self, ListChangesResponseView.self)

/// The request of GetSequence.
public struct GetSequenceRequest: UserReadRequest, SizedReadRequest {
    public var userID = ""
    public var options: ReadOptions?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetSequenceRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
    }

    package var readSize: ReadSize { .rows(1) }
}

/// The response of GetSequence.
public struct GetSequenceResponse: CodedMessage {
    /// The user's sequence: the number of the latest event of its log; 0 before the first event.
    public var sequence: Int64 = 0
    /// The sequence of the last change of the friend list.
    public var friendsSequence: Int64 = 0
    /// The sequence of the last change of the pendency lists.
    public var pendenciesSequence: Int64 = 0
    /// The sequence of the last change of the blacklist.
    public var blacklistSequence: Int64 = 0
    /// The sequence of the last change of the friend groups.
    public var groupsSequence: Int64 = 0
    /// The sequence of the last change of the subscriptions.
    public var subscriptionsSequence: Int64 = 0
    /// The first sequence that the log still has; `sequence` plus one if it has none.
    public var firstSequence: Int64 = 0
    /// The sequence of the last change of the consents: the user's permissions for client apps.
    public var consentsSequence: Int64 = 0
    /// The sequence of the last change of the users that the user follows.
    public var followingSequence: Int64 = 0
    /// The sequence of the last change of the user's followers.
    public var followersSequence: Int64 = 0
    /// The sequence of the last change of the invitations.
    public var invitationsSequence: Int64 = 0
    /// The sequence of the last change of the dismissed suggestions.
    public var dismissalsSequence: Int64 = 0
    /// The sequence of the last change of the list of ListReverseFriends that was reported; 0 if
    /// none was.
    public var reverseFriendsSequence: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetSequenceResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "friends_sequence", &friendsSequence)
        visitor.field(3, "pendencies_sequence", &pendenciesSequence)
        visitor.field(4, "blacklist_sequence", &blacklistSequence)
        visitor.field(5, "groups_sequence", &groupsSequence)
        visitor.field(6, "subscriptions_sequence", &subscriptionsSequence)
        visitor.field(7, "first_sequence", &firstSequence)
        visitor.field(8, "consents_sequence", &consentsSequence)
        visitor.field(9, "following_sequence", &followingSequence)
        visitor.field(10, "followers_sequence", &followersSequence)
        visitor.field(11, "invitations_sequence", &invitationsSequence)
        visitor.field(15, "dismissals_sequence", &dismissalsSequence)
        visitor.field(16, "reverse_friends_sequence", &reverseFriendsSequence)
    }
}
