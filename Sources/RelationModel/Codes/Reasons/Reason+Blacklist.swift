/// The reasons of the calls on blacklists.
extension Reason {
    /// The reasons of AddToBlacklist.
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
                userIDIllegal, "Err_SNS_BlackListAdd_UserId_Illegal", "AddToBlacklist", "30001",
                "`user_id` is malformed.", "Correct the id."),
            Entry(
                oneself, "Err_SNS_BlackListAdd_Self", "AddToBlacklist", "30001",
                "the user is the caller.", "Leave the caller out."),
            Entry(
                accountNotExist, "Err_SNS_BlackListAdd_Account_Not_Exist", "AddToBlacklist",
                "30003", "the user is no account of the app.",
                "Import the account first, or drop the user."),
            Entry(
                alreadyExist, "Err_SNS_BlackListAdd_Already_Exist", "AddToBlacklist", "31307",
                "the user is on the blacklist already.", "Take it as done.", isTIMs: true),
            Entry(
                blacklistFull, "Err_SNS_BlackListAdd_BlackList_Num_Exceed_Threshold",
                "AddToBlacklist", "30013", "the caller's blacklist is full.",
                "Remove users from it first."),
        ]
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
                userIDIllegal, "Err_SNS_BlackListDelete_UserId_Illegal", "RemoveFromBlacklist",
                "30001", "`user_id` is malformed.", "Correct the id."),
            Entry(
                accountNotExist, "Err_SNS_BlackListDelete_Account_Not_Exist", "RemoveFromBlacklist",
                "30003", "the user is no account of the app.",
                "Import the account first, or drop the user."),
            Entry(
                notInBlacklist, "Err_SNS_BlackListDelete_Not_In_BlackList", "RemoveFromBlacklist",
                "31503", "the user is not on the caller's blacklist.", "Take it as done."),
        ]
    }

    /// The reasons of CheckBlacklist.
    public enum BlacklistCheck {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 1400)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 1401)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_BlackListCheck_UserId_Illegal", "CheckBlacklist", "30001",
                "`user_id` is malformed.", "Correct the id."),
            Entry(
                accountNotExist, "Err_SNS_BlackListCheck_Account_Not_Exist", "CheckBlacklist",
                "30003", "the user is no account of the app.", "Drop the user."),
        ]
    }

    /// The reasons of CanSend.
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
                userIDIllegal, "Err_Msg_SendCheck_UserId_Illegal", "CanSend", "30001",
                "`user_id` is malformed.", "Correct the id."),
            Entry(
                accountNotExist, "Err_Msg_SendCheck_Account_Not_Exist", "CanSend", "30003",
                "the user is no account of the app.", "Drop the user."),
            Entry(
                inPeerBlacklist, "Err_Msg_SendCheck_In_Peer_BlackList", "CanSend", "20007",
                "the sender is on the receiver's blacklist.", "Do not deliver the message."),
            Entry(
                notFriend, "Err_Msg_SendCheck_Not_Friend", "CanSend", "20009",
                "the app requires a friendship, and neither has the other as a friend.",
                "Do not deliver the message."),
            Entry(
                notPeerFriend, "Err_Msg_SendCheck_Not_Peer_Friend", "CanSend", "20010",
                "the app requires a friendship, and the sender is not in the receiver's list.",
                "Do not deliver the message."),
            Entry(
                notSelfFriend, "Err_Msg_SendCheck_Not_Self_Friend", "CanSend", "20011",
                "the app requires a friendship, and the receiver is not in the sender's list.",
                "Do not deliver the message."),
        ]
    }
}
