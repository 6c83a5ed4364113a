/// The reasons of the calls on follows.
extension Reason {
    /// The reasons of Follow, and of ExplainFollow.
    public enum FollowAdd {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 3500)
        /// The user is the caller.
        public static let oneself = Reason(rawValue: 3501)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 3502)
        /// The user is on the caller's blacklist.
        public static let inSelfBlacklist = Reason(rawValue: 3503)
        /// The caller is on the user's blacklist.
        public static let inPeerBlacklist = Reason(rawValue: 3504)
        /// The caller follows as many users as the app allows.
        public static let followingFull = Reason(rawValue: 3505)
        /// The user has as many followers as the app allows.
        public static let followersFull = Reason(rawValue: 3506)
        /// The caller has as many mutual follows as the app allows.
        public static let selfMutualFull = Reason(rawValue: 3507)
        /// The user has as many mutual follows as the app allows.
        public static let theirMutualFull = Reason(rawValue: 3508)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_FollowAdd_UserId_Illegal", "30001", .userIDIllegal, .correctID),
            Entry(oneself, "Err_FollowAdd_Self", "30001", .oneself, .leaveCallerOut),
            Entry(
                accountNotExist, "Err_FollowAdd_Account_Not_Exist", "30003", .noAccount,
                .importAccount),
            Entry(
                inSelfBlacklist, "Err_FollowAdd_In_Self_BlackList", "30515",
                "the user is on the caller's blacklist.", "Remove it from there first."),
            Entry(
                inPeerBlacklist, "Err_FollowAdd_In_Peer_BlackList", "30525",
                "the caller is on the user's blacklist.", "Show it as a plain refusal."),
            Entry(
                followingFull, "Err_FollowAdd_My_Following_Num_Exceed_Threshold", "32100",
                "the caller follows as many users as the app allows.", "End another follow first."),
            Entry(
                followersFull, "Err_FollowAdd_Peer_Follower_Num_Exceed_Threshold", "32101",
                "the user has as many followers as the app allows.", "Try later."),
            Entry(
                selfMutualFull, "Err_FollowAdd_My_Mutual_Num_Exceed_Threshold", "32102",
                "the caller has as many mutual follows as the app allows.",
                "End another follow first."),
            Entry(
                theirMutualFull, "Err_FollowAdd_Peer_Mutual_Num_Exceed_Threshold", "32103",
                "the user has as many mutual follows as the app allows.", "Try later."),
        ].sent(by: "Follow, ExplainFollow")
    }

    /// The reasons of Unfollow.
    public enum FollowDelete {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 3600)
        /// The user is the caller.
        public static let oneself = Reason(rawValue: 3601)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 3602)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_FollowDelete_UserId_Illegal", "30001", .userIDIllegal,
                .correctID),
            Entry(oneself, "Err_FollowDelete_Self", "30001", .oneself, .leaveCallerOut),
            Entry(
                accountNotExist, "Err_FollowDelete_Account_Not_Exist", "30003", .noAccount,
                .dropUser),
        ].sent(by: "Unfollow")
    }

    /// The reasons of CheckFollows and GetFollowCounts.
    public enum FollowCheck {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 3700)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 3701)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_FollowCheck_UserId_Illegal", "30001", .userIDIllegal, .correctID
            ),
            Entry(
                accountNotExist, "Err_FollowCheck_Account_Not_Exist", "30003", .noAccount, .dropUser
            ),
        ].sent(by: "CheckFollows, GetFollowCounts")
    }
}
