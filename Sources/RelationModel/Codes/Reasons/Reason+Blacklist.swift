/// The reasons of the calls on blacklists.
extension Reason {
    /// The reasons of AddToBlacklist, and of ExplainBlock.
    public enum BlacklistAdd {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 1200)
        /// The user is the caller.
        public static let oneself = Reason(rawValue: 1201)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 1202)
        /// The user is on the blacklist already.
        public static let alreadyExist = Reason(rawValue: 1203)
        /// The caller's blacklist is full.
        public static let blacklistFull = Reason(rawValue: 1204)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_BlackListAdd_UserId_Illegal", "30001", .userIDIllegal,
                .correctID),
            Entry(oneself, "Err_SNS_BlackListAdd_Self", "30001", .oneself, .leaveCallerOut),
            Entry(
                accountNotExist, "Err_SNS_BlackListAdd_Account_Not_Exist", "30003", .noAccount,
                .importAccount),
            Entry(
                alreadyExist, "Err_SNS_BlackListAdd_Already_Exist", "31307",
                "the user is on the blacklist already.", .takeAsDone, isTIMs: true),
            Entry(
                blacklistFull, "Err_SNS_BlackListAdd_BlackList_Num_Exceed_Threshold", "30013",
                "the caller's blacklist is full.", "Remove users from it first."),
        ].sent(by: "AddToBlacklist, ExplainBlock")
    }

    /// The reasons of RemoveFromBlacklist.
    public enum BlacklistDelete {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 1300)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 1301)
        /// The user is not on the caller's blacklist.
        public static let notInBlacklist = Reason(rawValue: 1302)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_BlackListDelete_UserId_Illegal", "30001", .userIDIllegal,
                .correctID),
            Entry(
                accountNotExist, "Err_SNS_BlackListDelete_Account_Not_Exist", "30003", .noAccount,
                .importAccount),
            Entry(
                notInBlacklist, "Err_SNS_BlackListDelete_Not_In_BlackList", "31503",
                "the user is not on the caller's blacklist.", .takeAsDone),
        ].sent(by: "RemoveFromBlacklist")
    }

    /// The reasons of CheckBlacklist.
    public enum BlacklistCheck {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 1400)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 1401)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_BlackListCheck_UserId_Illegal", "30001", .userIDIllegal,
                .correctID),
            Entry(
                accountNotExist, "Err_SNS_BlackListCheck_Account_Not_Exist", "30003", .noAccount,
                .dropUser),
        ].sent(by: "CheckBlacklist")
    }

    /// The reasons of CanSend, and of ExplainSend.
    public enum SendCheck {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 1500)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 1501)
        /// The sender is on the receiver's blacklist.
        public static let inPeerBlacklist = Reason(rawValue: 1502)
        /// The app requires a friendship, and neither has the other as a friend.
        public static let notFriend = Reason(rawValue: 1503)
        /// The app requires a friendship, and the sender is not in the receiver's list.
        public static let notPeerFriend = Reason(rawValue: 1504)
        /// The app requires a friendship, and the receiver is not in the sender's list.
        public static let notSelfFriend = Reason(rawValue: 1505)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_Msg_SendCheck_UserId_Illegal", "30001", .userIDIllegal,
                .correctID),
            Entry(
                accountNotExist, "Err_Msg_SendCheck_Account_Not_Exist", "30003", .noAccount,
                .dropUser),
            Entry(
                inPeerBlacklist, "Err_Msg_SendCheck_In_Peer_BlackList", "20007",
                "the sender is on the receiver's blacklist.", .doNotDeliver),
            Entry(
                notFriend, "Err_Msg_SendCheck_Not_Friend", "20009",
                "the app requires a friendship, and neither has the other as a friend.",
                .doNotDeliver),
            Entry(
                notPeerFriend, "Err_Msg_SendCheck_Not_Peer_Friend", "20010",
                "the app requires a friendship, and the sender is not in the receiver's list.",
                .doNotDeliver),
            Entry(
                notSelfFriend, "Err_Msg_SendCheck_Not_Self_Friend", "20011",
                "the app requires a friendship, and the receiver is not in the sender's list.",
                .doNotDeliver),
        ].sent(by: "CanSend, ExplainSend")
    }
}
