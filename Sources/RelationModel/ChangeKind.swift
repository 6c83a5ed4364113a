public import Protobuf

/// The kind of a change event.
///
/// Numbers 1 to 8 are those of TIM's `TIM_SNS_SYSTEM_TYPE`; 9 to 14 are kept free for the rest of
/// that type; our own kinds begin at 100.
public struct ChangeKind: OpenEnum, Scalar {
    public let rawValue: Int32

    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Never sent.
    public static let unspecified = ChangeKind(rawValue: 0)
    /// The friend list grew.
    public static let addFriend = ChangeKind(rawValue: 1)
    /// The friend list shrank.
    public static let deleteFriend = ChangeKind(rawValue: 2)
    /// A friend application was sent or received.
    public static let addFriendRequest = ChangeKind(rawValue: 3)
    /// A friend application left the pendency list.
    public static let deleteFriendRequest = ChangeKind(rawValue: 4)
    /// The blacklist grew.
    public static let addBlacklist = ChangeKind(rawValue: 5)
    /// The blacklist shrank.
    public static let deleteBlacklist = ChangeKind(rawValue: 6)
    /// Applications were reported read.
    public static let pendencyReport = ChangeKind(rawValue: 7)
    /// A friend's remark, groups or custom values changed.
    public static let friendChange = ChangeKind(rawValue: 8)
    /// Friend groups were made.
    public static let groupCreated = ChangeKind(rawValue: 100)
    /// Friend groups were deleted.
    public static let groupDeleted = ChangeKind(rawValue: 101)
    /// A friend group has another name.
    public static let groupRenamed = ChangeKind(rawValue: 102)
    /// Friends were put into friend groups, or taken out.
    public static let groupMembersChanged = ChangeKind(rawValue: 103)
    /// The friend list changed in bulk: read it again, or ask for the changes.
    public static let listChanged = ChangeKind(rawValue: 104)
    /// Profile fields changed.
    public static let profileChange = ChangeKind(rawValue: 110)
    /// Other users see more of the profile, or less.
    public static let visibilityChanged = ChangeKind(rawValue: 111)
    /// The user subscribed to another user, renewed the subscription, or ended it.
    public static let subscriptionChanged = ChangeKind(rawValue: 120)
    /// Subscriptions ended.
    public static let subscriptionExpired = ChangeKind(rawValue: 121)
    /// A user came online or went offline, or set its custom status; stored in no log.
    public static let presence = ChangeKind(rawValue: 122)
    /// A permission was granted to a client app, declined or revoked.
    public static let consentChanged = ChangeKind(rawValue: 130)
    /// A user became an account: in the app's feed only.
    public static let accountCreated = ChangeKind(rawValue: 140)
    /// A user is no longer an account: in the app's feed only.
    public static let accountDeleted = ChangeKind(rawValue: 141)

    /// The user made or revoked an invitation, or another user used one.
    public static let invitationChanged = ChangeKind(rawValue: 170)
    /// The user set its custom status, or cleared it.
    public static let statusChanged = ChangeKind(rawValue: 180)
    /// The user chose who may find it.
    public static let findSettingsChanged = ChangeKind(rawValue: 192)

    /// The user was suspended, or its suspension was changed or taken back.
    public static let suspensionChanged = ChangeKind(rawValue: 194)
    /// The user reported another one: in the app's feed only, and only for streams of the app.
    public static let userReported = ChangeKind(rawValue: 195)
    /// Moderators closed a report of the user, likewise.
    public static let reportResolved = ChangeKind(rawValue: 196)
    /// The user made a new application that carries a risk, likewise.
    public static let riskMarked = ChangeKind(rawValue: 197)

    /// New values of the user's profile, or of its rows of friends, are under review.
    public static let reviewAsked = ChangeKind(rawValue: 202)
    /// Reviews of the user's profile, or of its rows of friends, ended.
    public static let reviewDecided = ChangeKind(rawValue: 203)

