// Rows that stand once in their list, each with its id, for programs that keep rows by ids.

extension Account: Identifiable {
    /// The user's id.
    public var id: String { userID }
}

extension AppFriend: Identifiable {
    /// The friend.
    public var id: String { userID }
}

extension AuditRecord: Identifiable {
    /// The number of the record in its audit.
    public var id: Int64 { sequence }
}

extension Backup: Identifiable {
    /// The name of the backup.
    public var id: String { name }
}

extension BlacklistEntry: Identifiable {
    /// The user that is blocked.
    public var id: String { userID }
}

extension ClientAppDescription: Identifiable {
    /// The client app's id.
    public var id: String { clientAppID }
}

extension Consumer: Identifiable {
    /// The name of the consumer.
    public var id: String { consumer }
}

extension Credential: Identifiable {
    /// The public part of the credential.
    public var id: String { credentialID }
}

extension DevicePresence: Identifiable {
    /// The device's id.
    public var id: String { deviceID }
}

extension DismissedSuggestion: Identifiable {
    /// The user that was dismissed.
    public var id: String { userID }
}

extension FollowEntry: Identifiable {
    /// The other user.
    public var id: String { userID }
}

extension FoundUser: Identifiable {
    /// The user that was found.
    public var id: String { userID }
}

extension Friend: Identifiable {
    /// The friend.
    public var id: String { userID }
}

extension FriendApplication: Identifiable {
    /// The application's id, the same on both sides.
    public var id: String { applicationID }
}

extension FriendGroup: Identifiable {
    /// The name of the group.
    public var id: String { name }
}

extension FriendSuggestion: Identifiable {
    /// The user that is suggested.
    public var id: String { userID }
}

extension HistoryEntry: Identifiable {
    /// The position of the entry.
    public var id: Int64 { position }
}

extension Hook: Identifiable {
    /// The id of the webhook.
    public var id: String { hookID }
}

extension Invitation: Identifiable {
    /// The id of the invitation.
    public var id: String { invitationID }
}

extension OperatorKey: Identifiable {
    /// The public part of the key.
    public var id: String { credentialID }
}

extension PermissionDefinition: Identifiable {
    /// The name of the permission.
    public var id: String { name }
}

extension Presence: Identifiable {
    /// The user whose presence it is.
    public var id: String { userID }
}

extension Profile: Identifiable {
    /// The user whose profile it is.
    public var id: String { userID }
}

extension ProfileReview: Identifiable {
    /// The id of the review.
    public var id: String { reviewID }
}

extension ReverseFriend: Identifiable {
    /// The user that has the other one as a friend.
    public var id: String { userID }
}

extension Suspension: Identifiable {
    /// The user that is suspended.
    public var id: String { userID }
}

extension UserPermission: Identifiable {
    /// The name of the permission.
    public var id: String { name }
}

extension UserReport: Identifiable {
    /// The id of the report.
    public var id: String { reportID }
}

extension AppDescription: Identifiable {
    /// The app's number.
    public var id: UInt32 { appID }
}

extension HookFailure: Identifiable {
    /// The number of the failure.
    public var id: Int64 { number }
}
