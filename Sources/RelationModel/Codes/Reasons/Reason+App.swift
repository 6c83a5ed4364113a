/// The reasons of the calls on custom fields, and of the definition of permissions.
extension Reason {
    /// The reasons of DefineCustomFields and RetireCustomField.
    public enum CustomField {
        /// `owner` is neither profiles nor friends.
        public static let ownerIllegal = Reason(rawValue: 2100)
        /// The key is too long, or has a character that the app's preset does not allow.
        public static let keyIllegal = Reason(rawValue: 2101)
        /// `value_type` is not given.
        public static let typeIllegal = Reason(rawValue: 2102)
        /// The same field stands earlier in the request, with other content.
        public static let duplicate = Reason(rawValue: 2103)
        /// The field exists, perhaps retired, with another type.
        public static let typeDiffers = Reason(rawValue: 2104)
        /// The app would have one field more than it may.
        public static let limit = Reason(rawValue: 2105)
        /// There is no such field, or it is retired.
        public static let notExist = Reason(rawValue: 2106)

        static let entries: [Entry] = [
            Entry(
                ownerIllegal, "Err_App_CustomField_Owner_Illegal", "30001",
                "`owner` is neither profiles nor friends.", .correctIt,
                calls: "DefineCustomFields, RetireCustomField"),
            Entry(
                keyIllegal, "Err_App_CustomField_Key_Illegal", "30001",
                "the key is too long, or has a character that the app's preset does not allow.",
                .correctIt),
            Entry(
                typeIllegal, "Err_App_CustomField_Type_Illegal", "30001",
                "`value_type` is not given.", .correctIt),
            Entry(
                duplicate, "Err_App_CustomField_Duplicate", "30001",
                "the same field stands earlier in the request, with other content.",
                "Send each field once."),
            Entry(
                typeDiffers, "Err_App_CustomField_Type_Differs", "30001",
                "the field exists, perhaps retired, with another type.", "Take another key."),
            Entry(
                limit, "Err_App_CustomField_Num_Exceed_Threshold", "30001",
                "the app would have one field more than it may.",
                "Retire a field, or raise the limit."),
            Entry(
                notExist, "Err_App_CustomField_Not_Exist", "40009",
                "there is no such field, or it is retired.", .takeAsDone, calls: "RetireCustomField"
            ),
        ].sent(by: "DefineCustomFields")
    }

    /// The reasons of DefinePermissions.
    public enum ConsentDefine {
        /// The name of the permission is malformed.
        public static let permissionIllegal = Reason(rawValue: 2800)
        /// The same permission stands earlier in the request, with other content.
        public static let duplicate = Reason(rawValue: 2801)
        /// The fields are more than 64, or one comes twice.
        public static let fieldsIllegal = Reason(rawValue: 2802)
        /// The lifetime is negative or too long.
        public static let lifetimeIllegal = Reason(rawValue: 2803)
        /// Profiles have no such field.
        public static let fieldNotExist = Reason(rawValue: 2804)
        /// Only the user itself and administrators may read the field.
        public static let fieldNotReadable = Reason(rawValue: 2805)
        /// The permission is to publish, and opens fields or is of a kind that reads.
        public static let accessIllegal = Reason(rawValue: 2806)
        /// The permission is built in, and more than its lifetime would change.
        public static let builtIn = Reason(rawValue: 2807)
        /// The kind is that of built-in permissions.
        public static let kindIllegal = Reason(rawValue: 2808)
        /// The app has defined as many permissions as it may.
        public static let tooMany = Reason(rawValue: 2809)

        static let entries: [Entry] = [
            Entry(
                permissionIllegal, "Err_Consent_Define_Permission_Illegal", "40001",
                .permissionIllegal, .correctIt),
            Entry(
                duplicate, "Err_Consent_Define_Duplicate", "40001",
                "the same permission stands earlier in the request, with other content.",
                "Send each permission once."),
            Entry(
                fieldsIllegal, "Err_Consent_Define_Fields_Illegal", "40001",
                "the fields are more than 64, or one comes twice.", .correctIt),
            Entry(
                lifetimeIllegal, "Err_Consent_Define_Lifetime_Illegal", "40001",
                "the lifetime is negative or too long.", .correctIt),
            Entry(
                fieldNotExist, "Err_Consent_Define_Field_Not_Exist", "40009",
                "profiles have no such field.", .defineCustomField),
            Entry(
                fieldNotReadable, "Err_Consent_Define_Field_Not_Readable", "40007",
                "only the user itself and administrators may read the field.", .leaveOut),
            Entry(
                accessIllegal, "Err_Consent_Define_Access_Illegal", "40605",
                "the permission is to publish, and opens fields or is of a kind that reads.",
                .correctIt),
            Entry(
                builtIn, "Err_Consent_Define_Built_In", "40605",
                "the permission is built in, and more than its lifetime would change.", .anotherName
            ),
            Entry(
                kindIllegal, "Err_Consent_Define_Kind_Illegal", "40605",
                "the kind is that of built-in permissions.", .correctIt),
            Entry(
                tooMany, "Err_Consent_Define_Permission_Num_Exceed_Threshold", "40605",
                "the app has defined as many permissions as it may.",
                "Use a permission that exists."),
        ].sent(by: "DefinePermissions")
    }
}
