package import RelationModel

/// The fields of a profile that a call can name, custom ones excepted.
///
/// Each has its name in the contract and its names in the source systems. Its raw value is the
/// number in the contract.
package enum ProfileField: UInt8, CaseIterable, Sendable {
    // Tencent IM's
    case nick = 2
    case faceURL, allowType, gender, birthday, location, language, level, role
    case selfSignature, msgSettings, adminForbidType
    // RongCloud's
    case uniqueID = 15
    case email, birthdayText, locationText
    // Facebook's
    case name, firstName, middleName, lastName, link, username, locale, pictureURL
    /// Derived from the birthday whenever a profile is read.
    case ageRange

    /// The fields that are stored; an update may name any of them.
    package static let stored = allCases.filter { $0 != .ageRange }

    /// The number in the contract, and in the stored record.
    package var number: UInt32 { UInt32(rawValue) }

    /// The name in the contract, used in field masks.
    package var name: String {
        switch self {
        case .nick: "nick"
        case .faceURL: "face_url"
        case .allowType: "allow_type"
        case .gender: "gender"
        case .birthday: "birthday"
        case .location: "location"
        case .language: "language"
        case .level: "level"
        case .role: "role"
        case .selfSignature: "self_signature"
        case .msgSettings: "msg_settings"
        case .adminForbidType: "admin_forbid_type"
        case .uniqueID: "unique_id"
        case .email: "email"
        case .birthdayText: "birthday_text"
        case .locationText: "location_text"
        case .name: "name"
        case .firstName: "first_name"
        case .middleName: "middle_name"
        case .lastName: "last_name"
        case .link: "link"
        case .username: "username"
        case .locale: "locale"
        case .pictureURL: "picture_url"
        case .ageRange: "age_range"
        }
    }

    /// The names in the source systems: Tencent IM's tag and, if its client SDK has one, the name
    /// there; then RongCloud's or Facebook's.
    ///
    /// A name that both of the latter use means RongCloud's field. So Facebook's `name` can only be
    /// named in a field mask.
    package var tags: [String] {
        switch self {
        case .nick: ["Tag_Profile_IM_Nick", "TIMProfileTypeKey_Nick", "name"]
        case .faceURL: ["Tag_Profile_IM_Image", "TIMProfileTypeKey_FaceUrl", "portraitUri"]
        case .allowType: ["Tag_Profile_IM_AllowType", "TIMProfileTypeKey_AllowType"]
        case .gender: ["Tag_Profile_IM_Gender", "TIMProfileTypeKey_Gender", "gender"]
        case .birthday: ["Tag_Profile_IM_BirthDay", "TIMProfileTypeKey_Birthday"]
        case .location: ["Tag_Profile_IM_Location", "TIMProfileTypeKey_Location"]
        case .language: ["Tag_Profile_IM_Language", "TIMProfileTypeKey_Language"]
        case .level: ["Tag_Profile_IM_Level", "TIMProfileTypeKey_Level", "level"]
        case .role: ["Tag_Profile_IM_Role", "TIMProfileTypeKey_Role", "role"]
        case .selfSignature: ["Tag_Profile_IM_SelfSignature", "TIMProfileTypeKey_SelfSignature"]
        case .msgSettings: ["Tag_Profile_IM_MsgSettings"]
        case .adminForbidType: ["Tag_Profile_IM_AdminForbidType"]
        case .uniqueID: ["uniqueId"]
        case .email: ["email"]
        case .birthdayText: ["birthday"]
        case .locationText: ["location"]
        case .name: []
        case .firstName: ["first_name"]
        case .middleName: ["middle_name"]
        case .lastName: ["last_name"]
        case .link: ["link"]
        case .username: ["username"]
        case .locale: ["locale"]
        case .pictureURL: ["picture"]
        case .ageRange: []
        }
    }

    /// Whether only the user itself and administrators may read it.
    @inline(__always)
    package var isPrivate: Bool {
        self == .msgSettings || self == .adminForbidType
    }

    /// Whether a user that is not a friend may read it, whatever the user's visibility: name and
    /// portrait, which like the id are always visible.
    @inline(__always)
    package var isAlwaysVisible: Bool {
        self == .nick || self == .faceURL
    }

    /// Whether only administrators may write it.
    package var isWrittenByAdministrators: Bool {
        self == .adminForbidType || self == .uniqueID
    }

    package init?(named name: String) {
        guard let field = Self.byName[name] else { return nil }
        // The dictionary takes texts that look alike for equal, but a field's name has only one
        // spelling in bytes.
        guard field.name.isExactly(name) else { return nil }
        self = field
    }

    package init?(tag: String) {
        guard let field = Self.byTag[tag] else { return nil }
        guard field.tags.contains(where: { $0.isExactly(tag) }) else { return nil }
        self = field
    }

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })
    private static let byTag = Dictionary(
        uniqueKeysWithValues: allCases.flatMap { field in field.tags.map { ($0, field) } })

    /// Copies this field's value, or its absence.
    package func copy(from source: ProfileRecord, to target: inout ProfileRecord) {
        switch self {
        case .nick: target.nick = source.nick
        case .faceURL: target.faceURL = source.faceURL
        case .allowType: target.allowType = source.allowType
        case .gender: target.gender = source.gender
        case .birthday: target.birthday = source.birthday
        case .location: target.location = source.location
        case .language: target.language = source.language
        case .level: target.level = source.level
        case .role: target.role = source.role
        case .selfSignature: target.selfSignature = source.selfSignature
        case .msgSettings: target.msgSettings = source.msgSettings
        case .adminForbidType: target.adminForbidType = source.adminForbidType
        case .uniqueID: target.uniqueID = source.uniqueID
        case .email: target.email = source.email
        case .birthdayText: target.birthdayText = source.birthdayText
        case .locationText: target.locationText = source.locationText
        case .name: target.name = source.name
        case .firstName: target.firstName = source.firstName
        case .middleName: target.middleName = source.middleName
        case .lastName: target.lastName = source.lastName
        case .link: target.link = source.link
        case .username: target.username = source.username
        case .locale: target.locale = source.locale
        case .pictureURL: target.pictureURL = source.pictureURL
        case .ageRange: break
        }
    }

    /// Whether the field has a value in `record`.
    ///
    /// - Parameter today: The day by which the age is counted.
    package func isSet(in record: ProfileRecord, on today: CalendarDay) -> Bool {
        switch self {
        case .nick: record.nick != nil
        case .faceURL: record.faceURL != nil
        case .allowType: record.allowType != nil
        case .gender: record.gender != nil
        case .birthday: record.birthday != nil
        case .location: record.location != nil
        case .language: record.language != nil
        case .level: record.level != nil
        case .role: record.role != nil
        case .selfSignature: record.selfSignature != nil
        case .msgSettings: record.msgSettings != nil
        case .adminForbidType: record.adminForbidType != nil
        case .uniqueID: record.uniqueID != nil
        case .email: record.email != nil
        case .birthdayText: record.birthdayText != nil
        case .locationText: record.locationText != nil
        case .name: record.name != nil
        case .firstName: record.firstName != nil
        case .middleName: record.middleName != nil
        case .lastName: record.lastName != nil
        case .link: record.link != nil
        case .username: record.username != nil
        case .locale: record.locale != nil
        case .pictureURL: record.pictureURL != nil
        case .ageRange: AgeBracket.of(record, on: today) != nil
        }
    }
}
