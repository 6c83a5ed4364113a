package import Protobuf

/// Every call of the contract, in its order.
///
/// The router registers these calls, reflection serves them, and the command line knows them.
package enum ServiceTable {
    package static let all: [AnyMethod] =
        [
            ProfileMethods.all,
            FriendMethods.all,
            ApplicationMethods.all,
            BlacklistMethods.all,
            GroupMethods.all,
            SubscriptionMethods.all,
            FollowMethods.all,
            InvitationMethods.all,
            PresenceMethods.all,
            AppMethods.all,
            ChangeMethods.all,
            ConsentMethods.all,
            AccountMethods.all,
            ModerationMethods.all,
            MaintenanceMethods.all,
            BackupMethods.all,
            HookMethods.all,
        ].flatMap(\.self)
}
