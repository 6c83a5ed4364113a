public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/change.proto, where every field is explained.

/// One change: the effect of one call, of one kind, for one receiver.
public struct ChangeEvent: Message {
    /// The kind of the event.
    ///
    /// TIM's `subType`.
    public var kind = ChangeKind.unspecified
    /// When it happened.
    public var timeMs: Int64 = 0
    /// The user whose call made the change.
    ///
    /// Empty if an administrator's call made it, or no call did.
    public var actorUserID = ""
    /// The `device_id` of that call, so that a device can ignore changes that it made itself.
    ///
    /// Empty if the call named none.
    public var deviceID = ""
    /// The `request_id` of that call.
    public var requestID = ""
    /// The changed rows: exactly the fields that the kind names are set.
    ///
    /// TIM's `users`.
    public var items: [ChangeItem] = []
    /// The user whose log holds the event.
    ///
    /// For another user's profile or presence, that user; in a STATE, the user whose rows they are.
    public var userID = ""
    /// The event's number in that log; 0 for an event that is in no log, such as a change of
    /// another user.
    ///
    /// In a STATE of a user's own rows, the user's sequence at that moment.
    public var sequence: Int64 = 0
    /// The event's place in the app's feed, which orders it among all events of the app's users.
    ///
    /// 0 for an event that is in no feed.
    public var feedPosition: Int64 = 0
    /// The subject of a STATE or a SYNC_COMPLETED.
    public var syncType = SyncType.unspecified

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        kind: ChangeKind = .unspecified, timeMs: Int64 = 0, actorUserID: String = "",
        deviceID: String = "", requestID: String = "", items: [ChangeItem] = [],
        userID: String = "", sequence: Int64 = 0, feedPosition: Int64 = 0,
        syncType: SyncType = .unspecified
    ) {
        self.kind = kind
        self.timeMs = timeMs
        self.actorUserID = actorUserID
        self.deviceID = deviceID
        self.requestID = requestID
        self.items = items
        self.userID = userID
        self.sequence = sequence
        self.feedPosition = feedPosition
        self.syncType = syncType
    }
}

extension ChangeEvent: CodedMessage, CodedRow {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ChangeEvent", ChangeEvent.self)

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
public struct ChangeItem: Message {
    /// The user that the change is about, as the receiver sees it: the friend, the other side of an
    /// application, the blacklisted user, or the owner of the profile.
    ///
    /// TIM's `identifier`.
    public var userID = ""
    /// The friend's row as it then was.
    public var friendEntry: Friend?
    /// The application as it then was, without `nick` and `face_url`.
    ///
    /// TIM's `wording` and `source` of TIMSNSChangeInfo.
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
    ///
    /// The profile of a VISIBILITY_CHANGED of another user replaces all that is known of it,
    /// whatever its `version` (ours). TIM's TIMProfileSystemElem.
    public var profile: Profile?
    /// The paths of the profile fields that changed, such as `nick` or `custom.Blood`.
    ///
    /// Fields that the caller may not read are left out; if no field of its own profile is left,
    /// only the profile's version is told. After a stream went on from a token, this is empty in a
    /// PROFILE_CHANGE of another user. Several changes are then joined, and `profile` is all that
    /// the receiver sees.
    public var fields: [String] = []
    /// Applications up to this time are read.
    public var readTimeMs: Int64 = 0
    /// The subscription of the receiver, as the row then was; `expire_time_ms` is 0 if it does not
    /// follow the user any more.
    public var subscription: Subscription?
    /// The presence of the user.
    public var presence: Presence?
    /// The client app that the permission is for.
    public var clientAppID = ""
    /// The permission, as the call left it.
    public var permission: UserPermission?
    /// The user's choice of who may read the profile.
    ///
    /// Only the user itself gets it.
    public var visibility: Visibility?
    /// The sequence that a new account begins with: not 0 if an account of the same id was deleted
    /// before.
    public var sequence: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", friendEntry: Friend? = nil, application: FriendApplication? = nil,
        blacklistEntry: BlacklistEntry? = nil, group: FriendGroup? = nil, oldGroupName: String = "",
        addedUserIDs: [String] = [], removedUserIDs: [String] = [], profile: Profile? = nil,
        fields: [String] = [], readTimeMs: Int64 = 0, subscription: Subscription? = nil,
        presence: Presence? = nil, clientAppID: String = "", permission: UserPermission? = nil,
        visibility: Visibility? = nil, sequence: Int64 = 0
    ) {
        self.userID = userID
        self.friendEntry = friendEntry
        self.application = application
        self.blacklistEntry = blacklistEntry
        self.group = group
        self.oldGroupName = oldGroupName
        self.addedUserIDs = addedUserIDs
        self.removedUserIDs = removedUserIDs
        self.profile = profile
        self.fields = fields
        self.readTimeMs = readTimeMs
        self.subscription = subscription
        self.presence = presence
        self.clientAppID = clientAppID
        self.permission = permission
        self.visibility = visibility
        self.sequence = sequence
    }
}

