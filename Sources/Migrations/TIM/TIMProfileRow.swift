import Protobuf
import RelationAPI
import RelationModel

/// Makes a profile of the tags that TIM shows of it.
struct TIMProfileRow {
    static let prefix = "Tag_Profile_IM_"
    static let customPrefix = "Tag_Profile_Custom_"
    static let standard = [
        "Nick", "Gender", "BirthDay", "Location", "SelfSignature", "AllowType", "Language", "Image",
        "MsgSettings", "AdminForbidType", "Level", "Role",
    ]

    private let fields: CustomFields
    private let isStrict: Bool
    private(set) var profile = Profile()
    /// The tags that were left out, each with the rule that its value breaks.
    private(set) var lost: [(tag: String, rule: String)] = []
    private(set) var isEmpty = true

    /// - Parameter isStrict: Whether a birthday must be a day.
    init(_ id: String, _ fields: CustomFields, isStrict: Bool) {
        self.fields = fields
        self.isStrict = isStrict
        profile.userID = id
    }

    mutating func set(_ tag: String, _ value: JSONValue) {
        guard let text = AnswerObject.text(value) else {
            if case .null = value { return }
            return lost.append((tag, "is neither a text nor a number"))
        }
        let before = lost.count
        switch tag {
        case "Tag_Profile_IM_Nick": profile.nick = text
        case "Tag_Profile_IM_Image": profile.faceURL = text
        case "Tag_Profile_IM_Location": profile.location = Array(text.utf8)
        case "Tag_Profile_IM_SelfSignature": profile.selfSignature = Array(text.utf8)
        case "Tag_Profile_IM_Gender":
            profile.gender = word(
                tag, text, "Gender_Type_",
                ["Unknown": .unknown, "Female": .female, "Male": .male])
        case "Tag_Profile_IM_AllowType":
            profile.allowType = word(
                tag, text, "AllowType_Type_",
                ["NeedConfirm": .needConfirm, "AllowAny": .allowAny, "DenyAny": .denyAny])
        case "Tag_Profile_IM_AdminForbidType":
            profile.adminForbidType = word(
                tag, text, "AdminForbid_Type_", ["None": .none, "SendOut": .sendOut])
        case "Tag_Profile_IM_BirthDay": birthday(tag, text)
        case "Tag_Profile_IM_Language": profile.language = number(tag, text)
        case "Tag_Profile_IM_MsgSettings": profile.msgSettings = number(tag, text)
        case "Tag_Profile_IM_Level": profile.level = number(tag, text)
        case "Tag_Profile_IM_Role": profile.role = number(tag, text)
        default: custom(tag, text)
        }
        if lost.count == before, !text.isEmpty { isEmpty = false }
    }

    private mutating func word<Word>(
        _ tag: String, _ text: String, _ prefix: String, _ words: [String: Word]
    ) -> Word? {
        if text.isEmpty { return nil }
        let name = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : ""
        let found = words[name]
        if found == nil { lost.append((tag, "is not a word of TIM: \(text)")) }
        return found
    }

    private mutating func number(_ tag: String, _ text: String) -> UInt32? {
        if text.isEmpty { return nil }
        let found = UInt32(text)
        if found == nil { lost.append((tag, "is not a number of 32 bits: \(text)")) }
        return found
    }

    /// Takes a birthday by the rule of this service: a day that there was, as 19990131, or any
    /// number in an app that keeps what TIM keeps.
    private mutating func birthday(_ tag: String, _ text: String) {
        guard let number = number(tag, text), number != 0 else { return }
        guard !isStrict || CalendarDay(yyyymmdd: number) != nil else {
            return lost.append((tag, "is not a day as yyyymmdd: \(text)"))
        }
        profile.birthday = number
    }

    private mutating func custom(_ tag: String, _ text: String) {
        guard !text.isEmpty else { return }
        guard tag.hasPrefix(Self.customPrefix) else {
            return lost.append((tag, "is a tag that this program does not know"))
        }
        var rule = ""
        let key = String(tag.dropFirst(Self.customPrefix.count))
        guard let custom = fields.value(key, .profile, text, rule: &rule) else {
            return lost.append((tag, rule))
        }
        // TIM may tell a tag in two answers, or twice in one: a field has the last value.
        profile.custom.removeAll { $0.key == custom.key }
        profile.custom.append(custom)
    }
}
