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
                permissionIllegal, "Err_Consent_Grant_Permission_Illegal", "GrantPermissions",
                "40001", "the name of the permission is malformed.",
                "Correct it before another try."),
            Entry(
                permissionNotExist, "Err_Consent_Grant_Permission_Not_Exist", "GrantPermissions",
                "40009", "the app has no such permission.", "Define it first, or leave it out."),
        ]
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
                permissionIllegal, "Err_Consent_Decline_Permission_Illegal", "DeclinePermissions",
                "40001", "the name of the permission is malformed.",
                "Correct it before another try."),
            Entry(
                permissionNotExist, "Err_Consent_Decline_Permission_Not_Exist",
                "DeclinePermissions", "40009", "the app has no such permission.",
                "Define it first, or leave it out."),
            Entry(
                permissionBasic, "Err_Consent_Decline_Permission_Basic", "DeclinePermissions",
                "40605", "the permission is `public_profile`, which cannot be declined.",
                "Leave it out."),
        ]
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
                permissionIllegal, "Err_Consent_Revoke_Permission_Illegal", "RevokePermissions",
                "40001", "the name of the permission is malformed.",
                "Correct it before another try."),
            Entry(
                permissionNotExist, "Err_Consent_Revoke_Permission_Not_Exist", "RevokePermissions",
                "40009", "the app has no such permission.", "Define it first, or leave it out."),
            Entry(
                permissionBasic, "Err_Consent_Revoke_Permission_Basic", "RevokePermissions",
                "40605",
                "the permission is `public_profile`, which only goes together with all others.",
                "Revoke all."),
        ]
    }
}
