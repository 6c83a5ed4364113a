import Protobuf
package import RelationAPI
import RelationCalls
package import RelationCore
package import RelationModel

/// An update of a profile, checked field by field: the fields to write, or all violations.
///
/// Each field passes the same checks in the order of ``ProfileFieldError``. The first check that
/// fails is the field's violation.
package struct ProfileUpdate {
    package private(set) var values = ProfileRecord()
    package private(set) var fields: [ProfileField] = []
    package private(set) var customKeys: [String] = []
    package private(set) var violations: [ProfileViolation] = []
    let settings: AppSettings
    private let isAdmin: Bool
    /// The number of custom fields named so far, whatever the result of their checks.
    private var customCount = 0
    /// The name of the unique identifier in the request, and the number of violations before it.
    private var uniqueID: (key: String, index: Int)?

    package init(_ settings: AppSettings, isAdmin: Bool) {
        self.settings = settings
        self.isAdmin = isAdmin
    }

    /// All violations: those of the values, and one for a unique identifier that another user has.
    package func violations(
        of user: UserID, in ledger: Ledger
    ) throws(StorageError) -> [ProfileViolation] {
        guard let (key, index) = uniqueID, let id = values.uniqueID else { return violations }
        let owner = try Profiles.owner(
            of: UniqueID(stored: id), app: ledger.app, in: ledger.transaction)
        guard let owner, owner != user else { return violations }
        var all = violations
        all.insert(violation(key, .uniqueIDTaken), at: index)
        return all
    }

    /// The violation of a field whose value the app has no room to review.
    package func reviewsFull(_ path: String, _ tags: [TagValue]) -> ProfileViolation {
        let tag = tags.first { tag in
            if let field = ProfileField(tag: tag.tag) { return field.name.isExactly(path) }
            let key = Self.customKey(in: tag.tag)
            return key.map { (CustomPath.prefix + $0).isExactly(path) } ?? false
        }
        return violation(tag?.tag ?? path, .reviewsFull)
    }

    // MARK: The two ways to name fields

    /// The content of a request for one field.
    private enum Given {
        case value(TagValue.Value)
        /// The mask names the field, and the profile lacks it.
        case cleared
        /// The mask names the field, the profile lacks it, and its zero is a value: so it does not
        /// change.
        case unchanged
        /// A tag, or a custom value, without a value: one that this server does not know may be in
        /// its place.
        case nothing

        init(_ value: TagValue.Value?, or other: Given = .cleared) {
            self = value.map { .value($0) } ?? other
        }
    }

    /// Reads the fields of `profile` that `mask` names.
    ///
    /// A path that no update can write is passed over: ``isWritable(_:)`` finds them.
    package mutating func read(_ mask: [String], of profile: Profile) {
        for path in mask where isWritable(path) {
            if path.isExactly("custom") {
                readCustom(of: profile)
            } else if let key = CustomPath.key(in: path) {
                let custom = profile.custom.first { $0.key.isExactly(key) }
                add(custom: key, path, custom.map(given) ?? .cleared)
            } else if let field = ProfileField(named: path) {
                add(field, path, Self.given(field, in: profile))
            }
        }
    }

    /// Reads all fields of `profile` that are set, but for those that no update writes.
    package mutating func readAll(of profile: Profile) {
        for field in ProfileField.stored where Self.isSet(field, in: profile) {
            add(field, field.name, Self.given(field, in: profile))
        }
        readCustom(of: profile)
    }

    /// Reads the fields of `profile` that `mask` names, or all that are set if it names none; a
    /// path that no update writes is an unknown field.
    package mutating func read(_ profile: Profile, mask: [String]) {
        guard !mask.isEmpty else { return readAll(of: profile) }
        for path in mask where !isWritable(path) {
            let isCustom = CustomPath.key(in: path) != nil
            refuse(path, isCustom ? .unknownCustomField : .unknownField)
        }
        read(mask, of: profile)
    }

    private mutating func readCustom(of profile: Profile) {
        for custom in profile.custom {
            add(custom: custom.key, CustomPath.prefix + custom.key, given(custom))
        }
    }

    /// Whether a mask of an update may name `path`: a field of profiles, or a custom field that the
    /// app has defined, which some caller may write.
    package func isWritable(_ path: String) -> Bool {
        if path.isExactly("custom") { return true }
        if let key = CustomPath.key(in: path) {
            return settings.customField(key, of: .profile) != nil
        }
        return ProfileField(named: path).map { $0 != .ageRange } ?? false
    }

    package mutating func read(_ tags: [TagValue]) {
        for tag in tags {
            if let field = ProfileField(tag: tag.tag) {
                add(field, tag.tag, Given(tag.value, or: .nothing))
            } else if let key = Self.customKey(in: tag.tag) {
                add(custom: key, tag.tag, Given(tag.value, or: .nothing))
            } else {
                refuse(tag.tag, .unknownField)
            }
        }
    }

    /// The key of the custom field that a tag names.
    private static func customKey(in tag: String) -> String? {
        for prefix in ["Tag_Profile_Custom_", "TIMProfileTypeKey_Custom_"]
        where tag.hasPrefix(prefix) {
            return String(tag.dropFirst(prefix.count))
        }
        return nil
    }

    /// A custom value of the message, in the form of a tag.
    private func given(_ custom: CustomValue) -> Given {
        Given(settings.tagValue(of: custom, .profile), or: .nothing)
    }

    /// Whether the message has a value for the field: an empty text, empty bytes and a birthday of
    /// 0 are none.
    private static func isSet(_ field: ProfileField, in profile: Profile) -> Bool {
        switch given(field, in: profile) {
        case .value(.text(let text)): !text.isEmpty
        case .value(.data(let bytes)): !bytes.isEmpty
        case .value(.number(let number)): field != .birthday || number != 0
        case .value(.texts): true
        case .cleared, .unchanged, .nothing: false
        }
    }

    /// A field of the message, in the form of a tag.
    private static func given(_ field: ProfileField, in profile: Profile) -> Given {
        switch field {
        case .nick: .value(.text(profile.nick))
        case .faceURL: .value(.text(profile.faceURL))
        case .allowType:
            Given(profile.allowType.map { .enumNumber($0.rawValue) }, or: .unchanged)
        case .gender: Given(profile.gender.map { .enumNumber($0.rawValue) })
        case .birthday: .value(.number(UInt64(profile.birthday)))
        case .location: .value(.data(profile.location))
        case .language: Given(profile.language.map { .number(UInt64($0)) })
        case .level: Given(profile.level.map { .number(UInt64($0)) })
        case .role: Given(profile.role.map { .number(UInt64($0)) })
        case .selfSignature: .value(.data(profile.selfSignature))
        case .msgSettings: Given(profile.msgSettings.map { .number(UInt64($0)) })
        case .adminForbidType: Given(profile.adminForbidType.map { .enumNumber($0.rawValue) })
        case .uniqueID: .value(.text(profile.uniqueID))
        case .email: .value(.text(profile.email))
        case .birthdayText: .value(.text(profile.birthdayText))
        case .locationText: .value(.text(profile.locationText))
        case .name: .value(.text(profile.name))
        case .firstName: .value(.text(profile.firstName))
        case .middleName: .value(.text(profile.middleName))
        case .lastName: .value(.text(profile.lastName))
        case .link: .value(.text(profile.link))
        case .username: .value(.text(profile.username))
        case .locale: .value(.text(profile.locale))
        case .pictureURL: .value(.text(profile.pictureURL))
        case .ageRange: .unchanged
        }
    }

    // MARK: The checks

    private mutating func add(_ field: ProfileField, _ key: String, _ given: Given) {
        guard !fields.contains(field) else { return refuse(key, .duplicate) }
        fields.append(field)
        guard field != .ageRange, isAdmin || !field.isWrittenByAdministrators else {
            return refuse(key, .notWritable)
        }
        switch given {
        case .value(let value): write(field, key, value)
        case .cleared: break
        case .unchanged: fields.removeLast()
        case .nothing: refuse(key, .wrongKind)
        }
    }

    private mutating func write(_ field: ProfileField, _ key: String, _ value: TagValue.Value) {
        let limits = settings.limits
        switch field {
        case .nick: text(key, value, limits.nick) { $0.nick = $1 }
        case .faceURL: text(key, value, limits.faceURL) { $0.faceURL = $1 }
        case .location: bytes(key, value, limits.locationBytes) { $0.location = $1 }
        case .selfSignature:
            bytes(key, value, limits.selfSignature.count) { $0.selfSignature = $1 }
        case .birthday: birthday(key, value)
        case .language: number(key, value) { $0.language = $1 }
        case .level: number(key, value, limits.level) { $0.level = $1 }
        case .role: number(key, value, limits.role) { $0.role = $1 }
        case .msgSettings: number(key, value) { $0.msgSettings = $1 }
        case .allowType: word(key, value, "AllowType_Type_", "ALLOW_TYPE_") { $0.allowType = $1 }
        case .gender: word(key, value, "Gender_Type_", "GENDER_") { $0.gender = $1 }
        case .adminForbidType:
            word(key, value, "AdminForbid_Type_", "ADMIN_FORBID_TYPE_") {
                $0.adminForbidType = $1
            }
        case .uniqueID: uniqueID(key, value)
        case .email: text(key, value, limits.email) { $0.email = $1 }
        case .birthdayText: text(key, value, limits.birthdayText) { $0.birthdayText = $1 }
        case .locationText: text(key, value, limits.locationText) { $0.locationText = $1 }
        case .name: text(key, value, limits.nick) { $0.name = $1 }
        case .firstName: text(key, value, limits.nick) { $0.firstName = $1 }
        case .middleName: text(key, value, limits.nick) { $0.middleName = $1 }
        case .lastName: text(key, value, limits.nick) { $0.lastName = $1 }
        case .link: text(key, value, limits.faceURL) { $0.link = $1 }
        case .username: text(key, value, limits.nick) { $0.username = $1 }
        case .locale: text(key, value, .bytes(Limits.localeBytes)) { $0.locale = $1 }
        case .pictureURL: text(key, value, limits.faceURL) { $0.pictureURL = $1 }
        case .ageRange: refuse(key, .notWritable)
        }
    }

    private mutating func add(custom name: String, _ key: String, _ given: Given) {
        customCount += 1
        guard customCount <= settings.limits.profileKeys else {
            return refuse(key, .tooManyCustomFields)
        }
        guard let field = settings.customField(name, of: .profile) else {
            return refuse(key, .unknownCustomField)
        }
        guard !customKeys.contains(where: { $0.isExactly(name) }) else {
            return refuse(key, .duplicate)
        }
        customKeys.append(name)
        guard isAdmin || field.isWritable else { return refuse(key, .notWritable) }
        switch given {
        case .cleared, .unchanged: break
        case .nothing: refuse(key, .wrongKind)
        case .value(let value):
            switch CustomCheck(settings).stored(value, field.type) {
            case .success(let stored): set(custom: name, key, stored)
            case .failure(let error): refuse(key, error)
            }
        }
    }

    private mutating func set(custom name: String, _ key: String, _ value: CustomValue.Value?) {
        var custom: [CustomValue] = []
        custom.set(value, of: name)
        guard !custom.texts.contains(where: settings.forbids) else {
            return refuse(key, .sensitiveText)
        }
        values.custom.set(value, of: name)
    }

    /// Writes another text into a field that the update writes; it passes the same checks.
    mutating func replace(_ path: String, by text: String) {
        if let key = CustomPath.key(in: path) {
            guard let field = settings.customField(key, of: .profile) else {
                return refuse(path, .unknownCustomField)
            }
            switch CustomCheck(settings).stored(.text(text), field.type) {
            case .success(let stored): set(custom: key, path, stored)
            case .failure(let error): refuse(path, error)
            }
        } else if let field = ProfileField(named: path) {
            write(field, path, .text(text))
        }
    }

    // MARK: Kinds of values

    private mutating func text(
        _ key: String, _ value: TagValue.Value, _ limit: TextLimit,
        _ set: (inout ProfileRecord, String?) -> Void
    ) {
        guard case .text(let text) = value else { return refuse(key, .wrongKind) }
        guard limit.allows(text) else { return refuse(key, .tooLong) }
        guard !settings.forbids(text) else { return refuse(key, .sensitiveText) }
        set(&values, text.isEmpty ? nil : text)
    }

    private mutating func uniqueID(_ key: String, _ value: TagValue.Value) {
        guard case .text(let text) = value else { return refuse(key, .wrongKind) }
        guard settings.limits.uniqueID.allows(text) else { return refuse(key, .tooLong) }
        guard UniqueID.isOfItsAlphabet(text) else { return refuse(key, .illegalValue) }
        guard !settings.forbids(text) else { return refuse(key, .sensitiveText) }
        values.uniqueID = text.isEmpty ? nil : text
        uniqueID = (key, violations.count)
    }

    /// Takes bytes, or a text whose bytes they are.
    private mutating func bytes(
        _ key: String, _ value: TagValue.Value, _ limit: Int,
        _ set: (inout ProfileRecord, [UInt8]?) -> Void
    ) {
        let bytes: [UInt8]
        switch value {
        case .data(let data): bytes = data
        case .text(let text): bytes = Array(text.utf8)
        default: return refuse(key, .wrongKind)
        }
        guard bytes.count <= limit else { return refuse(key, .tooLong) }
        guard !settings.forbids(String(decoding: bytes, as: UTF8.self)) else {
            return refuse(key, .sensitiveText)
        }
        set(&values, bytes.isEmpty ? nil : bytes)
    }

    private mutating func number(
        _ key: String, _ value: TagValue.Value, _ limit: UInt32 = .max,
        _ set: (inout ProfileRecord, UInt32?) -> Void
    ) {
        guard case .number(let number) = value else { return refuse(key, .wrongKind) }
        guard number <= UInt64(limit) else { return refuse(key, .illegalValue) }
        set(&values, UInt32(number))
    }

    /// Takes a day that the calendar has, or any number in an app that keeps them as TIM does; 0
    /// means no day.
    private mutating func birthday(_ key: String, _ value: TagValue.Value) {
        guard case .number(let number) = value else { return refuse(key, .wrongKind) }
        guard number != 0 else { return values.birthday = nil }
        guard let day = UInt32(exactly: number),
            settings.keepsTIMValues || CalendarDay(yyyymmdd: day) != nil
        else { return refuse(key, .illegalValue) }
        values.birthday = day
    }

    /// Takes an enum's value: its number, or the word of TIM's server for it.
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
            return refuse(key, .wrongKind)
        }
        guard let found, found.isKnown else { return refuse(key, .illegalValue) }
        set(&values, found)
    }

    private mutating func refuse(_ key: String, _ error: ProfileFieldError) {
        violations.append(violation(key, error))
    }

    private func violation(_ key: String, _ error: ProfileFieldError) -> ProfileViolation {
        var violation = ProfileViolation()
        violation.key = key.echoed()
        violation.code = error.code(in: settings.preset)
        violation.reason = error.reason
        violation.info = error.reason.info.description
        return violation
    }
}

