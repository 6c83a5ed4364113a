/// The fields of a profile that a call can name: each by its name in the contract and by the tags
/// of the sources.
package enum ProfileField: CaseIterable, Sendable {
    case nick, faceURL, allowType, gender, birthday, location, language, level, role
    case selfSignature, msgSettings, adminForbidType

    /// The name in the contract, as a field mask has it.
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
        }
    }

    /// The server's tag and, where the client SDK has one, its name for it.
    package var tags: [String] {
        switch self {
        case .nick: ["Tag_Profile_IM_Nick", "TIMProfileTypeKey_Nick"]
        case .faceURL: ["Tag_Profile_IM_Image", "TIMProfileTypeKey_FaceUrl"]
        case .allowType: ["Tag_Profile_IM_AllowType", "TIMProfileTypeKey_AllowType"]
        case .gender: ["Tag_Profile_IM_Gender", "TIMProfileTypeKey_Gender"]
        case .birthday: ["Tag_Profile_IM_BirthDay", "TIMProfileTypeKey_Birthday"]
        case .location: ["Tag_Profile_IM_Location", "TIMProfileTypeKey_Location"]
        case .language: ["Tag_Profile_IM_Language", "TIMProfileTypeKey_Language"]
        case .level: ["Tag_Profile_IM_Level", "TIMProfileTypeKey_Level"]
        case .role: ["Tag_Profile_IM_Role", "TIMProfileTypeKey_Role"]
        case .selfSignature: ["Tag_Profile_IM_SelfSignature", "TIMProfileTypeKey_SelfSignature"]
        case .msgSettings: ["Tag_Profile_IM_MsgSettings"]
        case .adminForbidType: ["Tag_Profile_IM_AdminForbidType"]
        }
    }

    /// Whether only the user itself and administrators read it.
    package var isPrivate: Bool {
        self == .msgSettings || self == .adminForbidType
    }

    /// Whether a stranger reads it whatever the user's visibility: id, name and portrait.
    package var isAlwaysVisible: Bool {
        self == .nick || self == .faceURL
    }

    package init?(named name: String) {
        guard let field = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = field
    }

    package init?(tag: String) {
        guard let field = Self.allCases.first(where: { $0.tags.contains(tag) }) else { return nil }
        self = field
    }

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
        }
    }
}
