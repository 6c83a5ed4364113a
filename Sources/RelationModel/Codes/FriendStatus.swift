public import Protobuf

/// The outcome of one item of a relation call.
///
/// The numbers are those of TIM's `TIMFriendStatus`, and those of TIM's server that this service
/// answers beside them. An outcome is returned, never thrown: ``pending`` is not even a refusal.
/// The numbers that TIM retired (30519, 30520, 30615, 30617, 30630, 32521) are reserved in the
/// contract.
public struct FriendStatus: OpenEnum, Scalar {
    // Success, and errors of any relation call

    /// Done.
    ///
    /// TIM_FRIEND_STATUS_SUCC.
    public static let success = FriendStatus(rawValue: 0)
    /// A field is malformed, or the state forbids the change; `reason` says which.
    ///
    /// TIM_FRIEND_PARAM_INVALID.
    public static let invalidParameter = FriendStatus(rawValue: 30001)
    /// The other user is not an account of the app.
    ///
    /// ERR_SVR_FRIENDSHIP_ACCOUNT_NOT_FOUND.
    public static let accountNotFound = FriendStatus(rawValue: 30003)
    /// Only an administrator may act for that user.
    ///
    /// This code comes as metadata `code` of PERMISSION_DENIED. ERR_SVR_FRIENDSHIP_ADMIN_REQUIRED.
    public static let adminRequired = FriendStatus(rawValue: 30004)
    /// A text holds a word that the app forbids.
    ///
    /// ERR_SVR_FRIENDSHIP_SENSITIVE_TEXT.
    public static let sensitiveText = FriendStatus(rawValue: 30005)

    // Adding a friend, and answering an application

    /// The administrator forbids the caller to add friends.
    ///
    /// ERR_SVR_FRIENDSHIP_ADD_FRIEND_DENY.
    public static let addDenied = FriendStatus(rawValue: 30009)
    /// The caller's friend list is full.
    ///
    /// TIM_ADD_FRIEND_STATUS_SELF_FRIEND_FULL.
    public static let selfFriendFull = FriendStatus(rawValue: 30010)
    /// The caller has as many friend groups as the app allows.
    ///
    /// TIM_UPDATE_FRIEND_GROUP_STATUS_MAX_GROUPS_EXCEED.
    public static let groupLimit = FriendStatus(rawValue: 30011)
    /// One of the two has as many waiting applications in that direction as the app allows.
    ///
    /// ERR_SVR_FRIENDSHIP_PENDENCY_LIMIT.
    public static let pendencyLimit = FriendStatus(rawValue: 30012)
    /// The other user's friend list is full.
    ///
    /// TIM_ADD_FRIEND_STATUS_THEIR_FRIEND_FULL.
    public static let theirFriendFull = FriendStatus(rawValue: 30014)
    /// The other user is on the caller's blacklist.
    ///
    /// TIM_ADD_FRIEND_STATUS_IN_SELF_BLACK_LIST.
    public static let inSelfBlacklist = FriendStatus(rawValue: 30515)
    /// The other user does not let anyone add it.
    ///
    /// TIM_ADD_FRIEND_STATUS_FRIEND_SIDE_FORBID_ADD.
    public static let friendSideForbidsAdd = FriendStatus(rawValue: 30516)
    /// The caller is on the other user's blacklist.
    ///
    /// TIM_ADD_FRIEND_STATUS_IN_OTHER_SIDE_BLACK_LIST.
    public static let inOtherSideBlacklist = FriendStatus(rawValue: 30525)
    /// The application waits for the other user's consent; this is not a refusal.
    ///
    /// TIM_ADD_FRIEND_STATUS_PENDING.
    public static let pending = FriendStatus(rawValue: 30539)
    /// The app lets the caller not add the user now: there were too many applications, a refusal,
    /// or the account is new.
    ///
    /// ERR_SVR_FRIENDSHIP_ADD_FRIEND_SEC_RSTR.
    public static let addRestricted = FriendStatus(rawValue: 30540)
    /// No application of that user waits for the caller.
    ///
    /// TIM_RESPONSE_FRIEND_STATUS_NO_REQ.
    public static let noApplication = FriendStatus(rawValue: 30614)

    // The blacklist

    /// The caller's blacklist is full.
    ///
    /// ERR_SVR_FRIENDSHIP_BLACKLIST_LIMIT.
    public static let blacklistFull = FriendStatus(rawValue: 30013)
    /// The user is on the caller's blacklist already.
    ///
    /// TIM_ADD_BLACKLIST_FRIEND_STATUS_IN_BLACK_LIST.
    public static let alreadyInBlacklist = FriendStatus(rawValue: 31307)
    /// The user is not on the caller's blacklist.
    ///
    /// TIM_DEL_BLACKLIST_FRIEND_STATUS_NOT_IN_BLACK_LIST.
    public static let notInBlacklist = FriendStatus(rawValue: 31503)

