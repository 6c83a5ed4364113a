/// The reasons of the calls on applications.
extension Reason {
    /// The reasons of RespondToApplications.
    public enum FriendResponse {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 200)
        /// The remark is too long.
        public static let remarkIllegal = Reason(rawValue: 201)
        /// The name of the group is too long.
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

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_FriendResponse_UserId_Illegal", "RespondToApplications",
                "30001", "`user_id` is malformed.", "Correct the id."),
            Entry(
                remarkIllegal, "Err_SNS_FriendResponse_Remark_Illegal", "RespondToApplications",
                "30001", "the remark is too long.", "Shorten it."),
            Entry(
                groupIllegal, "Err_SNS_FriendResponse_Group_Illegal", "RespondToApplications",
                "30001", "the name of the group is too long.", "Shorten it."),
            Entry(
                duplicate, "Err_SNS_FriendResponse_Duplicate", "RespondToApplications", "30001",
                "the same applicant stands earlier in the request, with other content.",
                "Send each applicant once."),
            Entry(
                accountNotExist, "Err_SNS_FriendResponse_Account_Not_Exist",
                "RespondToApplications", "30003", "the user is no account of the app.",
                "Import the account first, or drop the user."),
            Entry(
                pendencyNotExist, "Err_SNS_FriendResponse_Pendency_Not_Exist",
                "RespondToApplications", "30614",
                "no application of that user waits for the caller.", "Read the pendencies anew.",
                isTIMs: true),
            Entry(
                sensitiveText, "Err_SNS_FriendResponse_Sensitive_Text", "RespondToApplications",
                "30005", "a text holds a word that the app forbids.",
                "Ask the user for another text."),
            Entry(
                selfFriendFull, "Err_SNS_FriendResponse_My_Friend_Num_Exceed_Threshold",
                "RespondToApplications", "30010", "the caller's friend list is full.",
                "Delete friends first."),
            Entry(
                peerFriendFull, "Err_SNS_FriendResponse_Peer_Friend_Num_Exceed_Threshold",
                "RespondToApplications", "30014", "the applicant's friend list is full.",
                "Only the applicant can change this."),
        ]
    }

    /// The reasons of DeletePendencies.
    public enum PendencyDelete {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 300)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 301)
        /// No application of the two waits on that side.
        public static let pendencyNotExist = Reason(rawValue: 302)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_PendencyDelete_UserId_Illegal", "DeletePendencies", "30001",
                "`user_id` is malformed.", "Correct the id."),
            Entry(
                accountNotExist, "Err_SNS_PendencyDelete_Account_Not_Exist", "DeletePendencies",
                "30003", "the user is no account of the app.",
                "Import the account first, or drop the user."),
            Entry(
                pendencyNotExist, "Err_SNS_PendencyDelete_Pendency_Not_Exist", "DeletePendencies",
                "30614", "no application of the two waits on that side.",
                "Read the pendencies anew."),
        ]
    }

    /// The reasons of WithdrawApplications.
    public enum ApplicationWithdraw {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 400)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 401)
        /// No application of the two waits on that side.
        public static let pendencyNotExist = Reason(rawValue: 402)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_ApplicationWithdraw_UserId_Illegal", "WithdrawApplications",
                "30001", "`user_id` is malformed.", "Correct the id."),
            Entry(
                accountNotExist, "Err_SNS_ApplicationWithdraw_Account_Not_Exist",
                "WithdrawApplications", "30003", "the user is no account of the app.",
                "Import the account first, or drop the user."),
            Entry(
                pendencyNotExist, "Err_SNS_ApplicationWithdraw_Pendency_Not_Exist",
                "WithdrawApplications", "30614", "no application of the two waits on that side.",
                "Read the pendencies anew."),
        ]
    }
}
