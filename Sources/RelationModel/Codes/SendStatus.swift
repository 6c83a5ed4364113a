public import Protobuf

/// Whether a message may be sent, or what is wrong with the receiver.
///
/// The numbers are those of Tencent IM's message gate.
public struct SendStatus: OpenEnum, Scalar {
    /// The message may be sent.
    public static let success = SendStatus(rawValue: 0)
    /// The sender is on the receiver's blacklist.
    ///
    /// ERR_SVR_MSG_IN_PEER_BLACKLIST.
    public static let inPeerBlacklist = SendStatus(rawValue: 20007)
    /// The app requires a friendship, and neither user has the other as a friend.
    ///
    /// ERR_SVR_MSG_NOT_FRIEND.
    public static let notFriend = SendStatus(rawValue: 20009)
    /// The app requires a friendship, and the sender is not in the receiver's list.
    ///
    /// ERR_SVR_MSG_NOT_PEER_FRIEND.
    public static let notPeerFriend = SendStatus(rawValue: 20010)
    /// The app requires a friendship, and the receiver is not in the sender's list.
    ///
    /// ERR_SVR_MSG_NOT_SELF_FRIEND.
    public static let notSelfFriend = SendStatus(rawValue: 20011)
    /// The sender is suspended.
    ///
    /// ERR_SVR_MSG_SHUTUP_DENY.
    public static let shutUp = SendStatus(rawValue: 20012)
    /// The receiver's id is malformed.
    ///
    /// The number is that of FRIEND_STATUS_PARAM_INVALID.
    public static let invalidParameter = SendStatus(rawValue: 30001)
    /// The receiver is not an account of the app.
    ///
    /// The number is that of FRIEND_STATUS_ACCOUNT_NOT_FOUND.
    public static let accountNotFound = SendStatus(rawValue: 30003)

    public static let schema = EnumSchema(
        "relation.v1.SendStatus",
        codes: [
            (
                success.rawValue, "SEND_STATUS_SUCC",
                "The message may be sent."
            ),
            (
                inPeerBlacklist.rawValue, "SEND_STATUS_IN_PEER_BLACKLIST",
                "The sender is on the receiver's blacklist."
            ),
            (
                notFriend.rawValue, "SEND_STATUS_NOT_FRIEND",
                "Neither has the other as a friend, and the app requires it."
            ),
            (
                notPeerFriend.rawValue, "SEND_STATUS_NOT_PEER_FRIEND",
                "The sender is not in the receiver's friend list, and the app requires "
                    + "it."
            ),
            (
                notSelfFriend.rawValue, "SEND_STATUS_NOT_SELF_FRIEND",
                "The receiver is not in the sender's friend list, and the app requires "
                    + "it."
            ),
            (
                shutUp.rawValue, "SEND_STATUS_SHUTUP_DENY",
                "The sender is suspended."
            ),
            (
                invalidParameter.rawValue, "SEND_STATUS_PARAM_INVALID",
                "The receiver's identifier is malformed."
            ),
            (
                accountNotFound.rawValue, "SEND_STATUS_ACCOUNT_NOT_FOUND",
                "The receiver is not an account of the app."
            ),
        ],
        spelled: [
            success.rawValue: "success",
            shutUp.rawValue: "shutUp",
            invalidParameter.rawValue: "invalidParameter",
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