    // Deleting and changing friends

    /// None of the rows to delete exists.
    ///
    /// Only DeleteFriends answers it: NOT_FRIEND and ADD_NOT_FRIEND are about a user to put into a
    /// group. TIM_DEL_FRIEND_STATUS_NO_FRIEND.
    public static let notFriend = FriendStatus(rawValue: 31704)
    /// Only an administrator may write the custom friend field.
    ///
    /// ERR_SVR_PROFILE_WRITE_PERMISSION_REQUIRED; TIM answers it for profiles only (the use for
    /// friends is ours).
    public static let writePermissionRequired = FriendStatus(rawValue: 40008)
    /// The app has no custom friend field of that name.
    ///
    /// ERR_SVR_PROFILE_TAG_NOT_FOUND; TIM answers it for profiles only (the use for friends is
    /// ours).
    public static let tagNotFound = FriendStatus(rawValue: 40009)

    // Friend groups

    /// TIM's code for a group that is created while the app of a user cannot be read.
    ///
    /// The server never answers it. TIM_ADD_FRIEND_GROUP_STATUS_GET_SDKAPPID_FAILED.
    public static let groupAddAppNotRead = FriendStatus(rawValue: 32207)
    /// The user to put into a group that is being created is not a friend.
    ///
    /// Only CreateFriendGroups answers it: for a group that exists it is ADD_NOT_FRIEND, and for a
    /// deletion NO_FRIEND. TIM_ADD_FRIEND_GROUP_STATUS_NOT_FRIEND.
    public static let groupAddNotFriend = FriendStatus(rawValue: 32216)
    /// TIM's code for a group that is changed while the app of a user cannot be read.
    ///
    /// The server never answers it. TIM_UPDATE_FRIEND_GROUP_STATUS_GET_SDKAPPID_FAILED.
    public static let groupUpdateAppNotRead = FriendStatus(rawValue: 32511)
    /// The user to put into a group that exists is not a friend.
    ///
    /// Only AddFriendsToGroup answers it: while a group is created it is NOT_FRIEND, and for a
    /// deletion NO_FRIEND. TIM_UPDATE_FRIEND_GROUP_STATUS_ADD_NOT_FRIEND.
    public static let groupUpdateNotFriend = FriendStatus(rawValue: 32518)
    /// The user to put into a group is in it already.
    ///
    /// TIM_UPDATE_FRIEND_GROUP_STATUS_ADD_ALREADY_IN_GROUP.
    public static let alreadyInGroup = FriendStatus(rawValue: 32519)
    /// The user to take out of a group is not in it.
    ///
    /// TIM_UPDATE_FRIEND_GROUP_STATUS_DEL_NOT_IN_GROUP.
    public static let notInGroup = FriendStatus(rawValue: 32520)
    /// The app's own hook refuses it.
    ///
    /// The hook may answer any other code up to 39000 instead, which is passed on.
    public static let refusedByHook = FriendStatus(rawValue: 38000)

