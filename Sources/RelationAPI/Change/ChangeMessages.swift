public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/change.proto, where every field is explained.

/// One change: the effect of one call, of one kind, for one receiver.
public struct ChangeEvent: Message, Equatable {
    public var kind = ChangeKind.unspecified
    public var timeMs: Int64 = 0
    public var actorUserID = ""
    public var deviceID = ""
    public var requestID = ""
    public var items: [ChangeItem] = []
    public var userID = ""
    public var sequence: Int64 = 0
    public var feedPosition: Int64 = 0
    public var syncType = SyncType.unspecified

    public init() {}

    public static let schema = Schema("relation.v1.ChangeEvent", ChangeEvent.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
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
public struct ChangeItem: Message, Equatable {
    public var userID = ""
    public var friendEntry: Friend?
    public var application: FriendApplication?
    public var blacklistEntry: BlacklistEntry?
    public var group: FriendGroup?
    public var oldGroupName = ""
    public var addedUserIDs: [String] = []
    public var removedUserIDs: [String] = []
    public var profile: Profile?
    public var fields: [String] = []
    public var readTimeMs: Int64 = 0
    public var subscription: Subscription?
    public var presence: Presence?
    public var clientAppID = ""
    public var permission: UserPermission?
    public var visibility: Visibility?
    public var sequence: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.ChangeItem", ChangeItem.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
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
public struct ListChangesRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var pageSize: Int32 = 0
    public var pageToken = ""
    public var sinceSequence: Int64 = 0
    public var kinds: [ChangeKind] = []

    public init() {}

    public static let schema = Schema("relation.v1.ListChangesRequest", ListChangesRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "since_sequence", &sinceSequence)
        visitor.field(6, "kinds", &kinds)
    }
}

/// The response of ListChanges.
public struct ListChangesResponse: Message {
    public var events: [Encoded<ChangeEvent>] = []
    public var nextPageToken = ""
    public var sequence: Int64 = 0
    public var resync = false

    public init() {}

    public static let schema = Schema("relation.v1.ListChangesResponse", ListChangesResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "events", &events)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "sequence", &sequence)
        visitor.field(4, "resync", &resync)
    }
}

/// The request of GetSequence.
public struct GetSequenceRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?

    public init() {}

    public static let schema = Schema("relation.v1.GetSequenceRequest", GetSequenceRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
    }
}

/// The response of GetSequence.
public struct GetSequenceResponse: Message, Equatable {
    public var sequence: Int64 = 0
    public var friendsSequence: Int64 = 0
    public var pendenciesSequence: Int64 = 0
    public var blacklistSequence: Int64 = 0
    public var groupsSequence: Int64 = 0
    public var subscriptionsSequence: Int64 = 0
    public var firstSequence: Int64 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.GetSequenceResponse", GetSequenceResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "friends_sequence", &friendsSequence)
        visitor.field(3, "pendencies_sequence", &pendenciesSequence)
        visitor.field(4, "blacklist_sequence", &blacklistSequence)
        visitor.field(5, "groups_sequence", &groupsSequence)
        visitor.field(6, "subscriptions_sequence", &subscriptionsSequence)
        visitor.field(7, "first_sequence", &firstSequence)
    }
}
