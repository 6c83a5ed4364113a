/// The reasons of the calls on dismissed suggestions.
extension Reason {
    /// The reasons of DismissSuggestions and RestoreSuggestions.
    public enum SuggestionDismiss {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 4300)
        /// The user is the caller.
        public static let oneself = Reason(rawValue: 4301)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 4302)
        /// The caller has dismissed as many users as the app allows.
        public static let full = Reason(rawValue: 4303)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SuggestionDismiss_UserId_Illegal", "30001", .userIDIllegal,
                .correctID, calls: "DismissSuggestions, RestoreSuggestions"),
            Entry(oneself, "Err_SuggestionDismiss_Self", "30001", .oneself, .leaveCallerOut),
            Entry(
                accountNotExist, "Err_SuggestionDismiss_Account_Not_Exist", "30003", .noAccount,
                .importAccount),
            Entry(
                full, "Err_SuggestionDismiss_Num_Exceed_Threshold", "30001",
                "the caller has dismissed as many users as the app allows.",
                "Restore another user first."),
        ].sent(by: "DismissSuggestions")
    }
}