    public static let schema = EnumSchema(
        "relation.v1.FriendStatus",
        codes: [
            (
                success.rawValue, "FRIEND_STATUS_SUCC",
                "Done."
            ),
            (
                invalidParameter.rawValue, "FRIEND_STATUS_PARAM_INVALID",
                "A field is malformed, or the state forbids the change: the reason "
                    + "tells."
            ),
            (
                accountNotFound.rawValue, "FRIEND_STATUS_ACCOUNT_NOT_FOUND",
                "The other user is not an account of the app."
            ),
            (
                adminRequired.rawValue, "FRIEND_STATUS_ADMIN_REQUIRED",
                "Only an administrator may do this for that user."
            ),
            (
                sensitiveText.rawValue, "FRIEND_STATUS_SENSITIVE_TEXT",
                "A text holds a word that the app forbids."
            ),
            (
                addDenied.rawValue, "FRIEND_STATUS_ADD_FRIEND_DENY",
                "The administrator forbids the caller to add friends."
            ),
            (
                selfFriendFull.rawValue, "FRIEND_STATUS_SELF_FRIEND_FULL",
                "The caller's friend list is full."
            ),
            (
                groupLimit.rawValue, "FRIEND_STATUS_MAX_GROUPS_EXCEED",
                "The caller has as many friend groups as the app allows."
            ),
            (
                pendencyLimit.rawValue, "FRIEND_STATUS_PENDENCY_LIMIT",
                "One side has as many waiting applications as the app allows."
            ),
            (
                theirFriendFull.rawValue, "FRIEND_STATUS_THEIR_FRIEND_FULL",
                "The other user's friend list is full."
            ),
            (
                inSelfBlacklist.rawValue, "FRIEND_STATUS_IN_SELF_BLACK_LIST",
                "The caller has blacklisted the other user."
            ),
            (
                friendSideForbidsAdd.rawValue, "FRIEND_STATUS_FRIEND_SIDE_FORBID_ADD",
                "The other user does not let anyone add it."
            ),
            (
                inOtherSideBlacklist.rawValue, "FRIEND_STATUS_IN_OTHER_SIDE_BLACK_LIST",
                "The other user has blacklisted the caller."
            ),
            (
                pending.rawValue, "FRIEND_STATUS_PENDING",
                "An application was made or renewed, and waits for the other user."
            ),
            (
                addRestricted.rawValue, "FRIEND_STATUS_ADD_FRIEND_SEC_RSTR",
                "The app lets the caller not add the user now: there were too many applications, "
                    + "a refusal, or the account is new."
            ),
            (
                noApplication.rawValue, "FRIEND_STATUS_NO_REQ",
                "No application of that user waits for the caller."
            ),
            (
                blacklistFull.rawValue, "FRIEND_STATUS_BLACKLIST_LIMIT",
                "The caller's blacklist is full."
            ),
            (
                alreadyInBlacklist.rawValue, "FRIEND_STATUS_IN_BLACK_LIST",
                "The user is on the caller's blacklist already."
            ),
            (
                notInBlacklist.rawValue, "FRIEND_STATUS_NOT_IN_BLACK_LIST",
                "The user is not on the caller's blacklist."
            ),
            (
                notFriend.rawValue, "FRIEND_STATUS_NO_FRIEND",
                "None of the rows to delete exists."
            ),
            (
                writePermissionRequired.rawValue, "FRIEND_STATUS_WRITE_PERMISSION_REQUIRED",
                "Only an administrator may write the custom field."
            ),
            (
                tagNotFound.rawValue, "FRIEND_STATUS_TAG_NOT_FOUND",
                "The app has no custom field of that name."
            ),
            (
                groupAddAppNotRead.rawValue, "FRIEND_STATUS_ADD_FRIEND_GROUP_GET_SDKAPPID_FAILED",
                "TIM's: a group is created, and the user's app cannot be read; never answered "
                    + "here."
            ),
            (
                groupAddNotFriend.rawValue, "FRIEND_STATUS_NOT_FRIEND",
                "The user to put into a group that is being created is not a friend."
            ),
            (
                groupUpdateAppNotRead.rawValue,
                "FRIEND_STATUS_UPDATE_FRIEND_GROUP_GET_SDKAPPID_FAILED",
                "TIM's: a group is changed, and the user's app cannot be read; never answered "
                    + "here."
            ),
            (
                groupUpdateNotFriend.rawValue, "FRIEND_STATUS_ADD_NOT_FRIEND",
                "The user to put into a group that exists is not a friend."
            ),
            (
                alreadyInGroup.rawValue, "FRIEND_STATUS_ADD_ALREADY_IN_GROUP",
                "The user to put into the group is in it already."
            ),
            (
                notInGroup.rawValue, "FRIEND_STATUS_DEL_NOT_IN_GROUP",
                "The user to take out of the group is not in it."
            ),
            (
                refusedByHook.rawValue, "FRIEND_STATUS_REFUSED_BY_HOOK",
                "The app's own hook refuses it; the hook may have another code up to 39000."
            ),
        ],
        spelled: [
            success.rawValue: "success",
            invalidParameter.rawValue: "invalidParameter",
            addDenied.rawValue: "addDenied",
            groupLimit.rawValue: "groupLimit",
            inSelfBlacklist.rawValue: "inSelfBlacklist",
            friendSideForbidsAdd.rawValue: "friendSideForbidsAdd",
            inOtherSideBlacklist.rawValue: "inOtherSideBlacklist",
            addRestricted.rawValue: "addRestricted",
            noApplication.rawValue: "noApplication",
            blacklistFull.rawValue: "blacklistFull",
            alreadyInBlacklist.rawValue: "alreadyInBlacklist",
            notInBlacklist.rawValue: "notInBlacklist",
            notFriend.rawValue: "notFriend",
            groupAddAppNotRead.rawValue: "groupAddAppNotRead",
            groupAddNotFriend.rawValue: "groupAddNotFriend",
            groupUpdateAppNotRead.rawValue: "groupUpdateAppNotRead",
            groupUpdateNotFriend.rawValue: "groupUpdateNotFriend",
            alreadyInGroup.rawValue: "alreadyInGroup",
            notInGroup.rawValue: "notInGroup",
            refusedByHook.rawValue: "refusedByHook",
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