extension ProfileUpdate {
    /// Reads the update that a request asks for: by a profile, with or without a mask, or by tags.
    init(_ request: UpdateProfileRequest, _ call: Call, _ fieldViolations: inout Violations) {
        self.init(call.app.settings, isAdmin: call.isAdmin)
        if (request.profile == nil) == request.tags.isEmpty {
            fieldViolations.add("profile", "this field or tags must be given, and not both")
        } else if request.profile == nil, request.updateMask?.paths.isEmpty == false {
            fieldViolations.add("update_mask", "may be given only together with profile")
        }
        let mask = fieldViolations.paths(of: request.updateMask, "update_mask")
        fieldViolations.count(request.tags.count, "tags", 0...Limits.tagValues)
        let profile = request.profile ?? Profile()
        fieldViolations.count(profile.custom.count, "profile.custom", 0...Limits.tagValues)
        guard fieldViolations.isEmpty else { return }
        for path in mask where !isWritable(path) {
            fieldViolations.add(
                path: path, in: "update_mask", "is not a field that an update writes",
                takesKeys: true, isField: isWritable)
        }
        if !request.tags.isEmpty {
            read(request.tags)
        } else if !mask.isEmpty {
            read(mask, of: profile)
        } else {
            readAll(of: profile)
            if fields.isEmpty, customKeys.isEmpty, violations.isEmpty {
                fieldViolations.add(
                    "profile", "sets no field that an update writes, and no mask names one")
            }
        }
    }
}

extension TagValue.Value {
    /// An enum's number in the form of a tag; no enum here has a value below zero.
    fileprivate static func enumNumber(_ number: Int32) -> TagValue.Value {
        .number(UInt64(bitPattern: Int64(number)))
    }
}

extension OpenEnum {
    /// The value whose word is `word`: `AllowAny` is `ALLOW_TYPE_ALLOW_ANY`.
    fileprivate init?(word: Substring, _ namePrefix: String) {
        // Otherwise the contract's own spelling, `allow_any`, would also count as a word.
        guard word.first?.isUppercase == true, word.allSatisfy({ $0.isASCII && $0.isLetter })
        else { return nil }
        var name = namePrefix
        for (index, letter) in word.enumerated() {
            if letter.isUppercase && index > 0 { name += "_" }
            name += letter.uppercased()
        }
        guard let number = Self.schema.number(named: name) else { return nil }
        self.init(rawValue: number)
    }
}
