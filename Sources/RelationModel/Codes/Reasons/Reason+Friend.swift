/// The reasons of the calls on friends.
extension Reason {
    /// The reasons of AddFriends, and of ExplainAddFriend.
    public enum FriendAdd {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 100)
        /// The remark is too long.
        public static let remarkIllegal = Reason(rawValue: 101)
        /// The wording is too long.
        public static let wordingIllegal = Reason(rawValue: 102)
        /// `source` is not `AddSource_Type_` and 1 to 8 letters.
        public static let sourceIllegal = Reason(rawValue: 103)
        /// A group's name is empty or too long, or is given twice.
        public static let groupIllegal = Reason(rawValue: 104)
        /// A custom value is of the wrong kind or too long, or its key is given twice.
        public static let customIllegal = Reason(rawValue: 105)
        /// Only an administrator may write a custom field.
        public static let customNotWritable = Reason(rawValue: 106)
        /// The app has no custom field of that key.
        public static let customTagNotExist = Reason(rawValue: 107)
        /// The same user stands earlier in the request, with other content.
        public static let duplicate = Reason(rawValue: 108)
        /// The user is the caller.
        public static let oneself = Reason(rawValue: 109)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 110)
        /// The administrator forbids the caller to add friends.
        public static let denied = Reason(rawValue: 111)
        /// The user is on the caller's blacklist.
        public static let inSelfBlacklist = Reason(rawValue: 112)
        /// The caller is on the user's blacklist.
        public static let inPeerBlacklist = Reason(rawValue: 113)
        /// Every row to make exists already, so the two are friends as asked.
        public static let friendExist = Reason(rawValue: 114)
        /// A text holds a word that the app forbids.
        public static let sensitiveText = Reason(rawValue: 115)
        /// The caller has sent as many applications in this window as the app allows.
        public static let restricted = Reason(rawValue: 116)
        /// The user lets no other user add it.
        public static let allowTypeForbid = Reason(rawValue: 117)
        /// The caller's friend list is full.
        public static let selfFriendFull = Reason(rawValue: 118)
        /// The other user's friend list is full.
        public static let peerFriendFull = Reason(rawValue: 119)
        /// The owner would have more friend groups than the app allows.
        public static let groupLimit = Reason(rawValue: 120)
        /// One of the two has as many waiting applications as the app allows.
        public static let pendencyLimit = Reason(rawValue: 121)
        /// This is not a refusal: an application was made or renewed, and waits for the user.
        public static let needConfirm = Reason(rawValue: 122)
        /// As many applications came in to the other user in this window as the app allows.
        public static let peerRestricted = Reason(rawValue: 123)
        /// The other user refused an application of the caller, and the app's time after that is
        /// not over.
        public static let coolingDown = Reason(rawValue: 124)
        /// The caller's account is newer than the app allows for adding other users.
        public static let newAccount = Reason(rawValue: 125)

        /// The calls about an addition without texts, groups and custom values.
        private static let explained = "AddFriends, ExplainAddFriend"

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_FriendAdd_UserId_Illegal", "30001", .userIDIllegal,
                .correctID, calls: explained),
            Entry(
                remarkIllegal, "Err_SNS_FriendAdd_Remark_Illegal", "30001", .remarkTooLong, .shorten
            ),
            Entry(
                wordingIllegal, "Err_SNS_FriendAdd_Wording_Illegal", "30001", .wordingTooLong,
                .shorten),
            Entry(
                sourceIllegal, "Err_SNS_FriendAdd_Source_Illegal", "30001", .sourceIllegal,
                .correctIt, isTIMs: true),
            Entry(
                groupIllegal, "Err_SNS_FriendAdd_Group_Illegal", "30001", .groupsIllegal,
                .correctIt),
            Entry(
                customIllegal, "Err_SNS_FriendAdd_Custom_Illegal", "30001", .customIllegal,
                .correctIt),
            Entry(
                customNotWritable, "Err_SNS_FriendAdd_Custom_Write_Permission", "40008",
                .customNotWritable, .needsAdmin),
            Entry(
                customTagNotExist, "Err_SNS_FriendAdd_Custom_Tag_Not_Exist", "40009",
                .noCustomField, .defineField),
            Entry(
                duplicate, "Err_SNS_FriendAdd_Duplicate", "30001",
                "the same user stands earlier in the request, with other content.",
                "Send each user once."),
            Entry(
                oneself, "Err_SNS_FriendAdd_Self", "30001", .oneself, .leaveCallerOut,
                calls: explained),
            Entry(
                accountNotExist, "Err_SNS_FriendAdd_Account_Not_Exist", "30003", .noAccount,
                .importAccount, calls: explained),
            Entry(
                denied, "Err_SNS_FriendAdd_Admin_Forbid", "30009",
                "the administrator forbids the caller to add friends.",
                "Only an administrator can change this.", calls: explained),
            Entry(
                inSelfBlacklist, "Err_SNS_FriendAdd_In_Self_BlackList", "30515",
                "the user is on the caller's blacklist.", "Remove it from there first.",
                calls: explained),
            Entry(
                inPeerBlacklist, "Err_SNS_FriendAdd_In_Peer_BlackList", "30525",
                "the caller is on the user's blacklist.", "Show it as a plain refusal.",
                calls: explained),
            Entry(
                friendExist, "Err_SNS_FriendAdd_Friend_Exist", "30001",
                "every row to make exists already, so the two are friends as asked.", .takeAsDone,
                calls: explained, isTIMs: true),
            Entry(
                sensitiveText, "Err_SNS_FriendAdd_Sensitive_Text", "30005", .forbiddenWord,
                .askForText),
            Entry(
                restricted, "Err_SNS_FriendAdd_Too_Frequent", "30540",
                .sentTooMany, .tryNextWindow, calls: explained),
            Entry(
                allowTypeForbid, "Err_SNS_FriendAdd_Friend_Allow_Type_Forbid", "30516",
                "the user lets no other user add it.",
                "Do not try again; the user may apply to the caller.", calls: explained,
                isTIMs: true),
            Entry(
                selfFriendFull, "Err_SNS_FriendAdd_My_Friend_Num_Exceed_Threshold", "30010",
                .listFull, .deleteFriends, calls: explained),
            Entry(
                peerFriendFull, "Err_SNS_FriendAdd_Peer_Friend_Num_Exceed_Threshold", "30014",
                "the other user's friend list is full.", "Only the other user can change this.",
                calls: explained),
            Entry(
                groupLimit, "Err_SNS_FriendAdd_Group_Num_Exceed_Threshold", "30011", .tooManyGroups,
                .deleteGroup),
            Entry(
                pendencyLimit, "Err_SNS_FriendAdd_Pendency_Num_Exceed_Threshold", "30012",
                "one of the two has as many waiting applications as the app allows.",
                "Withdraw some, or try later.", calls: explained),
            Entry(
                needConfirm, "Err_SNS_FriendAdd_Friend_Allow_Type_Need_Confirm", "30539",
                "this is not a refusal: an application was made or renewed, and waits for the"
                    + " user.",
                "Wait for an event.", calls: explained),
            Entry(
                peerRestricted, "Err_SNS_FriendAdd_Peer_Too_Frequent", "30540", .receivedTooMany,
                .tryNextWindow, calls: explained),
            Entry(
                coolingDown, "Err_SNS_FriendAdd_Cooling_Down", "30540", .refusedBefore, .tryLater,
                calls: explained),
            Entry(
                newAccount, "Err_SNS_FriendAdd_New_Account", "30540", .accountTooNew, .tryLater,
                calls: explained),
        ].sent(by: "AddFriends")
    }

    /// The reasons of DeleteFriends.
    public enum FriendDelete {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 500)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 501)
        /// No row that the request names exists.
        public static let notFriend = Reason(rawValue: 502)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_FriendDelete_UserId_Illegal", "30001", .userIDIllegal,
                .correctID),
            Entry(
                accountNotExist, "Err_SNS_FriendDelete_Account_Not_Exist", "30003", .noAccount,
                .importAccount),
            Entry(
                notFriend, "Err_SNS_FriendDelete_Not_Friend", "31704",
                "no row that the request names exists.", .takeAsDone, isTIMs: true),
        ].sent(by: "DeleteFriends")
    }

    /// The reasons of CheckFriends, and of ExplainCheckFriend.
    public enum FriendCheck {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 600)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 601)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_FriendCheck_UserId_Illegal", "30001", .userIDIllegal,
                .correctID),
            Entry(
                accountNotExist, "Err_SNS_FriendCheck_Account_Not_Exist", "30003", .noAccount,
                .dropUser),
        ].sent(by: "CheckFriends, ExplainCheckFriend")
    }

    /// The reasons of GetFriends.
    public enum FriendGetList {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 700)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 701)
        /// The user is not a friend of the caller.
        public static let friendNotExist = Reason(rawValue: 702)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_FriendGetList_UserId_Illegal", "30001", .userIDIllegal,
                .correctID),
            Entry(
                accountNotExist, "Err_SNS_FriendGetList_Account_Not_Exist", "30003", .noAccount,
                .dropUser),
            Entry(
                friendNotExist, "Err_SNS_FriendGetList_Friend_Not_Exist", "30001", .noFriend,
                "Drop it from the copy.", isTIMs: true),
        ].sent(by: "GetFriends")
    }

    /// The reasons of UpdateFriends.
    public enum FriendUpdate {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 800)
        /// `update_mask` and `tags` are both given, or the item changes nothing.
        public static let maskIllegal = Reason(rawValue: 801)
        /// No friend has such a tag, or a tag is given twice.
        public static let tagIllegal = Reason(rawValue: 802)
        /// The value of a tag is of the wrong kind.
        public static let valueIllegal = Reason(rawValue: 803)
        /// The remark is too long.
        public static let remarkIllegal = Reason(rawValue: 804)
        /// A group's name is empty or too long, or is given twice.
        public static let groupIllegal = Reason(rawValue: 805)
        /// The same friend stands earlier in the request, with other content.
        public static let duplicate = Reason(rawValue: 806)
        /// A custom value is of the wrong kind or too long, or its key is given twice.
        public static let customIllegal = Reason(rawValue: 807)
        /// Only an administrator may write a custom field.
        public static let customNotWritable = Reason(rawValue: 808)
        /// The app has no custom field of that key.
        public static let customTagNotExist = Reason(rawValue: 809)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 810)
        /// The user is not a friend of the caller.
        public static let friendNotExist = Reason(rawValue: 811)
        /// A text holds a word that the app forbids.
        public static let sensitiveText = Reason(rawValue: 812)
        /// The owner would have more friend groups than the app allows.
        public static let groupLimit = Reason(rawValue: 813)
        /// The friend's row has another sequence than `expected_sequence`.
        public static let sequenceStale = Reason(rawValue: 814)
        /// `pin_order` or `mute_until_ms` is negative.
        public static let markIllegal = Reason(rawValue: 815)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_FriendUpdate_UserId_Illegal", "30001", .userIDIllegal,
                .correctID),
            Entry(
                maskIllegal, "Err_SNS_FriendUpdate_UpdateMask_Illegal", "30001",
                "`update_mask` and `tags` are both given, or the item changes nothing.",
                "Give one of them, with a new value."),
            Entry(
                tagIllegal, "Err_SNS_FriendUpdate_Tag_Illegal", "30001",
                "no friend has such a tag, or a tag is given twice.", .correctIt),
            Entry(
                valueIllegal, "Err_SNS_FriendUpdate_Value_Illegal", "30001",
                "the value of a tag is of the wrong kind.", .correctIt),
            Entry(
                remarkIllegal, "Err_SNS_FriendUpdate_Remark_Illegal", "30001", .remarkTooLong,
                .shorten),
            Entry(
                groupIllegal, "Err_SNS_FriendUpdate_Group_Illegal", "30001", .groupsIllegal,
                .correctIt),
            Entry(
                duplicate, "Err_SNS_FriendUpdate_Duplicate", "30001",
                "the same friend stands earlier in the request, with other content.",
                "Send each friend once."),
            Entry(
                customIllegal, "Err_SNS_FriendUpdate_Custom_Illegal", "30001", .customIllegal,
                .correctIt),
            Entry(
                customNotWritable, "Err_SNS_FriendUpdate_Custom_Write_Permission", "40008",
                .customNotWritable, .needsAdmin),
            Entry(
                customTagNotExist, "Err_SNS_FriendUpdate_Custom_Tag_Not_Exist", "40009",
                .noCustomField, .defineField),
            Entry(
                accountNotExist, "Err_SNS_FriendUpdate_Account_Not_Exist", "30003", .noAccount,
                .importAccount),
            Entry(
                friendNotExist, "Err_SNS_FriendUpdate_Friend_Not_Exist", "30001", .noFriend,
                "Add it first, or drop it from the copy."),
            Entry(
                sensitiveText, "Err_SNS_FriendUpdate_Sensitive_Text", "30005", .forbiddenWord,
                .askForText),
            Entry(
                groupLimit, "Err_SNS_FriendUpdate_Group_Num_Exceed_Threshold", "30011",
                .tooManyGroups, .deleteGroup, isTIMs: true),
            Entry(
                sequenceStale, "Err_SNS_FriendUpdate_Sequence_Stale", "30001",
                "the friend's row has another sequence than `expected_sequence`.",
                "Read the friend again."),
            Entry(
                markIllegal, "Err_SNS_FriendUpdate_Mark_Illegal", "30001", .markIllegal,
                "Give 0 to take the mark away."),
        ].sent(by: "UpdateFriends")
    }

    /// The reasons of GetRelations.
    public enum RelationGet {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 900)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 901)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_RelationGet_UserId_Illegal", "30001", .userIDIllegal,
                .correctID),
            Entry(
                accountNotExist, "Err_SNS_RelationGet_Account_Not_Exist", "30003", .noAccount,
                .dropUser),
        ].sent(by: "GetRelations")
    }

    /// The reasons of ListMutualFriends.
    public enum FriendMutual {
        /// `other_user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 1000)
        /// The user is the caller.
        public static let oneself = Reason(rawValue: 1001)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 1002)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_FriendMutual_UserId_Illegal", "30001",
                "`other_user_id` is malformed.", .correctID),
            Entry(oneself, "Err_SNS_FriendMutual_Self", "30001", .oneself, .leaveCallerOut),
            Entry(
                accountNotExist, "Err_SNS_FriendMutual_Account_Not_Exist", "30003", .noAccount,
                .dropUser),
        ].sent(by: "ListMutualFriends")
    }

    /// The reasons of GetMutualFriendCounts.
    public enum FriendMutualCount {
        /// An id of `user_ids` is malformed.
        public static let userIDIllegal = Reason(rawValue: 3800)
        /// The user is the caller.
        public static let oneself = Reason(rawValue: 3801)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 3802)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_FriendMutualCount_UserId_Illegal", "30001",
                .userIDIllegal, .correctID),
            Entry(
                oneself, "Err_SNS_FriendMutualCount_Self", "30001", .oneself, .leaveCallerOut),
            Entry(
                accountNotExist, "Err_SNS_FriendMutualCount_Account_Not_Exist", "30003",
                .noAccount, .dropUser),
        ].sent(by: "GetMutualFriendCounts")
    }

    /// The reasons of ImportFriends.
    public enum FriendImport {
        /// `user_id`, the owner of the row, is malformed.
        public static let userIDIllegal = Reason(rawValue: 1100)
        /// `friend_user_id` is malformed.
        public static let friendIDIllegal = Reason(rawValue: 1101)
        /// A time is negative.
        public static let timeIllegal = Reason(rawValue: 1102)
        /// The remark is too long.
        public static let remarkIllegal = Reason(rawValue: 1103)
        /// A group's name is empty or too long, or is given twice.
        public static let groupIllegal = Reason(rawValue: 1104)
        /// `source` is not `AddSource_Type_` and 1 to 8 letters.
        public static let sourceIllegal = Reason(rawValue: 1105)
        /// The wording is too long.
        public static let wordingIllegal = Reason(rawValue: 1106)
        /// A custom value is of the wrong kind or too long, or its key is given twice.
        public static let customIllegal = Reason(rawValue: 1107)
        /// The app has no custom field of that key.
        public static let customTagNotExist = Reason(rawValue: 1108)
        /// Owner and friend are the same user.
        public static let oneself = Reason(rawValue: 1109)
        /// The owner or the friend is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 1110)
        /// A text holds a word that the app forbids.
        public static let sensitiveText = Reason(rawValue: 1111)
        /// The owner's friend list is full.
        public static let selfFriendFull = Reason(rawValue: 1112)
        /// With `both_ways`, the friend's list is full.
        public static let peerFriendFull = Reason(rawValue: 1113)
        /// The owner would have more friend groups than the app allows.
        public static let groupLimit = Reason(rawValue: 1114)
        /// `pin_order` or `mute_until_ms` is negative.
        public static let markIllegal = Reason(rawValue: 1115)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_FriendImport_UserId_Illegal", "30001",
                "`user_id`, the owner of the row, is malformed.", .correctRow),
            Entry(
                friendIDIllegal, "Err_SNS_FriendImport_FriendId_Illegal", "30001",
                "`friend_user_id` is malformed.", .correctRow),
            Entry(
                timeIllegal, "Err_SNS_FriendImport_Time_Illegal", "30001", "a time is negative.",
                .correctRow),
            Entry(
                remarkIllegal, "Err_SNS_FriendImport_Remark_Illegal", "30001", .remarkTooLong,
                .correctRow),
            Entry(
                groupIllegal, "Err_SNS_FriendImport_Group_Illegal", "30001", .groupsIllegal,
                .correctRow),
            Entry(
                sourceIllegal, "Err_SNS_FriendImport_Source_Illegal", "30001", .sourceIllegal,
                .correctRow),
            Entry(
                wordingIllegal, "Err_SNS_FriendImport_Wording_Illegal", "30001", .wordingTooLong,
                .correctRow),
            Entry(
                customIllegal, "Err_SNS_FriendImport_Custom_Illegal", "30001", .customIllegal,
                .correctRow),
            Entry(
                customTagNotExist, "Err_SNS_FriendImport_Custom_Tag_Not_Exist", "40009",
                .noCustomField, "Define the field first, or leave the value out."),
            Entry(
                oneself, "Err_SNS_FriendImport_Self", "30001",
                "owner and friend are the same user.", "Leave the row out."),
            Entry(
                accountNotExist, "Err_SNS_FriendImport_Account_Not_Exist", "30003",
                "the owner or the friend is not an account of the app.", "Import the account first."
            ),
            Entry(
                sensitiveText, "Err_SNS_FriendImport_Sensitive_Text", "30005", .forbiddenWord,
                .correctRow),
            Entry(
                selfFriendFull, "Err_SNS_FriendImport_My_Friend_Num_Exceed_Threshold", "30010",
                "the owner's friend list is full.", .raiseLimit, isTIMs: true),
            Entry(
                peerFriendFull, "Err_SNS_FriendImport_Peer_Friend_Num_Exceed_Threshold", "30014",
                "with `both_ways`, the friend's list is full.", .raiseLimit),
            Entry(
                groupLimit, "Err_SNS_FriendImport_Group_Num_Exceed_Threshold", "30011",
                .tooManyGroups, .deleteGroup),
            Entry(
                markIllegal, "Err_SNS_FriendImport_Mark_Illegal", "30001", .markIllegal,
                .correctRow),
        ].sent(by: "ImportFriends")
    }
}
