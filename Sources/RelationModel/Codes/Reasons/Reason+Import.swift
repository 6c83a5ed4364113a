extension Reason {
    /// The reasons of the calls that import rows of blacklists and follows.
    public enum ListImport {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 5920)
        /// The id of the other user is malformed.
        public static let otherIDIllegal = Reason(rawValue: 5921)
        /// The time is negative.
        public static let timeIllegal = Reason(rawValue: 5922)
        /// Both users are the same.
        public static let oneself = Reason(rawValue: 5923)
        /// One of the users is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 5924)
        /// The owner's blacklist is full.
        public static let blacklistFull = Reason(rawValue: 5925)
        /// The follower follows as many users as the app allows.
        public static let followingFull = Reason(rawValue: 5926)
        /// The followed user has as many followers as the app allows.
        public static let followersFull = Reason(rawValue: 5927)
        /// The follower has as many mutual follows as the app allows.
        public static let selfMutualFull = Reason(rawValue: 5928)
        /// The followed user has as many mutual follows as the app allows.
        public static let theirMutualFull = Reason(rawValue: 5929)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_ListImport_UserId_Illegal", "30001",
                "`user_id`, the owner of the row, is malformed.", .correctRow),
            Entry(
                otherIDIllegal, "Err_ListImport_OtherId_Illegal", "30001",
                "the id of the other user is malformed.", .correctRow),
            Entry(
                timeIllegal, "Err_ListImport_Time_Illegal", "30001",
                "the time is negative.", .correctRow),
            Entry(
                oneself, "Err_ListImport_Self", "30001",
                "both users are the same.", "Leave the row out."),
            Entry(
                accountNotExist, "Err_ListImport_Account_Not_Exist", "30003",
                "one of the users is not an account of the app.", "Import the account first."),
            Entry(
                blacklistFull, "Err_ListImport_BlackList_Num_Exceed_Threshold", "30013",
                "the owner's blacklist is full.", .raiseLimit, calls: "ImportBlacklists"),
            Entry(
                followingFull, "Err_ListImport_My_Following_Num_Exceed_Threshold", "32100",
                "the follower follows as many users as the app allows.", .raiseLimit,
                calls: "ImportFollows"),
            Entry(
                followersFull, "Err_ListImport_Peer_Follower_Num_Exceed_Threshold", "32101",
                "the followed user has as many followers as the app allows.", .raiseLimit,
                calls: "ImportFollows"),
            Entry(
                selfMutualFull, "Err_ListImport_My_Mutual_Num_Exceed_Threshold", "32102",
                "the follower has as many mutual follows as the app allows.", .raiseLimit,
                calls: "ImportFollows"),
            Entry(
                theirMutualFull, "Err_ListImport_Peer_Mutual_Num_Exceed_Threshold", "32103",
                "the followed user has as many mutual follows as the app allows.", .raiseLimit,
                calls: "ImportFollows"),
        ].sent(by: "ImportBlacklists, ImportFollows")
    }
}
