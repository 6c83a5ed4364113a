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
        /// `report_time_ms` is negative, or more than a minute ahead.
        public static let timeIllegal = Reason(rawValue: 3207)
        /// This is not a refusal: a later report of the device was taken before.
        public static let outdated = Reason(rawValue: 3208)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_PresenceReport_UserId_Illegal", "30001", .userIDIllegal,
                .correctID),
            Entry(
                deviceIDIllegal, "Err_PresenceReport_DeviceId_Illegal", "30001",
                "`device_id` is empty or too long.", .correctIt),
            Entry(
                platformIllegal, "Err_PresenceReport_Platform_Illegal", "30001",
                "`platform` is too long.", .correctIt),
            Entry(
                leaseIllegal, "Err_PresenceReport_Lease_Illegal", "30001",
                "`lease_seconds` is out of its bounds.", .correctIt),
            Entry(
                duplicate, "Err_PresenceReport_Duplicate", "30001",
                "the same device stands earlier in the request, with other content.",
                "Send each device once."),
            Entry(
                accountNotExist, "Err_PresenceReport_Account_Not_Exist", "30003", .noAccount,
                .importAccount),
            Entry(
                onlineIllegal, "Err_PresenceReport_Online_Illegal", "30001",
                "`online` is not given.", .correctIt),
            Entry(
                timeIllegal, "Err_PresenceReport_Time_Illegal", "30001",
                "`report_time_ms` is negative, or more than a minute ahead.", .correctIt),
            Entry(
                outdated, "Err_PresenceReport_Outdated", "0",
                "this is not a refusal: a later report of the device was taken before.",
                .takeAsDone),
        ].sent(by: "ReportPresence")
    }

    /// The reasons of GetPresence.
    public enum PresenceGet {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 3300)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 3301)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_PresenceGet_UserId_Illegal", "30001", .userIDIllegal, .correctID
            ),
            Entry(
                accountNotExist, "Err_PresenceGet_Account_Not_Exist", "30003", .noAccount, .dropUser
            ),
        ].sent(by: "GetPresence")
    }

    /// The reasons of SetStatus.
    public enum StatusSet {
        /// The text is too long.
        public static let textIllegal = Reason(rawValue: 4400)
        /// A text holds a word that the app forbids.
        public static let sensitiveText = Reason(rawValue: 4401)

        static let entries: [Entry] = [
            Entry(
                textIllegal, "Err_StatusSet_Text_Illegal", "30001", "the text is too long.",
                .shorten),
            Entry(
                sensitiveText, "Err_StatusSet_Sensitive_Text", "30005", .forbiddenWord,
                .askForText),
        ].sent(by: "SetStatus")
    }
}
