package import Protobuf
package import RelationModel

/// The profile of a user.
///
/// A field that was never set is absent. The fields have the numbers of the contract's `Profile`,
/// so that an event that holds a profile is sent as it is stored. Fields that only the store has
/// are numbered above 100.
package struct ProfileRecord: CodedMessage, Equatable {
    /// The profile's user, set in events only: a stored profile has it in its key.
    package var userID = ""
    package var nick: String?
    package var faceURL: String?
    package var allowType: AllowType?
    package var gender: Gender?
    package var birthday: UInt32?
    package var location: [UInt8]?
    package var language: UInt32?
    package var level: UInt32?
    package var role: UInt32?
    package var selfSignature: [UInt8]?
    package var msgSettings: UInt32?
    package var adminForbidType: AdminForbidType?
    package var uniqueID: String?
    package var email: String?
    package var birthdayText: String?
    package var locationText: String?
    package var name: String?
    package var firstName: String?
    package var middleName: String?
    package var lastName: String?
    package var link: String?
    package var username: String?
    package var locale: String?
    package var pictureURL: String?
    /// The custom values in order of their keys, those of retired fields included.
    package var custom: [CustomValue] = []
    /// The visibility that the user chose; if it is ``Visibility/notSet``, the app's default
    /// applies.
    package var visibility = Visibility.notSet
    /// The number of changes of the profile and of its visibility: 0 before the first.
    package var version: Int64 = 0
    /// The position of its last change in the app's feed.
    ///
    /// A reader that has not come so far has not seen the change.
    package var position: Int64 = 0
    /// The version of the last change that is seen by viewers that see all that others may.
    ///
    /// Those viewers get it instead of ``version``, so that they learn nothing of changes that they
    /// do not see. Nil in a row that an older server wrote.
    package var openVersion: Int64?
    /// The version of the last change that is seen by viewers that see only the card.
    ///
    /// They get it instead of ``version`` likewise. Nil in a row that an older server wrote.
    package var cardVersion: Int64?
    /// The fields for which the user has chosen who sees them, and those that had such a choice, or
    /// a default of the app, when they changed last; in the order of the profile's fields.
    ///
    /// Their changes count here, and not in ``openVersion``.
    package var fieldChoices: [FieldChoiceRecord] = []
    /// The fields under review, in the order of the profile's fields.
    ///
    /// A value that is held is here alone, so nothing that shows a profile to others has it.
    package var reviews: [ReviewRecord] = []

    package init() {}

    package static let schema = Schema("relation.store.Profile", ProfileRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "nick", &nick)
        visitor.field(3, "face_url", &faceURL)
        visitor.field(4, "allow_type", &allowType)
        visitor.field(5, "gender", &gender)
        visitor.field(6, "birthday", &birthday)
        visitor.field(7, "location", &location)
        visitor.field(8, "language", &language)
        visitor.field(9, "level", &level)
        visitor.field(10, "role", &role)
        visitor.field(11, "self_signature", &selfSignature)
        visitor.field(12, "msg_settings", &msgSettings)
        visitor.field(13, "admin_forbid_type", &adminForbidType)
        visitor.field(14, "version", &version)
        visitor.field(15, "unique_id", &uniqueID)
        visitor.field(16, "email", &email)
        visitor.field(17, "birthday_text", &birthdayText)
        visitor.field(18, "location_text", &locationText)
        visitor.field(19, "name", &name)
        visitor.field(20, "first_name", &firstName)
        visitor.field(21, "middle_name", &middleName)
        visitor.field(22, "last_name", &lastName)
        visitor.field(23, "link", &link)
        visitor.field(24, "username", &username)
        visitor.field(25, "locale", &locale)
        visitor.field(26, "picture_url", &pictureURL)
        visitor.field(28, "custom", &custom)
        visitor.field(101, "visibility", &visibility)
        visitor.field(102, "position", &position)
        visitor.field(103, "open_version", &openVersion)
        visitor.field(104, "card_version", &cardVersion)
        visitor.field(105, "field_choices", &fieldChoices)
        visitor.field(112, "reviews", &reviews)
    }
}
