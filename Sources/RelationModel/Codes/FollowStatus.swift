public import Protobuf

/// The outcome for one user of a call about follows.
///
/// The numbers are those of Tencent IM.
public struct FollowStatus: OpenEnum, Scalar {
    /// Done.
    public static let success = FollowStatus(rawValue: 0)
    /// The other user's id is malformed, or is the caller's own.
    public static let invalidParameter = FollowStatus(rawValue: 30001)
    /// The other user is not an account of the app.
    public static let accountNotFound = FollowStatus(rawValue: 30003)
    /// The other user is on the caller's blacklist.
    public static let inSelfBlacklist = FollowStatus(rawValue: 30515)
    /// The caller is on the other user's blacklist.
    public static let inOtherSideBlacklist = FollowStatus(rawValue: 30525)
    /// The other user is suspended.
    public static let addRestricted = FollowStatus(rawValue: 30540)
    /// The caller follows as many users as the app allows.
    public static let followingFull = FollowStatus(rawValue: 32100)
    /// The other user has as many followers as the app allows.
    public static let followersFull = FollowStatus(rawValue: 32101)
    /// The caller has as many mutual follows as the app allows.
    public static let selfMutualFull = FollowStatus(rawValue: 32102)
    /// The other user has as many mutual follows as the app allows.
    public static let theirMutualFull = FollowStatus(rawValue: 32103)
    /// The app's own hook refuses it.
    ///
    /// The hook may answer any other code up to 39000 instead, which is passed on.
    public static let refusedByHook = FollowStatus(rawValue: 38000)

    public static let schema = EnumSchema(
        "relation.v1.FollowStatus",
        codes: [
            (
                success.rawValue, "FOLLOW_STATUS_SUCC",
                "Done."
            ),
            (
                invalidParameter.rawValue, "FOLLOW_STATUS_PARAM_INVALID",
                "The other user's id is malformed, or is the caller's own."
            ),
            (
                accountNotFound.rawValue, "FOLLOW_STATUS_ACCOUNT_NOT_FOUND",
                "The other user is not an account of the app."
            ),
            (
                inSelfBlacklist.rawValue, "FOLLOW_STATUS_IN_SELF_BLACK_LIST",
                "The other user is on the caller's blacklist."
            ),
            (
                inOtherSideBlacklist.rawValue, "FOLLOW_STATUS_IN_OTHER_SIDE_BLACK_LIST",
                "The caller is on the other user's blacklist."
            ),
            (
                addRestricted.rawValue, "FOLLOW_STATUS_ADD_FRIEND_SEC_RSTR",
                "The other user is suspended."
            ),
            (
                followingFull.rawValue, "FOLLOW_STATUS_FOLLOWING_LIMIT",
                "The caller follows as many users as the app allows."
            ),
            (
                followersFull.rawValue, "FOLLOW_STATUS_FOLLOWERS_LIMIT",
                "The other user has as many followers as the app allows."
            ),
            (
                selfMutualFull.rawValue, "FOLLOW_STATUS_SELF_MUTUAL_LIMIT",
                "The caller has as many mutual follows as the app allows."
            ),
            (
                theirMutualFull.rawValue, "FOLLOW_STATUS_THEIR_MUTUAL_LIMIT",
                "The other user has as many mutual follows as the app allows."
            ),
            (
                refusedByHook.rawValue, "FOLLOW_STATUS_REFUSED_BY_HOOK",
                "The app's own hook refuses it; the hook may have another code up to 39000."
            ),
        ],
        spelled: [
            success.rawValue: "success",
            invalidParameter.rawValue: "invalidParameter",
            inSelfBlacklist.rawValue: "inSelfBlacklist",
            inOtherSideBlacklist.rawValue: "inOtherSideBlacklist",
            addRestricted.rawValue: "addRestricted",
            followingFull.rawValue: "followingFull",
            followersFull.rawValue: "followersFull",
            selfMutualFull.rawValue: "selfMutualFull",
            theirMutualFull.rawValue: "theirMutualFull",
            refusedByHook.rawValue: "refusedByHook",
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
