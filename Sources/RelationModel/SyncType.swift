public import Protobuf

/// The subject of a part of the present state (ours; RongCloud gives the types of subscriptions).
public struct SyncType: OpenEnum, Scalar {
    /// Never sent.
    public static let unspecified = SyncType(rawValue: 0)
    /// Friends: items with `friend_entry`.
    public static let friends = SyncType(rawValue: 1)
    /// Friend groups: items with `group`.
    public static let groups = SyncType(rawValue: 2)
    /// Applications that wait: items with `application`.
    ///
    /// One item has `read_time_ms` if some applications were reported read.
    public static let pendencies = SyncType(rawValue: 3)
    /// The blacklist: items with `blacklist_entry`.
    public static let blacklist = SyncType(rawValue: 4)
    /// Subscriptions: items with `subscription`.
    public static let subscriptions = SyncType(rawValue: 5)
    /// Profiles: items with `profile`, the user's own with `visibility`.
    public static let profiles = SyncType(rawValue: 6)
    /// Presence of others: items with `presence`, of users that were seen since the server began.
    ///
    /// Not in a stream of the app.
    public static let presence = SyncType(rawValue: 7)
    /// Permissions of users for client apps: items with `client_app_id` and `permission`.
    public static let consents = SyncType(rawValue: 8)
    /// Accounts: items with `user_id`.
    ///
    /// Each user that the stream follows has an event of this type, whatever kinds were asked for.
    /// It comes first, and gives the user's sequence.
    public static let accounts = SyncType(rawValue: 9)
    /// The users that the user follows: items with `follow` and `follow_relation`.
    ///
    /// Followers are not part of the present state, because their number has no bound.
    public static let following = SyncType(rawValue: 10)
    /// Invitations: items with `invitation`.
    public static let invitations = SyncType(rawValue: 12)
    /// Dismissed suggestions: items with `dismissed_suggestion`.
    public static let dismissals = SyncType(rawValue: 16)

    public static let schema = EnumSchema(
        "relation.v1.SyncType",
        [
            (unspecified.rawValue, "SYNC_TYPE_UNSPECIFIED"),
            (friends.rawValue, "SYNC_TYPE_FRIENDS"),
            (groups.rawValue, "SYNC_TYPE_GROUPS"),
            (pendencies.rawValue, "SYNC_TYPE_PENDENCIES"),
            (blacklist.rawValue, "SYNC_TYPE_BLACKLIST"),
            (subscriptions.rawValue, "SYNC_TYPE_SUBSCRIPTIONS"),
            (profiles.rawValue, "SYNC_TYPE_PROFILES"),
            (presence.rawValue, "SYNC_TYPE_PRESENCE"),
            (consents.rawValue, "SYNC_TYPE_CONSENTS"),
            (accounts.rawValue, "SYNC_TYPE_ACCOUNTS"),
            (following.rawValue, "SYNC_TYPE_FOLLOWING"),
            (invitations.rawValue, "SYNC_TYPE_INVITATIONS"),
            (dismissals.rawValue, "SYNC_TYPE_DISMISSALS"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
