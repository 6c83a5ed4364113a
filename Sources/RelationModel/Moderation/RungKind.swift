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
    /// Whether a suspension of the caller forbids the call; of AddFriends and Follow, one that is
    /// LIMITED does too.
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
    /// Whether a hook is asked before the rule looks at rows.
    ///
    /// It decides no code: the hook is not called.
    public static let hook = RungKind(rawValue: 9)
    /// Whether the peer is another user than the caller.
    public static let otherUser = RungKind(rawValue: 10)
    /// Whether the peer is suspended.
    public static let peerSuspension = RungKind(rawValue: 11)
    /// Whether an administrator forbids the caller to add friends.
    public static let addForbidden = RungKind(rawValue: 12)
    /// Whether the caller has the peer on its blacklist.
    public static let ownBlacklist = RungKind(rawValue: 13)
    /// Whether a row that the call would make is missing.
    public static let missingRow = RungKind(rawValue: 14)
    /// Whether the peer's own application waits for the caller.
    ///
    /// It decides no code.
    public static let peerApplication = RungKind(rawValue: 15)
    /// Whether the peer lets other users add it.
    public static let peerAllowType = RungKind(rawValue: 16)
    /// Whether the caller's account is old enough to add others.
    public static let quarantine = RungKind(rawValue: 17)
    /// Whether the caller may send one more application in this window of
    /// `applications_window_ms`.
    public static let applicationsSent = RungKind(rawValue: 18)
    /// Whether the time after a refusal by the peer is over.
    public static let cooldown = RungKind(rawValue: 19)
    /// Whether one more application may come in to the peer in this window of
    /// `applications_received_window_ms`.
    public static let applicationsReceived = RungKind(rawValue: 20)
    /// Whether the caller's list of applications has room.
    public static let ownApplicationRoom = RungKind(rawValue: 21)
    /// Whether the peer's list of applications has room.
    public static let peerApplicationRoom = RungKind(rawValue: 22)
    /// Whether the caller's list of friends has room.
    public static let ownFriendRoom = RungKind(rawValue: 23)
    /// Whether the peer's list of friends has room.
    public static let peerFriendRoom = RungKind(rawValue: 24)
    /// Whether the caller does not follow the peer yet.
    public static let missingFollow = RungKind(rawValue: 25)
    /// Whether the caller may follow one more user.
    public static let ownFollowingRoom = RungKind(rawValue: 26)
    /// Whether the peer may have one more follower.
    public static let peerFollowerRoom = RungKind(rawValue: 27)
    /// Whether the caller may have one more mutual follow.
    public static let ownMutualRoom = RungKind(rawValue: 28)
    /// Whether the peer may have one more mutual follow.
    public static let peerMutualRoom = RungKind(rawValue: 29)
    /// Whether the call would write: nothing stands in its way.
    public static let write = RungKind(rawValue: 30)
    /// Whether the caller's blacklist has room.
    public static let ownBlacklistRoom = RungKind(rawValue: 31)
    /// Whether an application of the peer waits for the caller.
    public static let waitingApplication = RungKind(rawValue: 32)
    /// Whether that application is the one that the call names.
    public static let meantApplication = RungKind(rawValue: 33)
    /// Whether there is an invitation of that id that was not revoked.
    public static let invitation = RungKind(rawValue: 34)
    /// Whether the invitation has not expired.
    public static let invitationTime = RungKind(rawValue: 35)
    /// Whether the invitation has a use left, or the caller has used it before.
    public static let invitationUses = RungKind(rawValue: 36)
    /// Whether the inviter, who is the peer, is suspended.
    public static let inviterSuspension = RungKind(rawValue: 37)
    /// Whether users may read the field: the app has it, and not for administrators alone.
    public static let readableField = RungKind(rawValue: 38)
    /// Whether other users than its own may read the field.
    public static let privateField = RungKind(rawValue: 39)
    /// Whether the field is another one than the nick and the portrait, which everyone sees.
    public static let cardField = RungKind(rawValue: 40)
    /// Whether the peer has left open who sees the field.
    public static let fieldChoice = RungKind(rawValue: 41)
    /// Whether the app has left open who sees the field.
    public static let fieldDefault = RungKind(rawValue: 42)
    /// Whether the profile as a whole is for the caller.
    public static let profileAudience = RungKind(rawValue: 43)
    /// Whether a new value of the field is under review.
    ///
    /// It decides nothing.
    public static let fieldReview = RungKind(rawValue: 44)
    /// Whether the field has a value.
    ///
    /// It decides nothing.
    public static let fieldValue = RungKind(rawValue: 45)
    /// Whether the peer's log has the event.
    public static let loggedEvent = RungKind(rawValue: 46)
    /// Whether events of the kind come to the caller's stream.
    public static let eventKind = RungKind(rawValue: 47)
    /// Whether the caller has the peer as a friend, or subscribes to its profile.
    public static let eventReceiver = RungKind(rawValue: 48)
    /// Whether the event shows the caller anything.
    public static let eventField = RungKind(rawValue: 49)

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
            (hook.rawValue, "RUNG_KIND_HOOK"),
            (otherUser.rawValue, "RUNG_KIND_OTHER_USER"),
            (peerSuspension.rawValue, "RUNG_KIND_PEER_SUSPENSION"),
            (addForbidden.rawValue, "RUNG_KIND_ADD_FORBIDDEN"),
            (ownBlacklist.rawValue, "RUNG_KIND_OWN_BLACKLIST"),
            (missingRow.rawValue, "RUNG_KIND_MISSING_ROW"),
            (peerApplication.rawValue, "RUNG_KIND_PEER_APPLICATION"),
            (peerAllowType.rawValue, "RUNG_KIND_PEER_ALLOW_TYPE"),
            (quarantine.rawValue, "RUNG_KIND_QUARANTINE"),
            (applicationsSent.rawValue, "RUNG_KIND_APPLICATIONS_SENT"),
            (cooldown.rawValue, "RUNG_KIND_COOLDOWN"),
            (applicationsReceived.rawValue, "RUNG_KIND_APPLICATIONS_RECEIVED"),
            (ownApplicationRoom.rawValue, "RUNG_KIND_OWN_APPLICATION_ROOM"),
            (peerApplicationRoom.rawValue, "RUNG_KIND_PEER_APPLICATION_ROOM"),
            (ownFriendRoom.rawValue, "RUNG_KIND_OWN_FRIEND_ROOM"),
            (peerFriendRoom.rawValue, "RUNG_KIND_PEER_FRIEND_ROOM"),
            (missingFollow.rawValue, "RUNG_KIND_MISSING_FOLLOW"),
            (ownFollowingRoom.rawValue, "RUNG_KIND_OWN_FOLLOWING_ROOM"),
            (peerFollowerRoom.rawValue, "RUNG_KIND_PEER_FOLLOWER_ROOM"),
            (ownMutualRoom.rawValue, "RUNG_KIND_OWN_MUTUAL_ROOM"),
            (peerMutualRoom.rawValue, "RUNG_KIND_PEER_MUTUAL_ROOM"),
            (write.rawValue, "RUNG_KIND_WRITE"),
            (ownBlacklistRoom.rawValue, "RUNG_KIND_OWN_BLACKLIST_ROOM"),
            (waitingApplication.rawValue, "RUNG_KIND_WAITING_APPLICATION"),
            (meantApplication.rawValue, "RUNG_KIND_MEANT_APPLICATION"),
            (invitation.rawValue, "RUNG_KIND_INVITATION"),
            (invitationTime.rawValue, "RUNG_KIND_INVITATION_TIME"),
            (invitationUses.rawValue, "RUNG_KIND_INVITATION_USES"),
            (inviterSuspension.rawValue, "RUNG_KIND_INVITER_SUSPENSION"),
            (readableField.rawValue, "RUNG_KIND_READABLE_FIELD"),
            (privateField.rawValue, "RUNG_KIND_PRIVATE_FIELD"),
            (cardField.rawValue, "RUNG_KIND_CARD_FIELD"),
            (fieldChoice.rawValue, "RUNG_KIND_FIELD_CHOICE"),
            (fieldDefault.rawValue, "RUNG_KIND_FIELD_DEFAULT"),
            (profileAudience.rawValue, "RUNG_KIND_PROFILE_AUDIENCE"),
            (fieldReview.rawValue, "RUNG_KIND_FIELD_REVIEW"),
            (fieldValue.rawValue, "RUNG_KIND_FIELD_VALUE"),
            (loggedEvent.rawValue, "RUNG_KIND_LOGGED_EVENT"),
            (eventKind.rawValue, "RUNG_KIND_EVENT_KIND"),
            (eventReceiver.rawValue, "RUNG_KIND_EVENT_RECEIVER"),
            (eventField.rawValue, "RUNG_KIND_EVENT_FIELD"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