extension ChangeItem: CodedMessage {
    @usableFromInline package static let schema = Schema("relation.v1.ChangeItem", ChangeItem.self)

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
    }
}

/// The request of ListChanges.
public struct ListChangesRequest: Message {
    /// The acting user, whose log is listed.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The most events to answer: 0 means 100; more than 500 means 500.
    ///
    /// A page also ends before 1 MiB, and after 1,000 events of any kind were looked at. So a page
    /// may have fewer events, or none, and still not be the last.
    public var pageSize: Int32 = 0
    /// The `next_page_token` of the page before; empty for the first page.
    ///
    /// A token that was made for another user, other kinds or another `since_sequence` is
    /// INVALID_ARGUMENT.
    public var pageToken = ""
    /// The sequence that the caller has come to; later events are listed.
    ///
    /// 0 means from the first event that there ever was.
    public var sinceSequence: Int64 = 0
    /// The kinds of events to list: up to 64; none means all.
    public var kinds: [ChangeKind] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: ReadOptions? = nil, pageSize: Int32 = 0,
        pageToken: String = "", sinceSequence: Int64 = 0, kinds: [ChangeKind] = []
    ) {
        self.userID = userID
        self.options = options
        self.pageSize = pageSize
        self.pageToken = pageToken
        self.sinceSequence = sinceSequence
        self.kinds = kinds
    }
}

extension ListChangesRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListChangesRequest", ListChangesRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "since_sequence", &sinceSequence)
        visitor.field(6, "kinds", &kinds)
    }
}

extension ListChangesRequest: PagedRequest {}

/// The response of ListChanges.
public typealias ListChangesResponse = ListChangesResponseForm<ChangeEvent>

/// ``ListChangesResponse`` as the service has it: its rows are kept as their bytes.
package typealias ListChangesResponseView = ListChangesResponseForm<Encoded<ChangeEvent>>

/// The response of ListChanges.
///
/// A client has ``ListChangesResponse``, whose rows are of type ``ChangeEvent``.
public struct ListChangesResponseForm<Row: Message>: Message {
    /// The events, oldest first.
    public var events: [Row] = []
    /// The token of the next page; empty on the last page.
    public var nextPageToken = ""
    /// The user's sequence when the page was read.
    ///
    /// After the last page the caller has come to it.
    public var sequence: Int64 = 0
    /// Whether the log cannot tell the changes since.
    ///
    /// There are then no events, and the caller must read the user's lists anew. The reasons are:
    ///
    /// - the log does not reach back so far any more;
    /// - its next event is one that an older server wrote too long for a message;
    /// - `since_sequence` is above the user's sequence, or of another history of the app.
    public var resync = false

    @inlinable public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    @inlinable public init(
        events: [Row] = [], nextPageToken: String = "", sequence: Int64 = 0, resync: Bool = false
    ) {
        self.events = events
        self.nextPageToken = nextPageToken
        self.sequence = sequence
        self.resync = resync
    }
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

extension ListChangesResponseForm: PagedAnswer {}

private let listChangesResponse = FormSchemas(
    "relation.v1.ListChangesResponse", ListChangesResponse.self, ListChangesResponseView.self)

/// The request of GetSequence.
public struct GetSequenceRequest: Message {
    /// The acting user.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", options: ReadOptions? = nil) {
        self.userID = userID
        self.options = options
    }
}

extension GetSequenceRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetSequenceRequest", GetSequenceRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
    }
}

/// The response of GetSequence.
public struct GetSequenceResponse: Message {
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
    ///
    /// ListChanges can go on from the sequence before it.
    public var firstSequence: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, friendsSequence: Int64 = 0, pendenciesSequence: Int64 = 0,
        blacklistSequence: Int64 = 0, groupsSequence: Int64 = 0, subscriptionsSequence: Int64 = 0,
        firstSequence: Int64 = 0
    ) {
        self.sequence = sequence
        self.friendsSequence = friendsSequence
        self.pendenciesSequence = pendenciesSequence
        self.blacklistSequence = blacklistSequence
        self.groupsSequence = groupsSequence
        self.subscriptionsSequence = subscriptionsSequence
        self.firstSequence = firstSequence
    }
}

extension GetSequenceResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetSequenceResponse", GetSequenceResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "friends_sequence", &friendsSequence)
        visitor.field(3, "pendencies_sequence", &pendenciesSequence)
        visitor.field(4, "blacklist_sequence", &blacklistSequence)
        visitor.field(5, "groups_sequence", &groupsSequence)
        visitor.field(6, "subscriptions_sequence", &subscriptionsSequence)
        visitor.field(7, "first_sequence", &firstSequence)
    }
}
