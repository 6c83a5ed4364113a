/// The reasons of the calls on friend groups.
extension Reason {
    /// The reasons of CreateFriendGroups.
    public enum GroupAdd {
        /// The name of the group is empty or too long.
        public static let nameIllegal = Reason(rawValue: 1600)
        /// The caller has a group of that name already.
        public static let groupExist = Reason(rawValue: 1601)
        /// A text holds a word that the app forbids.
        public static let sensitiveText = Reason(rawValue: 1602)
        /// The owner would have more friend groups than the app allows.
        public static let groupLimit = Reason(rawValue: 1603)
        /// The id of a member is malformed.
        public static let userIDIllegal = Reason(rawValue: 1604)
        /// A member is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 1605)
        /// A member is not a friend of the caller; the group is made without it.
        public static let notFriend = Reason(rawValue: 1606)

        static let entries: [Entry] = [
            Entry(
                nameIllegal, "Err_SNS_GroupAdd_GroupName_Illegal", "30001",
                "the name of the group is empty or too long.", .correctIt),
            Entry(
                groupExist, "Err_SNS_GroupAdd_Group_Exist", "30001",
                "the caller has a group of that name already.",
                "Take another name, or add friends to that group."),
            Entry(
                sensitiveText, "Err_SNS_GroupAdd_Sensitive_Text", "30005", .forbiddenWord,
                .askForText),
            Entry(
                groupLimit, "Err_SNS_GroupAdd_Group_Num_Exceed_Threshold", "30011", .tooManyGroups,
                .deleteGroup),
            Entry(
                userIDIllegal, "Err_SNS_GroupAdd_UserId_Illegal", "30001",
                "the id of a member is malformed.", .correctID),
            Entry(
                accountNotExist, "Err_SNS_GroupAdd_Account_Not_Exist", "30003",
                "a member is not an account of the app.", .leaveOut),
            Entry(
                notFriend, "Err_SNS_GroupAdd_ToTinyId_Not_Friend", "32216",
                "a member is not a friend of the caller; the group is made without it.", .addFriend,
                isTIMs: true),
        ].sent(by: "CreateFriendGroups")
    }

    /// The reasons of the other calls on friend groups.
    public enum GroupUpdate {
        /// The name of the group is empty, or longer than any app allows.
        public static let nameIllegal = Reason(rawValue: 1700)
        /// The new name is empty or too long.
        public static let newNameIllegal = Reason(rawValue: 1701)
        /// The caller has no group of that name.
        public static let groupNotExist = Reason(rawValue: 1702)
        /// The caller has a group of the new name already.
        public static let groupExist = Reason(rawValue: 1703)
        /// The new name holds a word that the app forbids.
        public static let sensitiveText = Reason(rawValue: 1704)
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 1705)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 1706)
        /// The user is not a friend of the caller.
        public static let notFriend = Reason(rawValue: 1707)
        /// The friend is in the group already.
        public static let alreadyInGroup = Reason(rawValue: 1708)
        /// The user is not in the group.
        public static let notInGroup = Reason(rawValue: 1709)

        static let entries: [Entry] = [
            Entry(
                nameIllegal, "Err_SNS_GroupUpdate_GroupName_Illegal", "30001",
                "the name of the group is empty, or longer than any app allows.", .correctIt,
                calls: "DeleteFriendGroups, RenameFriendGroup, GetFriendGroups"),
            Entry(
                newNameIllegal, "Err_SNS_GroupUpdate_NewGroupName_Illegal", "30001",
                "the new name is empty or too long.", .correctIt),
            Entry(
                groupNotExist, "Err_SNS_GroupUpdate_Group_Not_Exist", "30001",
                "the caller has no group of that name.", "Read the groups again.",
                calls: "DeleteFriendGroups, AddFriendsToGroup, RemoveFriendsFromGroup, "
                    + "RenameFriendGroup, GetFriendGroups"),
            Entry(
                groupExist, "Err_SNS_GroupUpdate_Group_Exist", "30001",
                "the caller has a group of the new name already.", .anotherName),
            Entry(
                sensitiveText, "Err_SNS_GroupUpdate_Sensitive_Text", "30005",
                "the new name holds a word that the app forbids.",
                "Ask the user for another name."),
            Entry(
                userIDIllegal, "Err_SNS_GroupUpdate_UserId_Illegal", "30001", .userIDIllegal,
                .correctID, calls: "AddFriendsToGroup, RemoveFriendsFromGroup"),
            Entry(
                accountNotExist, "Err_SNS_GroupUpdate_Account_Not_Exist", "30003", .noAccount,
                .importAccount, calls: "AddFriendsToGroup, RemoveFriendsFromGroup"),
            Entry(
                notFriend, "Err_SNS_GroupUpdate_Not_Friend", "32518", .noFriend, .addFriend,
                calls: "AddFriendsToGroup"),
            Entry(
                alreadyInGroup, "Err_SNS_GroupUpdate_Already_In_Group", "32519",
                "the friend is in the group already.", .takeAsDone, calls: "AddFriendsToGroup"),
            Entry(
                notInGroup, "Err_SNS_GroupUpdate_Not_In_Group", "32520",
                "the user is not in the group.", .takeAsDone, calls: "RemoveFriendsFromGroup"),
        ].sent(by: "RenameFriendGroup")
    }
}
