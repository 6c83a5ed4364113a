/// The reasons of the calls on invitations.
extension Reason {
    /// The reasons of AcceptInvitation, and of ExplainAcceptInvitation.
    public enum InvitationAccept {
        /// `invitation_code` has not the form of a code.
        public static let codeIllegal = Reason(rawValue: 3900)
        /// There is no invitation of that code, or it was revoked.
        public static let notFound = Reason(rawValue: 3901)
        /// The time of the invitation is over.
        public static let expired = Reason(rawValue: 3902)
        /// As many users as the invitation allows have used it.
        public static let usedUp = Reason(rawValue: 3903)
        /// The invitation is the caller's own.
        public static let oneself = Reason(rawValue: 3904)
        /// The remark is too long.
        public static let remarkIllegal = Reason(rawValue: 3905)
        /// The wording is too long.
        public static let wordingIllegal = Reason(rawValue: 3906)
        /// The inviter is no longer an account of the app.
        public static let accountNotExist = Reason(rawValue: 3907)
        /// The administrator forbids the caller to add friends.
        public static let denied = Reason(rawValue: 3908)
        /// The inviter is on the caller's blacklist.
        public static let inSelfBlacklist = Reason(rawValue: 3909)
        /// The caller is on the inviter's blacklist.
        public static let inPeerBlacklist = Reason(rawValue: 3910)
        /// The two are friends already.
        public static let friendExist = Reason(rawValue: 3911)
        /// A text holds a word that the app forbids.
        public static let sensitiveText = Reason(rawValue: 3912)
        /// The caller has sent as many applications in this window as the app allows.
        public static let restricted = Reason(rawValue: 3913)
        /// The inviter lets no other user add it, and the invitation is not pre-approved.
        public static let allowTypeForbid = Reason(rawValue: 3914)
        /// The caller's friend list is full.
        public static let selfFriendFull = Reason(rawValue: 3915)
        /// The inviter's friend list is full.
        public static let peerFriendFull = Reason(rawValue: 3916)
        /// One of the two has as many waiting applications as the app allows.
        public static let pendencyLimit = Reason(rawValue: 3917)
        /// This is not a refusal: an application was made or renewed, and waits for the inviter.
        public static let needConfirm = Reason(rawValue: 3918)
        /// As many applications came in to the inviter in this window as the app allows.
        public static let peerRestricted = Reason(rawValue: 3919)
        /// The inviter refused an application of the caller, and the app's time after that is not
        /// over.
        public static let coolingDown = Reason(rawValue: 3920)
        /// The caller's account is newer than the app allows for adding other users.
        public static let newAccount = Reason(rawValue: 3921)

        /// The call with texts, or with a code.
        private static let used = "AcceptInvitation"

