/// The reasons of the calls on permissions.
extension Reason {
    /// The reasons of GrantPermissions.
    public enum ConsentGrant {
        /// The name of the permission is malformed.
        public static let permissionIllegal = Reason(rawValue: 2500)
        /// The app has no such permission.
        public static let permissionNotExist = Reason(rawValue: 2501)

        static let entries: [Entry] = [
            Entry(
                permissionIllegal, "Err_Consent_Grant_Permission_Illegal", "40001",
                .permissionIllegal, .correctIt),
            Entry(
                permissionNotExist, "Err_Consent_Grant_Permission_Not_Exist", "40009",
                .noPermission, .defineFirst),
        ].sent(by: "GrantPermissions")
    }

    /// The reasons of DeclinePermissions.
    public enum ConsentDecline {
        /// The name of the permission is malformed.
        public static let permissionIllegal = Reason(rawValue: 2600)
        /// The app has no such permission.
        public static let permissionNotExist = Reason(rawValue: 2601)
        /// The permission is `public_profile`, which cannot be declined.
        public static let permissionBasic = Reason(rawValue: 2602)

        static let entries: [Entry] = [
            Entry(
                permissionIllegal, "Err_Consent_Decline_Permission_Illegal", "40001",
                .permissionIllegal, .correctIt),
            Entry(
                permissionNotExist, "Err_Consent_Decline_Permission_Not_Exist", "40009",
                .noPermission, .defineFirst),
            Entry(
                permissionBasic, "Err_Consent_Decline_Permission_Basic", "40605",
                "the permission is `public_profile`, which cannot be declined.", .leaveOut),
        ].sent(by: "DeclinePermissions")
    }

    /// The reasons of RevokePermissions.
    public enum ConsentRevoke {
        /// The name of the permission is malformed.
        public static let permissionIllegal = Reason(rawValue: 2700)
        /// The app has no such permission.
        public static let permissionNotExist = Reason(rawValue: 2701)
        /// The permission is `public_profile`, which only goes together with all others.
        public static let permissionBasic = Reason(rawValue: 2702)

        static let entries: [Entry] = [
            Entry(
                permissionIllegal, "Err_Consent_Revoke_Permission_Illegal", "40001",
                .permissionIllegal, .correctIt),
            Entry(
                permissionNotExist, "Err_Consent_Revoke_Permission_Not_Exist", "40009",
                .noPermission, .defineFirst),
            Entry(
                permissionBasic, "Err_Consent_Revoke_Permission_Basic", "40605",
                "the permission is `public_profile`, which only goes together with all others.",
                "Revoke all."),
        ].sent(by: "RevokePermissions")
    }
}
