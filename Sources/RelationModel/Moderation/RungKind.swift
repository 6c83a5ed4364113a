public import Protobuf

/// A question that a rule asks.
///
/// The caller is the user for whom the explained call would be made, the peer the other one.
public struct RungKind: OpenEnum, Scalar {
    /// Never sent.
    public static let unspecified = RungKind(rawValue: 0)
    /// Whether the caller is an account.
    public static let ownAccount = RungKind(rawValue: 1)
    /// Whether the peer's id is well-formed.
    public static let peerID = RungKind(rawValue: 2)
    /// Whether the caller is suspended.
    public static let ownSuspension = RungKind(rawValue: 3)
    /// Whether the peer is an account.
    public static let peerAccount = RungKind(rawValue: 4)
    /// Whether the peer has the caller on its blacklist.
    public static let peerBlacklist = RungKind(rawValue: 5)
    /// Whether the app requires a friendship; it never does of a user and itself.
    public static let friendshipRequired = RungKind(rawValue: 6)
    /// Whether each has the other as a friend.
    public static let friendship = RungKind(rawValue: 7)
    /// Whether the peer has muted the caller, or ignores it.
    ///
    /// It decides no code, and comes last.
    public static let peerMarks = RungKind(rawValue: 8)

    public static let schema = EnumSchema(
        "relation.v1.RungKind",
        [
            (unspecified.rawValue, "RUNG_KIND_UNSPECIFIED"),
            (ownAccount.rawValue, "RUNG_KIND_OWN_ACCOUNT"),
            (peerID.rawValue, "RUNG_KIND_PEER_ID"),
            (ownSuspension.rawValue, "RUNG_KIND_OWN_SUSPENSION"),
            (peerAccount.rawValue, "RUNG_KIND_PEER_ACCOUNT"),
            (peerBlacklist.rawValue, "RUNG_KIND_PEER_BLACKLIST"),
            (friendshipRequired.rawValue, "RUNG_KIND_FRIENDSHIP_REQUIRED"),
            (friendship.rawValue, "RUNG_KIND_FRIENDSHIP"),
            (peerMarks.rawValue, "RUNG_KIND_PEER_MARKS"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