        static let entries: [Entry] = [
            Entry(
                codeIllegal, "Err_InvitationAccept_Code_Illegal", "30001",
                .codeIllegal, .askForCode, calls: used),
            Entry(
                notFound, "Err_InvitationAccept_Not_Exist", "30001",
                .noInvitation, .askForCode),
            Entry(
                expired, "Err_InvitationAccept_Expired", "30001",
                "the time of the invitation is over.", .askForCode),
            Entry(
                usedUp, "Err_InvitationAccept_Used_Up", "30001",
                "as many users as the invitation allows have used it.", .askForCode),
            Entry(
                oneself, "Err_InvitationAccept_Self", "30001",
                "the invitation is the caller's own.", "Give it to another user."),
            Entry(
                remarkIllegal, "Err_InvitationAccept_Remark_Illegal", "30001", .remarkTooLong,
                .shorten, calls: used),
            Entry(
                wordingIllegal, "Err_InvitationAccept_Wording_Illegal", "30001", .wordingTooLong,
                .shorten, calls: used),
            Entry(
                accountNotExist, "Err_InvitationAccept_Account_Not_Exist", "30003",
                "the inviter is no longer an account of the app.", "Forget the invitation."),
            Entry(
                denied, "Err_InvitationAccept_Admin_Forbid", "30009",
                "the administrator forbids the caller to add friends.",
                "Only an administrator can change this."),
            Entry(
                inSelfBlacklist, "Err_InvitationAccept_In_Self_BlackList", "30515",
                "the inviter is on the caller's blacklist.", "Remove it from there first."),
            Entry(
                inPeerBlacklist, "Err_InvitationAccept_In_Peer_BlackList", "30525",
                "the caller is on the inviter's blacklist.", "Show it as a plain refusal."),
            Entry(
                friendExist, "Err_InvitationAccept_Friend_Exist", "30001",
                "the two are friends already.", .takeAsDone),
            Entry(
                sensitiveText, "Err_InvitationAccept_Sensitive_Text", "30005", .forbiddenWord,
                .askForText, calls: used),
            Entry(
                restricted, "Err_InvitationAccept_Too_Frequent", "30540",
                .sentTooMany, .tryNextWindow),
            Entry(
                allowTypeForbid, "Err_InvitationAccept_Allow_Type_Forbid", "30516",
                "the inviter lets no other user add it, and the invitation is not pre-approved.",
                "Ask the inviter for another one."),
            Entry(
                selfFriendFull, "Err_InvitationAccept_My_Friend_Num_Exceed_Threshold", "30010",
                .listFull, .deleteFriends),
            Entry(
                peerFriendFull, "Err_InvitationAccept_Peer_Friend_Num_Exceed_Threshold", "30014",
                "the inviter's friend list is full.", "Only the inviter can change this."),
            Entry(
                pendencyLimit, "Err_InvitationAccept_Pendency_Num_Exceed_Threshold", "30012",
                "one of the two has as many waiting applications as the app allows.",
                "Withdraw some, or try later."),
            Entry(
                needConfirm, "Err_InvitationAccept_Need_Confirm", "30539",
                "this is not a refusal: an application was made or renewed, and waits for the"
                    + " inviter.",
                "Wait for an event."),
            Entry(
                peerRestricted, "Err_InvitationAccept_Peer_Too_Frequent", "30540",
                .receivedTooMany, .tryNextWindow),
            Entry(
                coolingDown, "Err_InvitationAccept_Cooling_Down", "30540", .refusedBefore,
                .tryLater),
            Entry(
                newAccount, "Err_InvitationAccept_New_Account", "30540", .accountTooNew, .tryLater),
        ].sent(by: "AcceptInvitation, ExplainAcceptInvitation")
    }

    /// The reasons of CreateInvitation.
    public enum InvitationCreate {
        /// The text is too long.
        public static let textIllegal = Reason(rawValue: 4000)
        /// A text holds a word that the app forbids.
        public static let sensitiveText = Reason(rawValue: 4001)
        /// The caller has as many invitations that are good as the app allows.
        public static let limit = Reason(rawValue: 4002)

        static let entries: [Entry] = [
            Entry(
                textIllegal, "Err_InvitationCreate_Text_Illegal", "30001", "the text is too long.",
                .shorten),
            Entry(
                sensitiveText, "Err_InvitationCreate_Sensitive_Text", "30005", .forbiddenWord,
                .askForText),
            Entry(
                limit, "Err_InvitationCreate_Num_Exceed_Threshold", "30001",
                "the caller has as many invitations that are good as the app allows.",
                "Revoke one first."),
        ].sent(by: "CreateInvitation")
    }

    /// The reasons of GetInvitation.
    public enum InvitationGet {
        /// `invitation_code` has not the form of a code.
        public static let codeIllegal = Reason(rawValue: 4100)
        /// There is no invitation of that code, or it was revoked.
        public static let notFound = Reason(rawValue: 4101)
        /// The inviter is suspended.
        public static let suspended = Reason(rawValue: 4102)

        static let entries: [Entry] = [
            Entry(
                codeIllegal, "Err_InvitationGet_Code_Illegal", "30001", .codeIllegal, .askForCode),
            Entry(
                notFound, "Err_InvitationGet_Not_Exist", "30001", .noInvitation, .askForCode),
            Entry(
                suspended, "Err_InvitationGet_Peer_Suspended", "30540", .inviterSuspended,
                .dropUser),
        ].sent(by: "GetInvitation")
    }
}
