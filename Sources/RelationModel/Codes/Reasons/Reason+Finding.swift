/// The reasons of the calls on digests of phone numbers and mail addresses.
extension Reason {
    /// The reasons of SetContactDigests.
    public enum ContactSet {
        /// As many other users have one of the digests as may have it.
        public static let digestFull = Reason(rawValue: 4800)
        /// Only administrators of the app may set digests.
        public static let adminRequired = Reason(rawValue: 4801)

        static let entries: [Entry] = [
            Entry(
                digestFull, "Err_ContactSet_Digest_Full", "30001",
                "as many other users have one of the digests as may have it.",
                "Clear the digest of a user that has the number no more."),
            Entry(
                adminRequired, "Err_ContactSet_Admin_Required", "30004",
                "only administrators of the app may set digests.",
                "Let the backend of the app set them."),
        ].sent(by: "SetContactDigests")
    }

    /// The reasons of FindContacts.
    public enum ContactFind {
        /// The caller has asked for as many digests in this window as the app allows.
        public static let limit = Reason(rawValue: 4900)

        static let entries: [Entry] = [
            Entry(
                limit, "Err_ContactFind_Limit", "30001",
                "the caller has asked for as many digests in this window as the app allows.",
                .tryNextWindow)
        ].sent(by: "FindContacts")
    }
}