    /// Part of the present state.
    public static let state = ChangeKind(rawValue: 150)
    /// All of the present state of a type was sent.
    public static let syncCompleted = ChangeKind(rawValue: 151)
    /// The receiver must drop its copy.
    public static let resync = ChangeKind(rawValue: 152)

    /// The user began to follow users, or stopped.
    public static let followingChanged = ChangeKind(rawValue: 160)
    /// The user has new followers, or has lost some.
    public static let followersChanged = ChangeKind(rawValue: 161)
    /// The user dismissed suggestions, or restored some.
    public static let dismissalsChanged = ChangeKind(rawValue: 199)
    /// Users that are not the user's friends have it as a friend now, or have not any more.
    public static let reverseFriendsChanged = ChangeKind(rawValue: 205)

    public static let schema = EnumSchema(
        "relation.v1.ChangeKind",
        [
            (0, "CHANGE_KIND_UNSPECIFIED"),
            (1, "CHANGE_KIND_ADD_FRIEND"),
            (2, "CHANGE_KIND_DEL_FRIEND"),
            (3, "CHANGE_KIND_ADD_FRIEND_REQ"),
            (4, "CHANGE_KIND_DEL_FRIEND_REQ"),
            (5, "CHANGE_KIND_ADD_BLACKLIST"),
            (6, "CHANGE_KIND_DEL_BLACKLIST"),
            (7, "CHANGE_KIND_PENDENCY_REPORT"),
            (8, "CHANGE_KIND_SNS_PROFILE_CHANGE"),
            (100, "CHANGE_KIND_GROUP_CREATED"),
            (101, "CHANGE_KIND_GROUP_DELETED"),
            (102, "CHANGE_KIND_GROUP_RENAMED"),
            (103, "CHANGE_KIND_GROUP_MEMBERS_CHANGED"),
            (104, "CHANGE_KIND_LIST_CHANGED"),
            (110, "CHANGE_KIND_PROFILE_CHANGE"),
            (111, "CHANGE_KIND_VISIBILITY_CHANGED"),
            (120, "CHANGE_KIND_SUBSCRIPTION_CHANGED"),
            (121, "CHANGE_KIND_SUBSCRIPTION_EXPIRED"),
            (122, "CHANGE_KIND_PRESENCE"),
            (130, "CHANGE_KIND_CONSENT_CHANGED"),
            (140, "CHANGE_KIND_ACCOUNT_CREATED"),
            (141, "CHANGE_KIND_ACCOUNT_DELETED"),
            (150, "CHANGE_KIND_STATE"),
            (151, "CHANGE_KIND_SYNC_COMPLETED"),
            (152, "CHANGE_KIND_RESYNC"),
            (160, "CHANGE_KIND_FOLLOWING_CHANGED"),
            (161, "CHANGE_KIND_FOLLOWERS_CHANGED"),
            (170, "CHANGE_KIND_INVITATION_CHANGED"),
            (180, "CHANGE_KIND_STATUS_CHANGED"),
            (192, "CHANGE_KIND_FIND_SETTINGS_CHANGED"),
            (194, "CHANGE_KIND_SUSPENSION_CHANGED"),
            (195, "CHANGE_KIND_USER_REPORTED"),
            (196, "CHANGE_KIND_REPORT_RESOLVED"),
            (197, "CHANGE_KIND_RISK_MARKED"),
            (199, "CHANGE_KIND_DISMISSALS_CHANGED"),
            (202, "CHANGE_KIND_REVIEW_ASKED"),
            (203, "CHANGE_KIND_REVIEW_DECIDED"),
            (205, "CHANGE_KIND_REVERSE_FRIENDS_CHANGED"),
        ],
        spelled: [
            deleteFriend.rawValue: "deleteFriend",
            addFriendRequest.rawValue: "addFriendRequest",
            deleteFriendRequest.rawValue: "deleteFriendRequest",
            deleteBlacklist.rawValue: "deleteBlacklist",
            friendChange.rawValue: "friendChange",
        ])
}
