/// The reasons of ImportApp.
extension Reason {
    /// The reasons of ImportApp.
    public enum AppImport {
        /// A field breaks a rule, and the result names both.
        public static let rowIllegal = Reason(rawValue: 3400)
        /// The row is out of the order of an export, or the row of its account was refused.
        public static let order = Reason(rawValue: 3401)
        /// Another user has the unique identifier.
        public static let uniqueIDTaken = Reason(rawValue: 3402)
        /// Only operators may import bounds, keys and secrets.
        public static let operatorsOnly = Reason(rawValue: 3403)
        /// This is not a refusal: the credential comes without its secret, or its key names another
        /// app.
        public static let credentialMissing = Reason(rawValue: 3404)

        static let entries: [Entry] = [
            Entry(
                rowIllegal, "Err_App_Import_Row_Illegal", "30001",
                "a field breaks a rule, and the result names both.", .correctRow),
            Entry(
                order, "Err_App_Import_Order", "30001",
                "the row is out of the order of an export, or the row of its account was refused.",
                "Send the rows as ExportApp sent them."),
            Entry(
                uniqueIDTaken, "Err_App_Import_Unique_Id_Taken", "30001",
                "another user has the unique identifier.", .correctRow),
            Entry(
                operatorsOnly, "Err_App_Import_Operators_Only", "30001",
                "only operators may import bounds, keys and secrets.",
                "Import it with an operator's key."),
            Entry(
                credentialMissing, "Err_App_Import_Credential_Missing", "0",
                "this is not a refusal: the credential comes without its secret, or its key "
                    + "names another app.", "Make a new one."),
        ].sent(by: "ImportApp")
    }
}
