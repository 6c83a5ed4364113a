import Protobuf
import RelationAPI
import RelationCore
import RelationModel

/// The tags of TIM's fields: as requests give them, and as answers show them.
enum TIMTag {
    static let profilePrefix = "Tag_Profile_Custom_"
    static let friendPrefix = "Tag_SNS_Custom_"

    // MARK: Requests

    /// The key of a custom field's tag; nil for another tag.
    static func key(of tag: String, after prefix: String) -> String? {
        tag.hasPrefix(prefix) ? String(tag.dropFirst(prefix.count)) : nil
    }

    /// The value in an entry of a list of tags.
    ///
    /// - Throws: The service's code for a bad parameter, or in `profile` 40610 for a value that no
    ///   tag has.
    static func value(
        _ field: TIMBody, _ settings: AppSettings, _ owner: CustomFieldOwner
    ) throws(TIMError) -> TagValue {
        var tag = TagValue()
        tag.tag = try field.text("Tag")
        let prefix = owner == .friend ? friendPrefix : profilePrefix
        let type = key(of: tag.tag, after: prefix).flatMap { settings.customField($0, of: owner) }
        switch field.value("Value") {
        case .string(let text):
            tag.value = type?.type == .bytes ? .data(Array(text.utf8)) : .text(text)
        case .array(let list):
            var texts: [String] = []
            for case .string(let text) in list { texts.append(text) }
            guard texts.count == list.count, owner == .friend else { throw wrongKind(field) }
            tag.value = .texts(StringList(texts))
        case .number(let digits):
            // The calls behind take the numbers of the vendor's client too.
            guard !wordTags.contains(tag.tag) else { throw wrongKind(field) }
            guard let number = UInt64(digits) else {
                throw owner == .profile ? badNumber : field.wrong("Value", "a whole number")
            }
            tag.value = .number(number)
        case nil: throw field.missing("Value")
        default: throw wrongKind(field)
        }
        return tag
    }

    /// The tags whose values are words.
    private static let wordTags: Set<String> = [
        "Tag_Profile_IM_Gender", "Tag_Profile_IM_AllowType", "Tag_Profile_IM_AdminForbidType",
    ]

    private static func wrongKind(_ field: TIMBody) -> TIMError {
        field.service == .profile
            ? TIMError(40610, "Err_Profile_PortraitSet_Value_Format")
            : field.wrong("Value", "a string or a number")
    }

    private static let badNumber = TIMError(40605, "Err_Profile_PortraitSet_Value_Illegal")

    /// The value of a custom field in an import, whatever the field's type is.
    static func custom(_ field: TIMBody) throws(TIMError) -> CustomValue.Value {
        switch field.value("Value") {
        // A field of texts takes their bytes too.
        case .string(let text): return .data(Array(text.utf8))
        case .number(let digits):
            guard let number = UInt64(digits) else { throw field.wrong("Value", "a whole number") }
            return .number(number)
        case nil: throw field.missing("Value")
        default: throw field.wrong("Value", "a string or a number")
        }
    }

    // MARK: Answers

    /// Whether answers can show the tag.
    static func isKnown(
        _ tag: String, _ settings: AppSettings, of owner: CustomFieldOwner
    ) -> Bool {
        let prefix = owner == .friend ? friendPrefix : profilePrefix
        if let key = key(of: tag, after: prefix) {
            return settings.customField(key, of: owner) != nil
        }
        return (owner == .friend ? friendTags : profileTags).contains(tag)
    }

    private static let friendTags: Set<String> = [
        "Tag_SNS_IM_Remark", "Tag_SNS_IM_Group", "Tag_SNS_IM_AddSource", "Tag_SNS_IM_AddWording",
        "Tag_SNS_IM_AddTime", "Tag_SNS_IM_RemarkTime",
    ]

