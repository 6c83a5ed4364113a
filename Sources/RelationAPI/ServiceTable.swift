public import Protobuf

/// Every call of the contract, in its order.
///
/// The router registers these calls, reflection serves them, and the command line knows them.
public enum ServiceTable {
    public static let all: [AnyMethod] =
        [
            ProfileMethods.all,
            FriendMethods.all,
            ApplicationMethods.all,
            BlacklistMethods.all,
            GroupMethods.all,
            SubscriptionMethods.all,
            PresenceMethods.all,
            AppMethods.all,
            ChangeMethods.all,
            ConsentMethods.all,
            AccountMethods.all,
            MaintenanceMethods.all,
        ].flatMap(\.self)
}
