/// The reasons of the calls on applications.
extension Reason {
    /// The reasons of RespondToApplications, and of ExplainRespond.
    public enum FriendResponse {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 200)
        /// The remark is too long.
        public static let remarkIllegal = Reason(rawValue: 201)
        /// A group's name is empty or too long, or is given twice.
        public static let groupIllegal = Reason(rawValue: 202)
        /// The same applicant stands earlier in the request, with other content.
        public static let duplicate = Reason(rawValue: 203)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 204)
        /// No application of that user waits for the caller.
        public static let pendencyNotExist = Reason(rawValue: 205)
        /// A text holds a word that the app forbids.
        public static let sensitiveText = Reason(rawValue: 206)
        /// The caller's friend list is full.
        public static let selfFriendFull = Reason(rawValue: 207)
        /// The applicant's friend list is full.
        public static let peerFriendFull = Reason(rawValue: 208)
        /// A custom value is of the wrong kind or too long, or its key is given twice.
        public static let customIllegal = Reason(rawValue: 209)
        /// Only an administrator may write a custom field.
        public static let customNotWritable = Reason(rawValue: 210)
        /// The app has no custom field of that key.
        public static let customTagNotExist = Reason(rawValue: 211)
        /// An application waits that is not the one that `application_id` names.
        public static let applicationChanged = Reason(rawValue: 212)

        private static let both = "RespondToApplications, ExplainRespond"

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_FriendResponse_UserId_Illegal", "30001", .userIDIllegal,
                .correctID, calls: both),
            Entry(
                remarkIllegal, "Err_SNS_FriendResponse_Remark_Illegal", "30001", .remarkTooLong,
                .shorten),
            Entry(
                groupIllegal, "Err_SNS_FriendResponse_Group_Illegal", "30001", .groupsIllegal,
                .correctIt),
            Entry(
                duplicate, "Err_SNS_FriendResponse_Duplicate", "30001",
                "the same applicant stands earlier in the request, with other content.",
                "Send each applicant once."),
            Entry(
                accountNotExist, "Err_SNS_FriendResponse_Account_Not_Exist", "30003", .noAccount,
                .importAccount, calls: both),
            Entry(
                pendencyNotExist, "Err_SNS_FriendResponse_Pendency_Not_Exist", "30614",
                "no application of that user waits for the caller.", .readPendencies, calls: both,
                isTIMs: true),
            Entry(
                sensitiveText, "Err_SNS_FriendResponse_Sensitive_Text", "30005", .forbiddenWord,
                .askForText),
            Entry(
                selfFriendFull, "Err_SNS_FriendResponse_My_Friend_Num_Exceed_Threshold", "30010",
                .listFull, .deleteFriends, calls: both),
            Entry(
                peerFriendFull, "Err_SNS_FriendResponse_Peer_Friend_Num_Exceed_Threshold", "30014",
                "the applicant's friend list is full.", "Only the applicant can change this.",
                calls: both),
            Entry(
                customIllegal, "Err_SNS_FriendResponse_Custom_Illegal", "30001", .customIllegal,
                .correctIt),
            Entry(
                customNotWritable, "Err_SNS_FriendResponse_Custom_Write_Permission", "40008",
                .customNotWritable, .needsAdmin),
            Entry(
                customTagNotExist, "Err_SNS_FriendResponse_Custom_Tag_Not_Exist", "40009",
                .noCustomField, .defineField),
            Entry(
                applicationChanged, "Err_SNS_FriendResponse_Application_Changed", "30614",
                "an application waits that is not the one that `application_id` names.",
                .readPendencies, calls: both),
        ].sent(by: "RespondToApplications")
    }

    /// The reasons of DeletePendencies.
    public enum PendencyDelete {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 300)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 301)
        /// No application of the two waits on that side.
        public static let pendencyNotExist = Reason(rawValue: 302)
        /// An application waits that is not the one that `application_ids` names.
        public static let applicationChanged = Reason(rawValue: 303)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_PendencyDelete_UserId_Illegal", "30001", .userIDIllegal,
                .correctID),
            Entry(
                accountNotExist, "Err_SNS_PendencyDelete_Account_Not_Exist", "30003", .noAccount,
                .importAccount),
            Entry(
                pendencyNotExist, "Err_SNS_PendencyDelete_Pendency_Not_Exist", "30614",
                .noApplication, .readPendencies),
            Entry(
                applicationChanged, "Err_SNS_PendencyDelete_Application_Changed", "30614",
                .otherApplication, .readPendencies),
        ].sent(by: "DeletePendencies")
    }

    /// The reasons of WithdrawApplications.
    public enum ApplicationWithdraw {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 400)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 401)
        /// No application of the two waits on that side.
        public static let pendencyNotExist = Reason(rawValue: 402)
        /// An application waits that is not the one that `application_ids` names.
        public static let applicationChanged = Reason(rawValue: 403)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_ApplicationWithdraw_UserId_Illegal", "30001",
                .userIDIllegal, .correctID),
            Entry(
                accountNotExist, "Err_SNS_ApplicationWithdraw_Account_Not_Exist", "30003",
                .noAccount, .importAccount),
            Entry(
                pendencyNotExist, "Err_SNS_ApplicationWithdraw_Pendency_Not_Exist", "30614",
                .noApplication, .readPendencies),
            Entry(
                applicationChanged, "Err_SNS_ApplicationWithdraw_Application_Changed", "30614",
                .otherApplication, .readPendencies),
        ].sent(by: "WithdrawApplications")
    }
}
