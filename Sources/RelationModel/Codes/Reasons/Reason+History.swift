extension Reason {
    /// The reasons of UndoChanges.
    public enum ChangeUndo {
        /// The position is not above 0.
        public static let positionIllegal = Reason(rawValue: 5800)
        /// The app keeps no entry at the position, or a user of it is no longer an account.
        public static let notExist = Reason(rawValue: 5801)
        /// The entry changed nothing but applications, which no call takes back.
        public static let onlyApplications = Reason(rawValue: 5802)
        /// A row of the entry was changed since.
        public static let changedSince = Reason(rawValue: 5803)
        /// A friendship or a follow and a blacklist of the two would stand beside each other.
        public static let blocked = Reason(rawValue: 5804)
        /// The friend list of a user that gets a friend back is full.
        public static let friendsFull = Reason(rawValue: 5805)
        /// The owner would have more friend groups than the app allows.
        public static let groupLimit = Reason(rawValue: 5806)
        /// The blacklist of the user that gets an entry back is full.
        public static let blacklistFull = Reason(rawValue: 5807)
        /// The user that would follow again follows as many users as the app allows.
        public static let followingFull = Reason(rawValue: 5240)
        /// The followed user has as many followers as the app allows.
        public static let followersFull = Reason(rawValue: 5241)
        /// One of the two has as many mutual follows as the app allows.
        public static let mutualFollowsFull = Reason(rawValue: 5242)

        static let entries: [Entry] = [
            Entry(
                positionIllegal, "Err_ChangeUndo_Position_Illegal", "30001",
                "the position is not above 0.", .correctIt),
            Entry(
                notExist, "Err_ChangeUndo_Not_Exist", "30001",
                "the app keeps no entry at the position, or a user of it is no longer an account.",
                "List the history again."),
            Entry(
                onlyApplications, "Err_ChangeUndo_Only_Applications", "30001",
                "the entry changed nothing but applications, which no call takes back.",
                .leaveOut),
            Entry(
                changedSince, "Err_ChangeUndo_Changed_Since", "30001",
                "a row of the entry was changed since.",
                "List the history of the two users, and take later changes back first."),
            Entry(
                blocked, "Err_ChangeUndo_Blocked", "30001",
                "a friendship or a follow would stand beside a blacklist of the two.",
                "Take the later one of them back first."),
            Entry(
                friendsFull, "Err_ChangeUndo_Friend_Num_Exceed_Threshold", "30010",
                "the friend list of a user that gets a friend back is full.", .deleteFriends),
            Entry(
                groupLimit, "Err_ChangeUndo_Group_Num_Exceed_Threshold", "30011",
                .tooManyGroups, .deleteGroup),
            Entry(
                blacklistFull, "Err_ChangeUndo_Blacklist_Num_Exceed_Threshold", "30013",
                "the blacklist of the user that gets an entry back is full.",
                "Remove users from the blacklist first."),
        ].sent(by: "UndoChanges")

        static let entriesOfFollows: [Entry] = [
            Entry(
                followingFull, "Err_ChangeUndo_Following_Num_Exceed_Threshold", "30001",
                "the user that would follow again follows as many users as the app allows.",
                "End another follow of the user first."),
            Entry(
                followersFull, "Err_ChangeUndo_Follower_Num_Exceed_Threshold", "30001",
                "the followed user has as many followers as the app allows.", .leaveOut),
            Entry(
                mutualFollowsFull, "Err_ChangeUndo_Mutual_Num_Exceed_Threshold", "30001",
                "one of the two has as many mutual follows as the app allows.", .leaveOut),
        ].sent(by: "UndoChanges")
    }
}