    private static let profileTags: Set<String> = [
        "Tag_Profile_IM_Nick", "Tag_Profile_IM_Gender", "Tag_Profile_IM_BirthDay",
        "Tag_Profile_IM_Location", "Tag_Profile_IM_SelfSignature", "Tag_Profile_IM_AllowType",
        "Tag_Profile_IM_Language", "Tag_Profile_IM_Image", "Tag_Profile_IM_MsgSettings",
        "Tag_Profile_IM_AdminForbidType", "Tag_Profile_IM_Level", "Tag_Profile_IM_Role",
    ]

    /// The set fields of a friend, under their tags.
    static func values(of friend: Friend) -> [(tag: String, value: JSONValue)] {
        var values: [(tag: String, value: JSONValue)] = []
        func add(_ name: String, _ text: String) {
            if !text.isEmpty { values.append(("Tag_SNS_IM_\(name)", .string(text))) }
        }
        add("AddSource", friend.source)
        add("Remark", friend.remark)
        if !friend.groups.isEmpty { values.append(("Tag_SNS_IM_Group", .texts(friend.groups))) }
        if friend.addTimeMs != 0 {
            values.append(("Tag_SNS_IM_AddTime", .whole(friend.addTimeMs / 1_000)))
        }
        if friend.remarkTimeMs != 0 {
            values.append(("Tag_SNS_IM_RemarkTime", .whole(friend.remarkTimeMs / 1_000)))
        }
        add("AddWording", friend.wording)
        return values + friend.custom.map { (friendPrefix + $0.key, json($0)) }
    }

    /// The set fields of a profile, under their tags.
    static func values(of profile: Profile) -> [(tag: String, value: JSONValue)] {
        var values: [(tag: String, value: JSONValue)] = []
        func add(_ name: String, _ value: JSONValue?) {
            if let value { values.append(("Tag_Profile_IM_\(name)", value)) }
        }
        add("Nick", profile.nick.isEmpty ? nil : .string(profile.nick))
        add("Gender", profile.gender.flatMap { genders[$0.rawValue] }.map(JSONValue.string))
        add("BirthDay", profile.birthday == 0 ? nil : .whole(profile.birthday))
        add("Location", text(profile.location))
        add("SelfSignature", text(profile.selfSignature))
        add(
            "AllowType",
            profile.allowType.flatMap { allowTypes[$0.rawValue] }
                .map(JSONValue.string))
        add("Language", profile.language.map { .whole($0) })
        add("Image", profile.faceURL.isEmpty ? nil : .string(profile.faceURL))
        add("MsgSettings", profile.msgSettings.map { .whole($0) })
        add(
            "AdminForbidType",
            profile.adminForbidType.flatMap { forbidTypes[$0.rawValue] }
                .map(JSONValue.string))
        add("Level", profile.level.map { .whole($0) })
        add("Role", profile.role.map { .whole($0) })
        return values + profile.custom.map { (profilePrefix + $0.key, json($0)) }
    }

    private static let genders: [Int32: String] = [
        Gender.unknown.rawValue: "Gender_Type_Unknown",
        Gender.female.rawValue: "Gender_Type_Female",
        Gender.male.rawValue: "Gender_Type_Male",
    ]

    private static let allowTypes: [Int32: String] = [
        AllowType.needConfirm.rawValue: "AllowType_Type_NeedConfirm",
        AllowType.allowAny.rawValue: "AllowType_Type_AllowAny",
        AllowType.denyAny.rawValue: "AllowType_Type_DenyAny",
    ]

    private static let forbidTypes: [Int32: String] = [
        AdminForbidType.none.rawValue: "AdminForbid_Type_None",
        AdminForbidType.sendOut.rawValue: "AdminForbid_Type_SendOut",
    ]

    private static func json(_ custom: CustomValue) -> JSONValue {
        switch custom.value {
        case .number(let number): .whole(number)
        case .text(let text): .string(text)
        case .data(let bytes): .string(String(decoding: bytes, as: UTF8.self))
        case nil: .string("")
        }
    }

    /// Bytes as a text, in which bytes that are not UTF-8 are replaced; nil for none.
    private static func text(_ bytes: [UInt8]) -> JSONValue? {
        bytes.isEmpty ? nil : .string(String(decoding: bytes, as: UTF8.self))
    }
}
