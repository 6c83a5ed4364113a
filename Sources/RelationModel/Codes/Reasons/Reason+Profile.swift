/// The reasons of the calls on profiles.
extension Reason {
    /// The reasons of GetProfiles, of ExplainProfile, and of the rows of ImportProfiles.
    public enum ProfileGet {
        /// `user_id` is malformed.
        public static let userIDIllegal = Reason(rawValue: 2200)
        /// The user is not an account of the app.
        public static let accountNotExist = Reason(rawValue: 2201)

        static let entries: [Entry] = [
            Entry(
                userIDIllegal, "Err_Profile_PortraitGet_UserId_Illegal", "40001", .userIDIllegal,
                .correctID),
            Entry(
                accountNotExist, "Err_Profile_PortraitGet_Account_Not_Exist", "40003", .noAccount,
                .dropUser),
        ].sent(by: "GetProfiles, ExplainProfile, ImportProfiles")
    }

    /// The reasons of UpdateProfile and its violations, and of the rows of ImportProfiles.
    public enum ProfileSet {
        /// It is one custom field more than the app allows.
        public static let tooManyCustomFields = Reason(rawValue: 2300)
        /// A profile has no such field.
        public static let tagNotExist = Reason(rawValue: 2301)
        /// The field is given twice.
        public static let duplicate = Reason(rawValue: 2302)
        /// The caller may not write the field.
        public static let notWritable = Reason(rawValue: 2303)
        /// The value is of the wrong kind.
        public static let wrongKind = Reason(rawValue: 2304)
        /// The value is too long.
        public static let tooLong = Reason(rawValue: 2305)
        /// The value is of the right kind, and the field cannot have it.
        public static let valueIllegal = Reason(rawValue: 2306)
        /// A text holds a word that the app forbids.
        public static let sensitiveText = Reason(rawValue: 2307)
        /// Another user has that unique id.
        public static let uniqueIDTaken = Reason(rawValue: 2308)

        static let entries: [Entry] = [
            Entry(
                tooManyCustomFields, "Err_Profile_PortraitSet_Custom_Num_Exceed_Threshold",
                "40601, 24363 in `rongcloud`", "it is one custom field more than the app allows.",
                "Empty another custom field first."),
            Entry(
                tagNotExist, "Err_Profile_PortraitSet_Tag_Not_Exist",
                "40009, 24361 (24362 for a custom field) in `rongcloud`",
                "a profile has no such field.", .defineCustomField),
            Entry(
                duplicate, "Err_Profile_PortraitSet_Duplicate", "40001",
                "the field is given twice.", "Give each field once."),
            Entry(
                notWritable, "Err_Profile_PortraitSet_Write_Permission",
                "40008, 24360 in `rongcloud`", "the caller may not write the field.", .needsAdmin,
                calls: "UpdateProfile"),
            Entry(
                wrongKind, "Err_Profile_PortraitSet_Value_Format", "40610, 24367 in `rongcloud`",
                "the value is of the wrong kind.", .correctIt),
            Entry(
                tooLong, "Err_Profile_PortraitSet_Value_Too_Long", "40601, 24364 in `rongcloud`",
                "the value is too long.", .shorten),
            Entry(
                valueIllegal, "Err_Profile_PortraitSet_Value_Illegal",
                "40605, 24368 in `rongcloud`",
                "the value is of the right kind, and the field cannot have it.", .correctIt),
            Entry(
                sensitiveText, "Err_Profile_PortraitSet_Sensitive_Text",
                "40005, 25480 in `rongcloud`", .forbiddenWord, .askForText),
            Entry(
                uniqueIDTaken, "Err_Profile_UniqueId_Taken", "40605, 24368 in `rongcloud`",
                "another user has that unique id.", "Take another one."),
        ].sent(by: "UpdateProfile, ImportProfiles")
    }

    /// The reasons of FindProfileByUniqueId.
    public enum ProfileFind {
        /// The unique id is malformed.
        public static let uniqueIDIllegal = Reason(rawValue: 2400)
        /// No user has that unique id.
        public static let uniqueIDNotExist = Reason(rawValue: 2401)

        static let entries: [Entry] = [
            Entry(
                uniqueIDIllegal, "Err_Profile_UniqueId_Illegal", "34236",
                "the unique id is malformed.", "Ask the user for another one."),
            Entry(
                uniqueIDNotExist, "Err_Profile_UniqueId_Not_Exist", "24366",
                "no user has that unique id.", "Tell the user that nothing was found."),
        ].sent(by: "FindProfileByUniqueId")
    }

    /// The reasons of SetVisibility.
    public enum VisibilitySet {
        /// The user has no friend group of that name.
        public static let groupNotExist = Reason(rawValue: 4500)
        /// More fields would have a choice than the app allows.
        public static let tooManyFields = Reason(rawValue: 4501)
        /// The choices would name too many groups.
        public static let tooManyGroups = Reason(rawValue: 4502)

        static let entries: [Entry] = [
            Entry(
                groupNotExist, "Err_VisibilitySet_Group_Not_Exist", "40001",
                "the user has no friend group of that name.",
                "Make the group first, or choose another one."),
            Entry(
                tooManyFields, "Err_VisibilitySet_Field_Num_Exceed_Threshold", "40601",
                "more fields would have a choice than the app allows.",
                "Take back the choice for another field first."),
            Entry(
                tooManyGroups, "Err_VisibilitySet_Group_Num_Exceed_Threshold", "40601",
                "the choices would name too many groups.",
                "Choose fewer groups, or the same ones for several fields."),
        ].sent(by: "SetVisibility")
    }
}
