/// The reasons of the calls on accounts.
extension Reason {
    /// The reasons of ImportAccounts.
    public enum AccountImport {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 1800)
        /// `nick` is too long.
        public static let nickIllegal = Reason(rawValue: 1801)
        /// `face_url` is too long.
        public static let faceURLIllegal = Reason(rawValue: 1802)
        /// A text holds a word that the app forbids.
        public static let sensitiveText = Reason(rawValue: 1803)
        /// The account of that id is still being deleted.
        public static let isLeaving = Reason(rawValue: 1804)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_Account_Import_UserId_Illegal", "30001", .userIDIllegal,
                .correctRow),
            Entry(
                nickIllegal, "Err_Account_Import_Nick_Illegal", "30001", "`nick` is too long.",
                .correctRow),
            Entry(
                faceURLIllegal, "Err_Account_Import_FaceUrl_Illegal", "30001",
                "`face_url` is too long.", .correctRow),
            Entry(
                sensitiveText, "Err_Account_Import_Sensitive_Text", "30005", .forbiddenWord,
                .correctRow),
            Entry(
                isLeaving, "Err_Account_Import_Deletion_Running", "30001",
                "the account of that id is still being deleted.",
                "Send the row again when the deletion is done."),
        ].sent(by: "ImportAccounts")
    }

    /// The reasons of CheckAccounts.
    public enum AccountCheck {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 1900)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_Account_Check_UserId_Illegal", "30001", .userIDIllegal,
                .correctID)
        ].sent(by: "CheckAccounts")
    }

    /// The reasons of DeleteAccounts.
    public enum AccountDelete {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 2000)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 2001)
        /// This is not a refusal: the deletion of the account began before.
        public static let isRunning = Reason(rawValue: 2002)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_Account_Delete_UserId_Illegal", "30001", .userIDIllegal,
                .correctID),
            Entry(
                accountNotExist, "Err_Account_Delete_Account_Not_Exist", "30003", .noAccount,
                .takeAsDone),
            Entry(
                isRunning, "running", "0",
                "this is not a refusal: the deletion of the account began before.",
                "Poll GetDeletion."
            ),
        ].sent(by: "DeleteAccounts")
    }

    /// The reasons of RevokeUserSessions.
    public enum SessionRevoke {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 4200)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_Session_Revoke_UserId_Illegal", "30001", .userIDIllegal,
                .correctID)
        ].sent(by: "RevokeUserSessions")
    }
}
