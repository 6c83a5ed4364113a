/// The reasons of the calls on friends.
extension Reason {
    /// The reasons of AddFriends.
    public enum FriendAdd {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 100)
        /// The remark is too long.
        public static let remarkIllegal = Reason(rawValue: 101)
        /// The wording is too long.
        public static let wordingIllegal = Reason(rawValue: 102)
        /// `source` is not `AddSource_Type_` and 1 to 8 letters.
        public static let sourceIllegal = Reason(rawValue: 103)
        /// The name of the group is too long.
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
        /// The caller has sent as many applications today as the app allows.
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

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_FriendAdd_UserId_Illegal", "AddFriends", "30001",
                "`user_id` is malformed.", "Correct the id."),
            Entry(
                remarkIllegal, "Err_SNS_FriendAdd_Remark_Illegal", "AddFriends", "30001",
                "the remark is too long.", "Shorten it."),
            Entry(
                wordingIllegal, "Err_SNS_FriendAdd_Wording_Illegal", "AddFriends", "30001",
                "the wording is too long.", "Shorten it."),
            Entry(
                sourceIllegal, "Err_SNS_FriendAdd_Source_Illegal", "AddFriends", "30001",
                "`source` is not `AddSource_Type_` and 1 to 8 letters.",
                "Correct it before another try.", isTIMs: true),
            Entry(
                groupIllegal, "Err_SNS_FriendAdd_Group_Illegal", "AddFriends", "30001",
                "the name of the group is too long.", "Shorten it."),
            Entry(
                customIllegal, "Err_SNS_FriendAdd_Custom_Illegal", "AddFriends", "30001",
                "a custom value is of the wrong kind or too long, or its key is given twice.",
                "Correct it before another try."),
            Entry(
                customNotWritable, "Err_SNS_FriendAdd_Custom_Write_Permission", "AddFriends",
                "40008", "only an administrator may write a custom field.",
                "Leave the field out, or use a credential with the scope `admin`."),
            Entry(
                customTagNotExist, "Err_SNS_FriendAdd_Custom_Tag_Not_Exist", "AddFriends", "40009",
                "the app has no custom field of that key.",
                "Define the field first, or leave it out."),
            Entry(
                duplicate, "Err_SNS_FriendAdd_Duplicate", "AddFriends", "30001",
                "the same user stands earlier in the request, with other content.",
                "Send each user once."),
            Entry(
                oneself, "Err_SNS_FriendAdd_Self", "AddFriends", "30001", "the user is the caller.",
                "Leave the caller out."),
            Entry(
                accountNotExist, "Err_SNS_FriendAdd_Account_Not_Exist", "AddFriends", "30003",
                "the user is no account of the app.",
                "Import the account first, or drop the user."),
            Entry(
                denied, "Err_SNS_FriendAdd_Admin_Forbid", "AddFriends", "30009",
                "the administrator forbids the caller to add friends.",
                "Only an administrator can change this."),
            Entry(
                inSelfBlacklist, "Err_SNS_FriendAdd_In_Self_BlackList", "AddFriends", "30515",
                "the user is on the caller's blacklist.", "Remove it from there first."),
            Entry(
                inPeerBlacklist, "Err_SNS_FriendAdd_In_Peer_BlackList", "AddFriends", "30525",
                "the caller is on the user's blacklist.", "Show it as a plain refusal."),
            Entry(
                friendExist, "Err_SNS_FriendAdd_Friend_Exist", "AddFriends", "30001",
                "every row to make exists already, so the two are friends as asked.",
                "Take it as done.", isTIMs: true),
            Entry(
                sensitiveText, "Err_SNS_FriendAdd_Sensitive_Text", "AddFriends", "30005",
                "a text holds a word that the app forbids.", "Ask the user for another text."),
            Entry(
                restricted, "Err_SNS_FriendAdd_Too_Frequent", "AddFriends", "30540",
                "the caller has sent as many applications today as the app allows.",
                "Try again on the next day in UTC."),
            Entry(
                allowTypeForbid, "Err_SNS_FriendAdd_Friend_Allow_Type_Forbid", "AddFriends",
                "30516", "the user lets no other user add it.",
                "Do not try again; the user may apply to the caller.", isTIMs: true),
            Entry(
                selfFriendFull, "Err_SNS_FriendAdd_My_Friend_Num_Exceed_Threshold", "AddFriends",
                "30010", "the caller's friend list is full.", "Delete friends first."),
            Entry(
                peerFriendFull, "Err_SNS_FriendAdd_Peer_Friend_Num_Exceed_Threshold", "AddFriends",
                "30014", "the other user's friend list is full.",
                "Only the other user can change this."),
            Entry(
                groupLimit, "Err_SNS_FriendAdd_Group_Num_Exceed_Threshold", "AddFriends", "30011",
                "the owner would have more friend groups than the app allows.",
                "Delete a group, or name one that exists."),
            Entry(
                pendencyLimit, "Err_SNS_FriendAdd_Pendency_Num_Exceed_Threshold", "AddFriends",
                "30012", "one of the two has as many waiting applications as the app allows.",
                "Withdraw some, or try later."),
            Entry(
                needConfirm, "Err_SNS_FriendAdd_Friend_Allow_Type_Need_Confirm", "AddFriends",
                "30539",
                "this is no refusal: an application was made or renewed, and waits for the user.",
                "Wait for an event."),
        ]
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
                userIDIllegal, "Err_SNS_FriendDelete_UserId_Illegal", "DeleteFriends", "30001",
                "`user_id` is malformed.", "Correct the id."),
            Entry(
                accountNotExist, "Err_SNS_FriendDelete_Account_Not_Exist", "DeleteFriends", "30003",
                "the user is no account of the app.",
                "Import the account first, or drop the user."),
            Entry(
                notFriend, "Err_SNS_FriendDelete_Not_Friend", "DeleteFriends", "31704",
                "no row that the request names exists.", "Take it as done.", isTIMs: true),
        ]
    }

    /// The reasons of CheckFriends.
    public enum FriendCheck {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 600)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 601)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_FriendCheck_UserId_Illegal", "CheckFriends", "30001",
                "`user_id` is malformed.", "Correct the id."),
            Entry(
                accountNotExist, "Err_SNS_FriendCheck_Account_Not_Exist", "CheckFriends", "30003",
                "the user is no account of the app.", "Drop the user."),
        ]
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
                userIDIllegal, "Err_SNS_FriendGetList_UserId_Illegal", "GetFriends", "30001",
                "`user_id` is malformed.", "Correct the id."),
            Entry(
                accountNotExist, "Err_SNS_FriendGetList_Account_Not_Exist", "GetFriends", "30003",
                "the user is no account of the app.", "Drop the user."),
            Entry(
                friendNotExist, "Err_SNS_FriendGetList_Friend_Not_Exist", "GetFriends", "30001",
                "the user is no friend of the caller.", "Drop it from the copy.", isTIMs: true),
        ]
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

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_FriendUpdate_UserId_Illegal", "UpdateFriends", "30001",
                "`user_id` is malformed.", "Correct the id."),
            Entry(
                maskIllegal, "Err_SNS_FriendUpdate_UpdateMask_Illegal", "UpdateFriends", "30001",
                "`update_mask` and `tags` are both given, or the item changes nothing.",
                "Give one of them, with a new value."),
            Entry(
                tagIllegal, "Err_SNS_FriendUpdate_Tag_Illegal", "UpdateFriends", "30001",
                "no friend has such a tag, or a tag is given twice.",
                "Correct it before another try."),
            Entry(
                valueIllegal, "Err_SNS_FriendUpdate_Value_Illegal", "UpdateFriends", "30001",
                "the value of a tag is of the wrong kind.", "Correct it before another try."),
            Entry(
                remarkIllegal, "Err_SNS_FriendUpdate_Remark_Illegal", "UpdateFriends", "30001",
                "the remark is too long.", "Shorten it."),
            Entry(
                groupIllegal, "Err_SNS_FriendUpdate_Group_Illegal", "UpdateFriends", "30001",
                "a group's name is empty or too long, or is given twice.",
                "Correct it before another try."),
            Entry(
                duplicate, "Err_SNS_FriendUpdate_Duplicate", "UpdateFriends", "30001",
                "the same friend stands earlier in the request, with other content.",
                "Send each friend once."),
            Entry(
                customIllegal, "Err_SNS_FriendUpdate_Custom_Illegal", "UpdateFriends", "30001",
                "a custom value is of the wrong kind or too long, or its key is given twice.",
                "Correct it before another try."),
            Entry(
                customNotWritable, "Err_SNS_FriendUpdate_Custom_Write_Permission", "UpdateFriends",
                "40008", "only an administrator may write a custom field.",
                "Leave the field out, or use a credential with the scope `admin`."),
            Entry(
                customTagNotExist, "Err_SNS_FriendUpdate_Custom_Tag_Not_Exist", "UpdateFriends",
                "40009", "the app has no custom field of that key.",
                "Define the field first, or leave it out."),
            Entry(
                accountNotExist, "Err_SNS_FriendUpdate_Account_Not_Exist", "UpdateFriends", "30003",
                "the user is no account of the app.",
                "Import the account first, or drop the user."),
            Entry(
                friendNotExist, "Err_SNS_FriendUpdate_Friend_Not_Exist", "UpdateFriends", "30001",
                "the user is no friend of the caller.", "Add it first, or drop it from the copy."),
            Entry(
                sensitiveText, "Err_SNS_FriendUpdate_Sensitive_Text", "UpdateFriends", "30005",
                "a text holds a word that the app forbids.", "Ask the user for another text."),
            Entry(
                groupLimit, "Err_SNS_FriendUpdate_Group_Num_Exceed_Threshold", "UpdateFriends",
                "30011", "the owner would have more friend groups than the app allows.",
                "Delete a group, or name one that exists.", isTIMs: true),
        ]
    }

    /// The reasons of GetRelations.
    public enum RelationGet {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 900)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 901)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_RelationGet_UserId_Illegal", "GetRelations", "30001",
                "`user_id` is malformed.", "Correct the id."),
            Entry(
                accountNotExist, "Err_SNS_RelationGet_Account_Not_Exist", "GetRelations", "30003",
                "the user is no account of the app.", "Drop the user."),
        ]
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
                userIDIllegal, "Err_SNS_FriendMutual_UserId_Illegal", "ListMutualFriends", "30001",
                "`other_user_id` is malformed.", "Correct the id."),
            Entry(
                oneself, "Err_SNS_FriendMutual_Self", "ListMutualFriends", "30001",
                "the user is the caller.", "Leave the caller out."),
            Entry(
                accountNotExist, "Err_SNS_FriendMutual_Account_Not_Exist", "ListMutualFriends",
                "30003", "the user is no account of the app.", "Drop the user."),
        ]
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

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SNS_FriendImport_UserId_Illegal", "ImportFriends", "30001",
                "`user_id`, the owner of the row, is malformed.", "Correct the row."),
            Entry(
                friendIDIllegal, "Err_SNS_FriendImport_FriendId_Illegal", "ImportFriends", "30001",
                "`friend_user_id` is malformed.", "Correct the row."),
            Entry(
                timeIllegal, "Err_SNS_FriendImport_Time_Illegal", "ImportFriends", "30001",
                "a time is negative.", "Correct the row."),
            Entry(
                remarkIllegal, "Err_SNS_FriendImport_Remark_Illegal", "ImportFriends", "30001",
                "the remark is too long.", "Correct the row."),
            Entry(
                groupIllegal, "Err_SNS_FriendImport_Group_Illegal", "ImportFriends", "30001",
                "a group's name is empty or too long, or is given twice.", "Correct the row."),
            Entry(
                sourceIllegal, "Err_SNS_FriendImport_Source_Illegal", "ImportFriends", "30001",
                "`source` is not `AddSource_Type_` and 1 to 8 letters.", "Correct the row."),
            Entry(
                wordingIllegal, "Err_SNS_FriendImport_Wording_Illegal", "ImportFriends", "30001",
                "the wording is too long.", "Correct the row."),
            Entry(
                customIllegal, "Err_SNS_FriendImport_Custom_Illegal", "ImportFriends", "30001",
                "a custom value is of the wrong kind or too long, or its key is given twice.",
                "Correct the row."),
            Entry(
                customTagNotExist, "Err_SNS_FriendImport_Custom_Tag_Not_Exist", "ImportFriends",
                "40009", "the app has no custom field of that key.",
                "Define the field first, or leave the value out."),
            Entry(
                oneself, "Err_SNS_FriendImport_Self", "ImportFriends", "30001",
                "owner and friend are the same user.", "Leave the row out."),
            Entry(
                accountNotExist, "Err_SNS_FriendImport_Account_Not_Exist", "ImportFriends", "30003",
                "the owner or the friend is no account of the app.", "Import the account first."),
            Entry(
                sensitiveText, "Err_SNS_FriendImport_Sensitive_Text", "ImportFriends", "30005",
                "a text holds a word that the app forbids.", "Correct the row."),
            Entry(
                selfFriendFull, "Err_SNS_FriendImport_My_Friend_Num_Exceed_Threshold",
                "ImportFriends", "30010", "the owner's friend list is full.",
                "Raise the limit, or leave the row out.", isTIMs: true),
            Entry(
                peerFriendFull, "Err_SNS_FriendImport_Peer_Friend_Num_Exceed_Threshold",
                "ImportFriends", "30014", "with `both_ways`, the friend's list is full.",
                "Raise the limit, or leave the row out."),
            Entry(
                groupLimit, "Err_SNS_FriendImport_Group_Num_Exceed_Threshold", "ImportFriends",
                "30011", "the owner would have more friend groups than the app allows.",
                "Delete a group, or name one that exists."),
        ]
    }
}
