import Protobuf
import RelationModel
import Storage
import Support

/// A row key that can be shown to a person: its parts with spaces between them.
protocol WordedKey: RowKey {
    var words: String { get }
}

extension OnlyKey: WordedKey {
    var words: String { "" }
}

extension UInt64: WordedKey {
    var words: String { "\(self)" }
}

extension UserID: WordedKey {
    var words: String { text }
}

extension TimedUser: WordedKey {
    var words: String { "\(timeMs) \(user.text)" }
}

extension SequencedUser: WordedKey {
    var words: String { "\(sequence) \(user.text)" }
}

// MARK: Profiles

extension UniqueID: WordedKey {
    var words: String { text }
}

extension FoundName: WordedKey {
    var words: String {
        let way = part.by.name ?? "\(part.by.rawValue)"
        let letters = String(decoding: letters, as: UTF8.self)
        return "\(way)\(part.isHidden ? " hidden" : "") \(letters) \(user.text)"
    }
}

extension ContactDigest: WordedKey {
    var words: String { "\(kind.name ?? "\(kind.rawValue)") \(String(hexadecimal: bytes))" }
}

extension GrantKey: WordedKey {
    var words: String { "\(client.text) \(permission.text)" }
}

// MARK: Lists

extension GroupName: WordedKey {
    var words: String { text }
}

extension GroupMember: WordedKey {
    var words: String { "\(group) \(user.text)" }
}

extension PendencyKey: WordedKey {
    var words: String { "\(type.name ?? "\(type.rawValue)") \(user.text)" }
}

extension TimedPendency: WordedKey {
    var words: String { "\(timeMs) \(key.words)" }
}

extension HandledKey: WordedKey {
    var words: String {
        let end = status.name ?? "\(status.rawValue)"
        return "\(timeMs) \(PendencyKey(type, user).words) \(end)"
    }
}

extension SubscriptionKey: WordedKey {
    var words: String { "\(type.name ?? "\(type.rawValue)") \(user.text)" }
}

extension SubscriptionEnd: WordedKey {
    var words: String { "\(timeMs) \(SubscriptionKey(type, user).words)" }
}

extension ListedFollow: WordedKey {
    var words: String { "\(list) \(timeMs) \(user.text)" }
}

extension Mention: WordedKey {
    var words: String { "\(list) \(owner.text)" }
}

extension InvitationID: WordedKey {
    var words: String { text }
}

extension InvitationUse: WordedKey {
    var words: String { "\(expireMs) \(id.text)" }
}

// MARK: Calls and apps

extension RequestID: WordedKey {
    var words: String { text }
}

extension TimedRequest: WordedKey {
    var words: String { "\(timeMs) \(id.text)" }
}

extension RequestPosition: WordedKey {
    var words: String { "\(id.text) \(position)" }
}

extension ConsumerName: WordedKey {
    var words: String { text }
}

extension ImportKey: WordedKey {
    var words: String { "\(call) \(id)" }
}

extension AppNumber: WordedKey {
    var words: String { "\(id)" }
}

extension CredentialID: WordedKey {
    var words: String { text }
}

extension HookID: WordedKey {
    var words: String { text }
}

extension HookFailureKey: WordedKey {
    var words: String { "\(hook.text) \(number)" }
}
