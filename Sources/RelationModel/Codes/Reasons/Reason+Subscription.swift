/// The reasons of the calls on subscriptions.
extension Reason {
    /// The reasons of Subscribe.
    public enum Subscribe {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 2900)
        /// The user is the caller.
        public static let oneself = Reason(rawValue: 2901)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 2902)
        /// The caller subscribes to as many users as the app allows.
        public static let subscriberFull = Reason(rawValue: 2903)
        /// The user has as many subscribers as the app allows.
        public static let publisherFull = Reason(rawValue: 2904)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_Subscribe_UserId_Illegal", "34308", .userIDIllegal, .correctID),
            Entry(oneself, "Err_Subscribe_Self", "34308", .oneself, .leaveCallerOut),
            Entry(
                accountNotExist, "Err_Subscribe_Account_Not_Exist", "30003", .noAccount,
                .importAccount),
            Entry(
                subscriberFull, "Err_Subscribe_My_Num_Exceed_Threshold", "26022",
                "the caller subscribes to as many users as the app allows.",
                "End another subscription first."),
            Entry(
                publisherFull, "Err_Subscribe_Peer_Num_Exceed_Threshold", "26021",
                "the user has as many subscribers as the app allows.", "Try later."),
        ].sent(by: "Subscribe")
    }

    /// The reasons of Unsubscribe.
    public enum Unsubscribe {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 3000)
        /// The user is the caller.
        public static let oneself = Reason(rawValue: 3001)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_Unsubscribe_UserId_Illegal", "34308", .userIDIllegal, .correctID
            ),
            Entry(oneself, "Err_Unsubscribe_Self", "34308", .oneself, .leaveCallerOut),
        ].sent(by: "Unsubscribe")
    }

    /// The reasons of QuerySubscriptions.
    public enum SubscriptionQuery {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 3100)
        /// The user is the caller.
        public static let oneself = Reason(rawValue: 3101)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 3102)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_SubscriptionQuery_UserId_Illegal", "34308", .userIDIllegal,
                .correctID),
            Entry(oneself, "Err_SubscriptionQuery_Self", "34308", .oneself, .leaveCallerOut),
            Entry(
                accountNotExist, "Err_SubscriptionQuery_Account_Not_Exist", "30003", .noAccount,
                .dropUser),
        ].sent(by: "QuerySubscriptions")
    }
}
