import Protobuf
import RelationAPI
import RelationModel

/// Makes a profile of a hosted one.
struct RongCloudProfileRow {
    private static let limits = AppLimits.rongCloud

    private let fields: CustomFields
    private(set) var profile = Profile()
    /// The fields that were left out, each with the rule that its value breaks.
    private(set) var lost: [(field: String, rule: String)] = []

    init(_ id: String, _ fields: CustomFields) {
        self.fields = fields
        profile.userID = id
    }

    /// Whether the profile says anything.
    var isEmpty: Bool {
        var empty = Profile()
        empty.userID = profile.userID
        return profile == empty
    }

    /// Takes the name and the portrait of pushes, where the hosted profile has none.
    mutating func set(_ account: RongCloudAccount) {
        if profile.nick.isEmpty { text("name", account.name, Self.limits.nick, \.nick) }
        if profile.faceURL.isEmpty {
            text("portraitUri", account.portrait, Self.limits.faceURL, \.faceURL)
        }
    }

    /// Takes a field of the hosted profile.
    mutating func set(_ name: String, _ value: JSONValue) {
        if case .null = value { return }
        guard let found = AnswerObject.text(value) else {
            return addLoss(name, "is neither a text nor a number")
        }
        switch name {
        case "name": text(name, found, Self.limits.nick, \.nick)
        case "portraitUri": text(name, found, Self.limits.faceURL, \.faceURL)
        case "uniqueId": uniqueID(name, found)
        case "email": text(name, found, Self.limits.email, \.email)
        case "birthday": text(name, found, Self.limits.birthdayText, \.birthdayText)
        case "location": text(name, found, Self.limits.locationText, \.locationText)
        case "gender": gender(name, found)
        case "role": number(name, found, Self.limits.role, \.role)
        case "level": number(name, found, Self.limits.level, \.level)
        default: addLoss(name, "is a field that this program does not know")
        }
    }

    /// Takes a field of the app's own.
    mutating func setOwn(_ name: String, _ value: JSONValue) {
        var rule = ""
        guard let custom = Self.custom(name, value, .profile, fields, &rule) else {
            return rule.isEmpty ? () : addLoss(name, rule)
        }
        profile.custom.append(custom)
    }

    mutating func setAllowType(_ type: Int64) {
        switch type {
        case 1: profile.allowType = .allowAny
        case 2: profile.allowType = .needConfirm
        case 3: profile.allowType = .denyAny
        default: addLoss("permission", "is not a permission of RongCloud: \(type)")
        }
    }

    /// The value of a field of the app's own; nil if there is none.
    ///
    /// - Parameter rule: The rule that the value breaks; it stays as it is if there is no value.
    static func custom(
        _ name: String, _ value: JSONValue, _ owner: CustomFieldOwner, _ fields: CustomFields,
        _ rule: inout String
    ) -> CustomValue? {
        if case .null = value { return nil }
        guard let text = AnswerObject.text(value) else {
            rule = "is neither a text nor a number"
            return nil
        }
        if text.isEmpty { return nil }
        guard limits.customValue.allows(text) else {
            rule = "has more than \(limits.customValue.count) characters"
            return nil
        }
        return fields.value(name, owner, text, rule: &rule)
    }

    private mutating func addLoss(_ field: String, _ rule: String) {
        lost.append((field, rule))
    }

    private mutating func text(
        _ field: String, _ text: String, _ limit: TextLimit,
        _ path: WritableKeyPath<Profile, String>
    ) {
        guard limit.allows(text) else {
            return addLoss(field, "has more than \(limit.count) characters")
        }
        profile[keyPath: path] = text
    }

    /// Takes a unique id by the rule of this service: letters and digits.
    private mutating func uniqueID(_ field: String, _ text: String) {
        let isPlain = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
                || (0x61...0x7a).contains(byte)
        }
        guard isPlain, Self.limits.uniqueID.allows(text) else {
            return addLoss(field, "is not 1 to \(Self.limits.uniqueID.count) letters and digits")
        }
        profile.uniqueID = text
    }

    private mutating func gender(_ field: String, _ text: String) {
        switch text {
        case "": break
        case "0": profile.gender = .unknown
        case "1": profile.gender = .male
        case "2": profile.gender = .female
        default: addLoss(field, "is not a gender of RongCloud: \(text)")
        }
    }

    private mutating func number(
        _ field: String, _ text: String, _ limit: UInt32,
        _ path: WritableKeyPath<Profile, UInt32?>
    ) {
        if text.isEmpty { return }
        guard let number = UInt32(text), number <= limit else {
            return addLoss(field, "is not a number up to \(limit): \(text)")
        }
        profile[keyPath: path] = number
    }
}
