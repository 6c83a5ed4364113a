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
                userIDIllegal, "Err_SNS_FriendResponse_UserId_Illegal", "30001", .userIDIllegal,
                .correctID),
            Entry(
                remarkIllegal, "Err_SNS_FriendResponse_Remark_Illegal", "30001", .remarkTooLong,
                .shorten),
            Entry(
                groupIllegal, "Err_SNS_FriendResponse_Group_Illegal", "30001", .groupTooLong,
                .shorten),
            Entry(
                duplicate, "Err_SNS_FriendResponse_Duplicate", "30001",
                "the same applicant stands earlier in the request, with other content.",
                "Send each applicant once."),
            Entry(
                accountNotExist, "Err_SNS_FriendResponse_Account_Not_Exist", "30003", .noAccount,
                .importAccount),
            Entry(
                pendencyNotExist, "Err_SNS_FriendResponse_Pendency_Not_Exist", "30614",
                "no application of that user waits for the caller.", .readPendencies, isTIMs: true),
            Entry(
                sensitiveText, "Err_SNS_FriendResponse_Sensitive_Text", "30005", .forbiddenWord,
                .askForText),
            Entry(
                selfFriendFull, "Err_SNS_FriendResponse_My_Friend_Num_Exceed_Threshold", "30010",
                .listFull, .deleteFriends),
            Entry(
                peerFriendFull, "Err_SNS_FriendResponse_Peer_Friend_Num_Exceed_Threshold", "30014",
                "the applicant's friend list is full.", "Only the applicant can change this."),
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
        ].sent(by: "WithdrawApplications")
    }
}
