/// The reasons of the calls on presence.
extension Reason {
    /// The reasons of ReportPresence.
    public enum PresenceReport {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 3200)
        /// `device_id` is empty or too long.
        public static let deviceIDIllegal = Reason(rawValue: 3201)
        /// `platform` is too long.
        public static let platformIllegal = Reason(rawValue: 3202)
        /// `lease_seconds` is out of its bounds.
        public static let leaseIllegal = Reason(rawValue: 3203)
        /// The same device stands earlier in the request, with other content.
        public static let duplicate = Reason(rawValue: 3204)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 3205)
        /// `online` is not given.
        public static let onlineIllegal = Reason(rawValue: 3206)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_PresenceReport_UserId_Illegal", "ReportPresence", "30001",
                "`user_id` is malformed.", "Correct the id."),
            Entry(
                deviceIDIllegal, "Err_PresenceReport_DeviceId_Illegal", "ReportPresence", "30001",
                "`device_id` is empty or too long.", "Correct it before another try."),
            Entry(
                platformIllegal, "Err_PresenceReport_Platform_Illegal", "ReportPresence", "30001",
                "`platform` is too long.", "Correct it before another try."),
            Entry(
                leaseIllegal, "Err_PresenceReport_Lease_Illegal", "ReportPresence", "30001",
                "`lease_seconds` is out of its bounds.", "Correct it before another try."),
            Entry(
                duplicate, "Err_PresenceReport_Duplicate", "ReportPresence", "30001",
                "the same device stands earlier in the request, with other content.",
                "Send each device once."),
            Entry(
                accountNotExist, "Err_PresenceReport_Account_Not_Exist", "ReportPresence", "30003",
                "the user is no account of the app.",
                "Import the account first, or drop the user."),
            Entry(
                onlineIllegal, "Err_PresenceReport_Online_Illegal", "ReportPresence", "30001",
                "`online` is not given.", "Correct it before another try."),
        ]
    }

    /// The reasons of GetPresence.
    public enum PresenceGet {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 3300)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 3301)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_PresenceGet_UserId_Illegal", "GetPresence", "30001",
                "`user_id` is malformed.", "Correct the id."),
            Entry(
                accountNotExist, "Err_PresenceGet_Account_Not_Exist", "GetPresence", "30003",
                "the user is no account of the app.", "Drop the user."),
        ]
    }
}
