public import Protobuf

/// The subject of a part of the present state (ours; RongCloud tells the types of subscriptions).
public struct SyncType: OpenEnum {
    public static let unspecified = SyncType(rawValue: 0)
    public static let friends = SyncType(rawValue: 1)
    public static let groups = SyncType(rawValue: 2)
    public static let pendencies = SyncType(rawValue: 3)
    public static let blacklist = SyncType(rawValue: 4)
    public static let subscriptions = SyncType(rawValue: 5)
    public static let profiles = SyncType(rawValue: 6)
    public static let presence = SyncType(rawValue: 7)
    public static let consents = SyncType(rawValue: 8)
    public static let accounts = SyncType(rawValue: 9)

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
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
