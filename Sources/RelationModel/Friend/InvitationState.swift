public import Protobuf

/// Whether an invitation is good, or how it ended.
public struct InvitationState: OpenEnum, Scalar {
    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Never sent.
    public static let unspecified = InvitationState(rawValue: 0)
    /// It may be used.
    public static let active = InvitationState(rawValue: 1)
    /// Its inviter revoked it.
    public static let revoked = InvitationState(rawValue: 2)
    /// As many users as it allows have used it.
    public static let usedUp = InvitationState(rawValue: 3)
    /// Its time is over.
    public static let expired = InvitationState(rawValue: 4)

    public static let schema = EnumSchema(
        "relation.v1.InvitationState",
        [
            (unspecified.rawValue, "INVITATION_STATE_UNSPECIFIED"),
            (active.rawValue, "INVITATION_STATE_ACTIVE"),
            (revoked.rawValue, "INVITATION_STATE_REVOKED"),
            (usedUp.rawValue, "INVITATION_STATE_USED_UP"),
            (expired.rawValue, "INVITATION_STATE_EXPIRED"),
        ])
}
