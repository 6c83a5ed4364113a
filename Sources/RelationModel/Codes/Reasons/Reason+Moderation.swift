/// The reasons of the calls of moderators, and of calls about suspended users.
extension Reason {
    /// The reasons of SuspendAccounts and ReinstateAccounts.
    public enum AccountSuspend {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 5100)
        /// `level` is none of the levels, or is not given.
        public static let levelIllegal = Reason(rawValue: 5101)
        /// `reason_text` is too long.
        public static let reasonIllegal = Reason(rawValue: 5102)
        /// `end_time_ms` is not later than now, or is given for BANNED.
        public static let timeIllegal = Reason(rawValue: 5103)
        /// The request names the user before, with other fields.
        public static let duplicate = Reason(rawValue: 5104)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 5105)
        /// The app has as many suspensions as it may have.
        public static let full = Reason(rawValue: 5106)

        private static let both = "SuspendAccounts, ReinstateAccounts"

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_AccountSuspend_UserId_Illegal", "30001", .userIDIllegal,
                .correctID, calls: both),
            Entry(
                levelIllegal, "Err_AccountSuspend_Level_Illegal", "30001",
                "`level` is none of the levels, or is not given.", .correctIt),
            Entry(
                reasonIllegal, "Err_AccountSuspend_Reason_Illegal", "30001",
                "`reason_text` is too long.", .shorten),
            Entry(
                timeIllegal, "Err_AccountSuspend_Time_Illegal", "30001",
                "`end_time_ms` is not later than now.", .correctIt),
            Entry(
                duplicate, "Err_AccountSuspend_Duplicate", "30001",
                "the request names the user before, with other fields.", .leaveOut),
            Entry(
                accountNotExist, "Err_AccountSuspend_Account_Not_Exist", "30003", .noAccount,
                .importAccount, calls: both),
            Entry(
                full, "Err_AccountSuspend_Num_Exceed_Threshold", "30001",
                "the app has as many suspensions as it may have.",
                "Reinstate or delete accounts first."),
        ].sent(by: "SuspendAccounts")
    }

    /// The reasons of other calls, where a user in them is suspended.
    public enum Suspended {
        /// AddFriends, ExplainAddFriend: the other user is suspended.
        public static let friendAdd = Reason(rawValue: 5200)
        /// AcceptInvitation, ExplainAcceptInvitation: the inviter is suspended.
        public static let invitationAccept = Reason(rawValue: 5201)
        /// Follow, ExplainFollow: the other user is suspended.
        public static let followAdd = Reason(rawValue: 5202)
        /// CanSend, ExplainSend: the caller is suspended.
        public static let sendCheck = Reason(rawValue: 5203)
        /// ExplainAddFriend: the caller is suspended.
        public static let friendAddOneself = Reason(rawValue: 5204)
        /// ExplainFollow: the caller is suspended.
        public static let followAddOneself = Reason(rawValue: 5205)
        /// ExplainBlock: the caller is suspended.
        public static let blacklistAddOneself = Reason(rawValue: 5206)
        /// ExplainRespond: the caller is suspended.
        public static let friendResponseOneself = Reason(rawValue: 5210)
        /// ExplainAcceptInvitation: the caller is suspended.
        public static let invitationUser = Reason(rawValue: 5211)
        /// ExplainAcceptInvitation: the caller is not an account of the app.
        public static let invitationUserUnknown = Reason(rawValue: 5212)

        static let entries: [Entry] = [
            Entry(
                friendAdd, "Err_SNS_FriendAdd_Peer_Suspended", "30540",
                "the user is suspended, and no user adds it.", .dropUser,
                calls: "AddFriends, ExplainAddFriend"),
            Entry(
                invitationAccept, "Err_InvitationAccept_Peer_Suspended", "30540",
                .inviterSuspended, .dropUser, calls: "AcceptInvitation, ExplainAcceptInvitation"),
            Entry(
                followAdd, "Err_FollowAdd_Peer_Suspended", "30540",
                "the user is suspended, and no user follows it.", .dropUser,
                calls: "Follow, ExplainFollow"),
            Entry(
                sendCheck, "Err_Msg_SendCheck_Self_Suspended", "20012",
                "the caller is suspended.", .doNotDeliver, calls: "CanSend, ExplainSend"),
            Entry(
                friendAddOneself, "Err_SNS_FriendAdd_Self_Suspended", "30540",
                "the caller is suspended, and AddFriends is refused as a whole.",
                "Reinstate the account first.", calls: "ExplainAddFriend"),
            Entry(
                followAddOneself, "Err_FollowAdd_Self_Suspended", "30540",
                "the caller is suspended, and Follow is refused as a whole.",
                "Reinstate the account first.", calls: "ExplainFollow"),
            Entry(
                blacklistAddOneself, "Err_SNS_BlackListAdd_Self_Suspended", "30540",
                "the caller is suspended, and AddToBlacklist is refused as a whole.",
                "Reinstate the account first.", calls: "ExplainBlock"),
            Entry(
                friendResponseOneself, "Err_SNS_FriendResponse_Self_Suspended", "30540",
                "the caller is suspended, and RespondToApplications is refused as a whole.",
                "Reinstate the account first.", calls: "ExplainRespond"),
            Entry(
                invitationUser, "Err_InvitationAccept_Self_Suspended", "30540",
                "the caller is suspended, and AcceptInvitation is refused as a whole.",
                "Reinstate the account first.", calls: "ExplainAcceptInvitation"),
            Entry(
                invitationUserUnknown, "Err_InvitationAccept_Self_Unknown", "30003",
                "the caller is not an account of the app.", .importAccount,
                calls: "ExplainAcceptInvitation"),
        ]
    }

    /// The reasons of ExplainEvent.
    public enum EventExplain {
        /// `to_user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 5230)
        /// The caller or the other user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 5231)
        /// The user's log has no event with the sequence.
        public static let notExist = Reason(rawValue: 5232)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_EventExplain_UserId_Illegal", "30001", .userIDIllegal,
                .correctID),
            Entry(
                accountNotExist, "Err_EventExplain_Account_Not_Exist", "30003", .noAccount,
                .importAccount),
            Entry(
                notExist, "Err_EventExplain_Not_Exist", "30001",
                "the user's log has no event with the sequence: there was none, or it is gone.",
                "List the user's changes for sequences."),
        ].sent(by: "ExplainEvent")
    }

    /// The reasons of ExplainUpdateProfile.
    public enum ProfileUpdateExplain {
        /// The caller is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 5233)
        /// The caller is suspended.
        public static let isSuspended = Reason(rawValue: 5234)

        static let entries: [Entry] = [
            Entry(
                accountNotExist, "Err_ProfileUpdate_Self_Unknown", "30003",
                "the caller is not an account of the app.", .importAccount),
            Entry(
                isSuspended, "Err_ProfileUpdate_Self_Suspended", "30540",
                "the caller is suspended, and UpdateProfile is refused as a whole.",
                "Reinstate the account first."),
        ].sent(by: "ExplainUpdateProfile")
    }

    /// The reasons of ReportUser.
    public enum UserReport {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 5300)
        /// `category` is none of the categories, or is not given.
        public static let categoryIllegal = Reason(rawValue: 5301)
        /// `text` or `reference` is too long.
        public static let textIllegal = Reason(rawValue: 5302)
        /// The user is the caller.
        public static let oneself = Reason(rawValue: 5303)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 5304)
        /// The caller has reported as often in this window as it may.
        public static let tooFrequent = Reason(rawValue: 5305)
        /// As many reports about the user are open as the app keeps.
        public static let full = Reason(rawValue: 5306)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_UserReport_UserId_Illegal", "30001", .userIDIllegal,
                .correctID),
            Entry(
                categoryIllegal, "Err_UserReport_Category_Illegal", "30001",
                "`category` is none of the categories, or is not given.", .correctIt),
            Entry(
                textIllegal, "Err_UserReport_Text_Illegal", "30001",
                "`text` or `reference` is too long.", .shorten),
            Entry(oneself, "Err_UserReport_Self", "30001", .oneself, .leaveCallerOut),
            Entry(
                accountNotExist, "Err_UserReport_Account_Not_Exist", "30003", .noAccount,
                .dropUser),
            Entry(
                tooFrequent, "Err_UserReport_Too_Frequent", "30001",
                "the caller has reported as often in this window as it may.", .tryNextWindow),
            Entry(
                full, "Err_UserReport_Num_Exceed_Threshold", "30001",
                "as many reports about the user are open as the app keeps.", .takeAsDone),
        ].sent(by: "ReportUser")
    }

    /// The reasons of ResolveReports.
    public enum ReportResolve {
        /// `report_id` is not an id of a report.
        public static let idIllegal = Reason(rawValue: 5400)
        /// `outcome` is none of the outcomes, or is not given.
        public static let outcomeIllegal = Reason(rawValue: 5401)
        /// `note` is too long.
        public static let noteIllegal = Reason(rawValue: 5402)
        /// The request names the report before, with other fields.
        public static let duplicate = Reason(rawValue: 5403)
        /// The app has no such report, or the user has made it again.
        public static let notExist = Reason(rawValue: 5404)

        static let entries: [Entry] = [
            Entry(
                idIllegal, "Err_ReportResolve_Id_Illegal", "30001",
                "`report_id` is not an id of a report.", .correctID),
            Entry(
                outcomeIllegal, "Err_ReportResolve_Outcome_Illegal", "30001",
                "`outcome` is none of the outcomes, or is not given.", .correctIt),
            Entry(
                noteIllegal, "Err_ReportResolve_Note_Illegal", "30001", "`note` is too long.",
                .shorten),
            Entry(
                duplicate, "Err_ReportResolve_Duplicate", "30001",
                "the request names the report before, with other fields.", .leaveOut),
            Entry(
                notExist, "Err_ReportResolve_Not_Exist", "30001",
                "the app has no such report, or the user has made it again.",
                "List the reports again."),
        ].sent(by: "ResolveReports")
    }

    /// The reasons of DecideReviews, and those of a review that another call does not begin.
    public enum ReviewDecide {
        /// `review_id` is not an id of a review.
        public static let idIllegal = Reason(rawValue: 5700)
        /// `decision` is neither APPROVED nor REJECTED.
        public static let decisionIllegal = Reason(rawValue: 5701)
        /// `reason_code` is negative, or `reason_text` is too long.
        public static let reasonIllegal = Reason(rawValue: 5702)
        /// The request names the review before, with other fields.
        public static let duplicate = Reason(rawValue: 5703)
        /// The app has no such review: it has ended, or the user wrote another value.
        public static let notExist = Reason(rawValue: 5704)
        /// The value would be under review, and the app has as many reviews as it may have.
        public static let full = Reason(rawValue: 5705)
        /// A text of the friend's row would be under review, and the app has as many reviews as it
        /// may have.
        public static let friendsFull = Reason(rawValue: 5706)

        static let entries: [Entry] = [
            Entry(
                idIllegal, "Err_ReviewDecide_Id_Illegal", "30001",
                "`review_id` is not an id of a review.", .correctID),
            Entry(
                decisionIllegal, "Err_ReviewDecide_Decision_Illegal", "30001",
                "`decision` is neither APPROVED nor REJECTED.", .correctIt),
            Entry(
                reasonIllegal, "Err_ReviewDecide_Reason_Illegal", "30001",
                "`reason_code` is negative, or `reason_text` is too long.", .correctIt),
            Entry(
                duplicate, "Err_ReviewDecide_Duplicate", "30001",
                "the request names the review before, with other fields.", .leaveOut),
            Entry(
                notExist, "Err_ReviewDecide_Not_Exist", "30001",
                "the app has no such review: it has ended, or the user wrote another value.",
                "List the reviews again."),
            Entry(
                full, "Err_Review_Num_Exceed_Threshold", "40001",
                "the value would be under review, and the app has as many reviews as it may have.",
                "Wait until the app's moderators have decided some.", calls: "UpdateProfile"),
            Entry(
                friendsFull, "Err_Friend_Review_Num_Exceed_Threshold", "30001",
                "a text of the friend's row would be under review, and the app has as many "
                    + "reviews as it may have.",
                "Wait until the app's moderators have decided some.",
                calls: "AddFriends, UpdateFriends, RespondToApplications, AcceptInvitation"),
        ].sent(by: "DecideReviews")
    }
}
