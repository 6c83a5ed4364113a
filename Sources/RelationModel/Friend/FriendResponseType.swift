public import Protobuf

/// The answer to a friend application.
///
/// Zero is a value with an effect, so a request that carries it says so (`optional`).
public struct FriendResponseType: OpenEnum, Scalar {
    /// The applicant gets the responder as a friend, and nothing more.
    public static let agree = FriendResponseType(rawValue: 0)
    /// The two get each other as friends.
    public static let agreeAndAdd = FriendResponseType(rawValue: 1)
    /// The application ends; no row is written.
    public static let reject = FriendResponseType(rawValue: 2)

    public static let schema = EnumSchema(
        "relation.v1.FriendResponseType",
        [
            (agree.rawValue, "FRIEND_RESPONSE_TYPE_AGREE"),
            (agreeAndAdd.rawValue, "FRIEND_RESPONSE_TYPE_AGREE_AND_ADD"),
            (reject.rawValue, "FRIEND_RESPONSE_TYPE_REJECT"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
