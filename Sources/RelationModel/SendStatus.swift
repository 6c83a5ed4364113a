public import Protobuf

/// Whether a message may be sent: the numbers of Tencent IM's message gate, and of what is wrong
/// with a receiver.
public struct SendStatus: OpenEnum {
    /// The message may be sent.
    public static let success = SendStatus(rawValue: 0)
    /// The sender is on the receiver's blacklist.
    public static let inPeerBlacklist = SendStatus(rawValue: 20007)
    /// Neither has the other as a friend, and the app asks for that.
    public static let notFriend = SendStatus(rawValue: 20009)
    /// The sender is not in the receiver's friend list, and the app asks for that.
    public static let notPeerFriend = SendStatus(rawValue: 20010)
    /// The receiver is not in the sender's friend list, and the app asks for that.
    public static let notSelfFriend = SendStatus(rawValue: 20011)
    /// The receiver's identifier is malformed.
    public static let invalidParameter = SendStatus(rawValue: 30001)
    /// The receiver is no account of the app.
    public static let accountNotFound = SendStatus(rawValue: 30003)

    public static let schema = EnumSchema(
        "relation.v1.SendStatus",
        [
            (success.rawValue, "SEND_STATUS_SUCC"),
            (inPeerBlacklist.rawValue, "SEND_STATUS_IN_PEER_BLACKLIST"),
            (notFriend.rawValue, "SEND_STATUS_NOT_FRIEND"),
            (notPeerFriend.rawValue, "SEND_STATUS_NOT_PEER_FRIEND"),
            (notSelfFriend.rawValue, "SEND_STATUS_NOT_SELF_FRIEND"),
            (invalidParameter.rawValue, "SEND_STATUS_PARAM_INVALID"),
            (accountNotFound.rawValue, "SEND_STATUS_ACCOUNT_NOT_FOUND"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
