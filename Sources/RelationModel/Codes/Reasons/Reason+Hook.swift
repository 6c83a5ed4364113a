/// The reasons that an app's own hook gives.
extension Reason {
    /// The reasons of the calls about which a hook is asked.
    public enum Hook {
        /// The app's own hook refuses it, with a code and an `info` of its own.
        public static let refused = Reason(rawValue: 5600)
        /// The app's own hook gave no answer, and the app wants a refusal then.
        public static let silent = Reason(rawValue: 5601)

        static let entries: [Entry] = [
            Entry(
                refused, "Err_Hook_Refused", "38000",
                "the app's own hook refuses it, with a code of 38000 to 39000 and an `info` of "
                    + "its own.",
                "Do as the app's own systems say."),
            Entry(
                silent, "Err_Hook_Silent", "38000",
                "the app's own hook gave no answer, and the app wants a refusal then.", .tryLater),
        ].sent(
            by: "AddFriends, RespondToApplications, UpdateProfile, Follow, AddToBlacklist, "
                + "UpdateFriends")
    }
}
