package import Protobuf
package import RelationModel

/// What a user says about itself.
///
/// A field that was never set is absent.
package struct ProfileRecord: Message, Equatable {
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
    /// In order of the keys; those of retired fields too.
    package var custom: [CustomValue] = []
    /// What the user chose; the app's default holds where it is ``Visibility/notSet``.
    package var visibility = Visibility.notSet
    /// Counts the changes of the profile and of its visibility: 1 after the first, 0 before it.
    package var version: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Profile", ProfileRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "nick", &nick)
        visitor.field(2, "face_url", &faceURL)
        visitor.field(3, "allow_type", &allowType)
        visitor.field(4, "gender", &gender)
        visitor.field(5, "birthday", &birthday)
        visitor.field(6, "location", &location)
        visitor.field(7, "language", &language)
        visitor.field(8, "level", &level)
        visitor.field(9, "role", &role)
        visitor.field(10, "self_signature", &selfSignature)
        visitor.field(11, "msg_settings", &msgSettings)
        visitor.field(12, "admin_forbid_type", &adminForbidType)
        visitor.field(13, "unique_id", &uniqueID)
        visitor.field(14, "email", &email)
        visitor.field(15, "birthday_text", &birthdayText)
        visitor.field(16, "location_text", &locationText)
        visitor.field(17, "name", &name)
        visitor.field(18, "first_name", &firstName)
        visitor.field(19, "middle_name", &middleName)
        visitor.field(20, "last_name", &lastName)
        visitor.field(21, "link", &link)
        visitor.field(22, "username", &username)
        visitor.field(23, "locale", &locale)
        visitor.field(24, "picture_url", &pictureURL)
        visitor.field(25, "custom", &custom)
        visitor.field(26, "visibility", &visibility)
        visitor.field(100, "version", &version)
    }
}
