import Protobuf
package import RelationAPI
package import RelationCore
import RelationModel

/// An update of a profile, checked field by field: what to write, or everything that is wrong.
///
/// Each field is asked the same questions in the same order: is there such a field, may the caller
/// write it, is the value of its kind, short enough, and one that it can have, and does it hold a
/// forbidden word. The first that fails is the field's violation.
package struct ProfileUpdate {
    package private(set) var values = ProfileRecord()
    package private(set) var fields: [ProfileField] = []
    package private(set) var violations: [ProfileViolation] = []
    private let settings: AppSettings
    private let isAdmin: Bool

    package init(_ settings: AppSettings, isAdmin: Bool) {
        self.settings = settings
        self.isAdmin = isAdmin
    }

    // MARK: The two ways to name fields

    /// Reads the fields of `profile` that `mask` names.
    package mutating func read(_ mask: [String], of profile: Profile) {
        for path in mask {
            guard let field = ProfileField(named: path) else {
                // The two that no call writes are fields all the same.
                let isField = path == "user_id" || path == "version"
                refuse(
                    path, isField ? .writePermissionRequired : .tagNotFound,
                    isField ? Reason.ProfileSet.notWritable : Reason.ProfileSet.tagNotExist)
                continue
            }
            take(field, path, Self.value(of: field, in: profile))
        }
    }

    package mutating func read(_ tags: [TagValue]) {
        for tag in tags {
            guard let field = ProfileField(tag: tag.tag) else {
                refuse(tag.tag, .tagNotFound, Reason.ProfileSet.tagNotExist)
                continue
            }
            take(field, tag.tag, tag.value)
        }
    }

    /// A field of the message in the form that a tag has.
    ///
    /// Nil leaves the field as it is.
    private static func value(of field: ProfileField, in profile: Profile) -> TagValue.Value? {
        switch field {
        case .nick: .text(profile.nick)
        case .faceURL: .text(profile.faceURL)
        case .allowType: profile.allowType.map { .enumNumber($0.rawValue) }
        case .gender: .enumNumber(profile.gender.rawValue)
        case .birthday: .number(UInt64(profile.birthday))
        case .location: .data(profile.location)
        case .language: .number(UInt64(profile.language))
        case .level: .number(UInt64(profile.level))
        case .role: .number(UInt64(profile.role))
        case .selfSignature: .data(profile.selfSignature)
        case .msgSettings: .number(UInt64(profile.msgSettings))
        case .adminForbidType: .enumNumber(profile.adminForbidType.rawValue)
        }
    }

    // MARK: The questions

    private mutating func take(_ field: ProfileField, _ key: String, _ value: TagValue.Value?) {
        guard !fields.contains(field) else {
            return refuse(key, .invalidParameter, Reason.ProfileSet.duplicate)
        }
        fields.append(field)
        guard field != .adminForbidType || isAdmin else {
            return refuse(key, .writePermissionRequired, Reason.ProfileSet.notWritable)
        }
        guard let value else {
            // An allow type that the mask names and the profile lacks changes nothing; a tag
            // without a value is of no kind.
            if key == field.name { return _ = fields.removeLast() }
            return refuse(key, .invalidValueFormat, Reason.ProfileSet.wrongKind)
        }
        switch field {
        case .nick: text(key, value, settings.limits.nick) { $0.nick = $1 }
        case .faceURL: text(key, value, settings.limits.faceURL) { $0.faceURL = $1 }
        case .location: bytes(key, value, settings.limits.locationBytes) { $0.location = $1 }
        case .selfSignature:
            bytes(key, value, settings.limits.selfSignature.count) { $0.selfSignature = $1 }
        case .birthday: number(key, value, Limits.maxBirthday) { $0.birthday = $1 }
        case .language: number(key, value) { $0.language = $1 }
        case .level: number(key, value) { $0.level = $1 }
        case .role: number(key, value) { $0.role = $1 }
        case .msgSettings: number(key, value) { $0.msgSettings = $1 }
        case .allowType: word(key, value, "AllowType_Type_", "ALLOW_TYPE_") { $0.allowType = $1 }
        case .gender: word(key, value, "Gender_Type_", "GENDER_") { $0.gender = $1 }
        case .adminForbidType:
            word(key, value, "AdminForbid_Type_", "ADMIN_FORBID_TYPE_") {
                $0.adminForbidType = $1
            }
        }
    }

    private mutating func text(
        _ key: String, _ value: TagValue.Value, _ limit: TextLimit,
        _ set: (inout ProfileRecord, String?) -> Void
    ) {
        guard case .text(let text) = value else {
            return refuse(key, .invalidValueFormat, Reason.ProfileSet.wrongKind)
        }
        guard limit.allows(text) else {
            return refuse(key, .sizeLimit, Reason.ProfileSet.tooLong)
        }
        guard !settings.forbids(text) else {
            return refuse(key, .sensitiveText, Reason.ProfileSet.sensitiveText)
        }
        set(&values, text.isEmpty ? nil : text)
    }

    /// Bytes, or a text whose bytes they are.
    private mutating func bytes(
        _ key: String, _ value: TagValue.Value, _ limit: Int,
        _ set: (inout ProfileRecord, [UInt8]?) -> Void
    ) {
        let bytes: [UInt8]
        switch value {
        case .data(let data): bytes = data
        case .text(let text): bytes = Array(text.utf8)
        default: return refuse(key, .invalidValueFormat, Reason.ProfileSet.wrongKind)
        }
        guard bytes.count <= limit else {
            return refuse(key, .sizeLimit, Reason.ProfileSet.tooLong)
        }
        guard !settings.forbids(String(decoding: bytes, as: UTF8.self)) else {
            return refuse(key, .sensitiveText, Reason.ProfileSet.sensitiveText)
        }
        set(&values, bytes.isEmpty ? nil : bytes)
    }

    private mutating func number(
        _ key: String, _ value: TagValue.Value, _ limit: UInt32 = .max,
        _ set: (inout ProfileRecord, UInt32?) -> Void
    ) {
        guard case .number(let number) = value else {
            return refuse(key, .invalidValueFormat, Reason.ProfileSet.wrongKind)
        }
        guard number <= UInt64(limit) else {
            return refuse(key, .valueError, Reason.ProfileSet.valueIllegal)
        }
        set(&values, number == 0 ? nil : UInt32(number))
    }

    /// An enum's value: its number, or the word that TIM's server has for it.
    private mutating func word<E: OpenEnum>(
        _ key: String, _ value: TagValue.Value, _ prefix: String, _ namePrefix: String,
        _ set: (inout ProfileRecord, E?) -> Void
    ) {
        let found: E?
        switch value {
        case .number(let number):
            found = Int32(exactly: number).map { E(rawValue: $0) }
        case .text(let text):
            found = text.hasPrefix(prefix) ? E(word: text.dropFirst(prefix.count), namePrefix) : nil
        default:
            return refuse(key, .invalidValueFormat, Reason.ProfileSet.wrongKind)
        }
        guard let found, found.isKnown else {
            return refuse(key, .valueError, Reason.ProfileSet.valueIllegal)
        }
        set(&values, found)
    }

    private mutating func refuse(_ key: String, _ code: ProfileStatus, _ reason: Reason) {
        var violation = ProfileViolation()
        violation.key = key.echoed()
        violation.code = code
        violation.info = reason.description
        violations.append(violation)
    }
}

extension TagValue.Value {
    /// An enum's number as a tag has it; one below zero is no value of any enum here.
    fileprivate static func enumNumber(_ number: Int32) -> TagValue.Value {
        .number(UInt64(bitPattern: Int64(number)))
    }
}

extension OpenEnum {
    /// The value that the source calls `word`: `AllowAny` is `ALLOW_TYPE_ALLOW_ANY`.
    fileprivate init?(word: Substring, _ namePrefix: String) {
        // Otherwise the contract's own spelling, `allow_any`, would pass for a word too.
        guard word.first?.isUppercase == true, word.allSatisfy({ $0.isASCII && $0.isLetter })
        else { return nil }
        var name = namePrefix
        for (place, letter) in word.enumerated() {
            if letter.isUppercase && place > 0 { name += "_" }
            name += letter.uppercased()
        }
        guard let number = Self.schema.number(named: name) else { return nil }
        self.init(rawValue: number)
    }
}
