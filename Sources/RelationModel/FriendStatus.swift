public import Protobuf

/// The outcome of one item of a relation call: TIM's `TIMFriendStatus`, number for number, and the
/// server codes that this service answers beside it.
///
/// An outcome is returned, never thrown: ``pending`` is not even a refusal. The numbers that TIM
/// retired (30519, 30520, 30615, 30617, 30630, 32521) are reserved in the contract.
public struct FriendStatus: OpenEnum {
    // Success, and faults of any relation call

    /// Done.
    public static let success = FriendStatus(rawValue: 0)
    /// A field is malformed, or the state forbids the change: the reason tells.
    public static let invalidParameter = FriendStatus(rawValue: 30001)
    /// The other user is no account of the app.
    public static let accountNotFound = FriendStatus(rawValue: 30003)
    /// Only an administrator may do this for that user.
    public static let adminRequired = FriendStatus(rawValue: 30004)
    /// A text holds a word that the app forbids.
    public static let sensitiveText = FriendStatus(rawValue: 30005)

    // Adding a friend, and answering an application

    /// The administrator forbids the caller to add anybody.
    public static let addDenied = FriendStatus(rawValue: 30009)
    /// The caller's friend list is full.
    public static let selfFriendFull = FriendStatus(rawValue: 30010)
    /// The caller has as many friend groups as the app allows.
    public static let groupLimit = FriendStatus(rawValue: 30011)
    /// One side has as many waiting applications as the app allows.
    public static let pendencyLimit = FriendStatus(rawValue: 30012)
    /// The other user's friend list is full.
    public static let theirFriendFull = FriendStatus(rawValue: 30014)
    /// The caller has blacklisted the other user.
    public static let inSelfBlacklist = FriendStatus(rawValue: 30515)
    /// The other user lets nobody add it.
    public static let friendSideForbidsAdd = FriendStatus(rawValue: 30516)
    /// The other user has blacklisted the caller.
    public static let inOtherSideBlacklist = FriendStatus(rawValue: 30525)
    /// An application was made or renewed, and waits for the other user.
    public static let pending = FriendStatus(rawValue: 30539)
    /// The caller has sent as many applications today as the app allows.
    public static let addRestricted = FriendStatus(rawValue: 30540)
    /// No application of that user waits for the caller.
    public static let noApplication = FriendStatus(rawValue: 30614)

    // The blacklist

    /// The caller's blacklist is full.
    public static let blacklistFull = FriendStatus(rawValue: 30013)
    /// The user is on the caller's blacklist already.
    public static let alreadyInBlacklist = FriendStatus(rawValue: 31307)
    /// The user is not on the caller's blacklist.
    public static let notInBlacklist = FriendStatus(rawValue: 31503)

    // Deleting and changing friends

    /// None of the rows to delete exists.
    public static let notFriend = FriendStatus(rawValue: 31704)
    /// Only an administrator may write the custom field.
    public static let writePermissionRequired = FriendStatus(rawValue: 40008)
    /// The app has no custom field of that name.
    public static let tagNotFound = FriendStatus(rawValue: 40009)

    // Friend groups

    /// TIM's: creating a group, the user's app was not read; never answered here.
    public static let groupAddAppNotRead = FriendStatus(rawValue: 32207)
    /// Creating a group, the user to put into it is no friend.
    public static let groupAddNotFriend = FriendStatus(rawValue: 32216)
    /// TIM's: changing a group, the user's app was not read; never answered here.
    public static let groupUpdateAppNotRead = FriendStatus(rawValue: 32511)
    /// The user to put into the group is no friend.
    public static let groupUpdateNotFriend = FriendStatus(rawValue: 32518)
    /// The user to put into the group is in it.
    public static let alreadyInGroup = FriendStatus(rawValue: 32519)
    /// The user to take out of the group is not in it.
    public static let notInGroup = FriendStatus(rawValue: 32520)

    public static let schema = EnumSchema(
        "relation.v1.FriendStatus",
        [
            (success.rawValue, "FRIEND_STATUS_SUCC"),
            (invalidParameter.rawValue, "FRIEND_STATUS_PARAM_INVALID"),
            (accountNotFound.rawValue, "FRIEND_STATUS_ACCOUNT_NOT_FOUND"),
            (adminRequired.rawValue, "FRIEND_STATUS_ADMIN_REQUIRED"),
            (sensitiveText.rawValue, "FRIEND_STATUS_SENSITIVE_TEXT"),
            (addDenied.rawValue, "FRIEND_STATUS_ADD_FRIEND_DENY"),
            (selfFriendFull.rawValue, "FRIEND_STATUS_SELF_FRIEND_FULL"),
            (groupLimit.rawValue, "FRIEND_STATUS_MAX_GROUPS_EXCEED"),
            (pendencyLimit.rawValue, "FRIEND_STATUS_PENDENCY_LIMIT"),
            (theirFriendFull.rawValue, "FRIEND_STATUS_THEIR_FRIEND_FULL"),
            (inSelfBlacklist.rawValue, "FRIEND_STATUS_IN_SELF_BLACK_LIST"),
            (friendSideForbidsAdd.rawValue, "FRIEND_STATUS_FRIEND_SIDE_FORBID_ADD"),
            (inOtherSideBlacklist.rawValue, "FRIEND_STATUS_IN_OTHER_SIDE_BLACK_LIST"),
            (pending.rawValue, "FRIEND_STATUS_PENDING"),
            (addRestricted.rawValue, "FRIEND_STATUS_ADD_FRIEND_SEC_RSTR"),
            (noApplication.rawValue, "FRIEND_STATUS_NO_REQ"),
            (blacklistFull.rawValue, "FRIEND_STATUS_BLACKLIST_LIMIT"),
            (alreadyInBlacklist.rawValue, "FRIEND_STATUS_IN_BLACK_LIST"),
            (notInBlacklist.rawValue, "FRIEND_STATUS_NOT_IN_BLACK_LIST"),
            (notFriend.rawValue, "FRIEND_STATUS_NO_FRIEND"),
            (writePermissionRequired.rawValue, "FRIEND_STATUS_WRITE_PERMISSION_REQUIRED"),
            (tagNotFound.rawValue, "FRIEND_STATUS_TAG_NOT_FOUND"),
            (groupAddAppNotRead.rawValue, "FRIEND_STATUS_ADD_FRIEND_GROUP_GET_SDKAPPID_FAILED"),
            (groupAddNotFriend.rawValue, "FRIEND_STATUS_NOT_FRIEND"),
            (
                groupUpdateAppNotRead.rawValue,
                "FRIEND_STATUS_UPDATE_FRIEND_GROUP_GET_SDKAPPID_FAILED"
            ),
            (groupUpdateNotFriend.rawValue, "FRIEND_STATUS_ADD_NOT_FRIEND"),
            (alreadyInGroup.rawValue, "FRIEND_STATUS_ADD_ALREADY_IN_GROUP"),
            (notInGroup.rawValue, "FRIEND_STATUS_DEL_NOT_IN_GROUP"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
