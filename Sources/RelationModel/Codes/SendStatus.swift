public import Protobuf

/// Whether a message may be sent, or what is wrong with the receiver.
///
/// The numbers are those of Tencent IM's message gate.
public struct SendStatus: OpenEnum {
    public static let success = SendStatus(rawValue: 0)
    public static let inPeerBlacklist = SendStatus(rawValue: 20007)
    public static let notFriend = SendStatus(rawValue: 20009)
    public static let notPeerFriend = SendStatus(rawValue: 20010)
    public static let notSelfFriend = SendStatus(rawValue: 20011)
    public static let invalidParameter = SendStatus(rawValue: 30001)
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
                invalidParameter.rawValue, "SEND_STATUS_PARAM_INVALID",
                "The receiver's identifier is malformed."
            ),
            (
                accountNotFound.rawValue, "SEND_STATUS_ACCOUNT_NOT_FOUND",
                "The receiver is no account of the app."
            ),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
