import Protobuf
import RelationChanges
import RelationCore
import RelationModel
import Webhooks

extension TIMCallback {
    /// The callback that TIM sends after such a change; nil if it sends none.
    init?(_ event: FeedPage.Event) {
        let from = event.user.text
        let items = event.record.items
        let pairs = items.map(\.otherUser).filter { !$0.isEmpty }.map { Pair(from: from, to: $0) }
        switch event.kind {
        case .addFriend:
            let actor = event.record.actorUserID
            // Only an import makes friends for no user, and TIM tells of none.
            guard !actor.isEmpty else { return nil }
            let friends = pairs.map { pair in
                // In an answer the other user of each pair is the one who had applied.
                let applicant = actor.isExactly(from) ? pair.to : from
                let initiator = event.caller.isResponse ? applicant : actor
                return NewFriend(from: from, to: pair.to, initiator: initiator)
            }
            guard !friends.isEmpty else { return nil }
            self = .friendAdd(
                friends, clientCommand: event.caller.isResponse ? "friend_response" : "friend_add",
                admin: event.caller.administrator, isForced: event.caller.isForced)
        case .deleteFriend:
            guard !pairs.isEmpty else { return nil }
            self = .friendDelete(pairs)
        case .addBlacklist:
            guard !pairs.isEmpty else { return nil }
            self = .blackListAdd(pairs)
        case .deleteBlacklist:
            guard !pairs.isEmpty else { return nil }
            self = .blackListDelete(pairs)
        case .profileChange:
            guard let item = items.first, let profile = item.profile else { return nil }
            let values = item.fields.compactMap { Item($0, profile) }
            guard !values.isEmpty else { return nil }
            let caller = [event.caller.administrator, event.record.actorUserID]
            self = .portraitSet(
                operator: caller.first { !$0.isEmpty } ?? from, from: from,
                timeMilliseconds: event.timeMs, values)
        case .followingChanged:
            // A call follows users or stops following them, and never both.
            let isFollow = items.contains { $0.follow != nil }
            let users = items.filter { ($0.follow != nil) == isFollow }.map(\.otherUser)
            guard !users.isEmpty else { return nil }
            self =
                isFollow
                ? .followAdd(from: from, users, timeMilliseconds: event.timeMs)
                : .followDelete(from: from, users, timeMilliseconds: event.timeMs)
        default: return nil
        }
    }
}

extension ChangeItemRecord {
    /// The user on the other side of a relation.
    fileprivate var otherUser: String {
        if !userID.isEmpty { return userID }
        return blacklistEntry?.userID ?? friendEntry?.userID ?? follow?.userID ?? ""
    }
}

extension TIMCallback.Item {
    /// The field of a profile at a path; nil if TIM has no tag for it.
    ///
    /// A field that was cleared has an empty value, or the word of TIM that stands for none.
    fileprivate init?(_ path: String, _ profile: ProfileRecord) {
        if let key = CustomPath.key(in: path) {
            let value = profile.custom.first { $0.key.isExactly(key) }?.value
            self.init(tag: "Tag_Profile_Custom_\(key)", value: Self.value(value))
            return
        }
        guard let field = ProfileField(named: path), let tag = field.tags.first,
            tag.hasPrefix("Tag_"), let value = Self.value(field, profile)
        else { return nil }
        self.init(tag: tag, value: value)
    }

    private static func value(_ value: CustomValue.Value?) -> TIMCallback.Value {
        switch value {
        case .data(let bytes): .text(String(decoding: bytes, as: UTF8.self))
        case .text(let text): .text(text)
        case .number(let number): .number(Int64(clamping: number))
        case nil: .text("")
        }
    }

    private static func value(
        _ field: ProfileField, _ profile: ProfileRecord
    ) -> TIMCallback.Value? {
        switch field {
        case .nick: .text(profile.nick ?? "")
        case .faceURL: .text(profile.faceURL ?? "")
        case .allowType: .text(word(profile.allowType, "AllowType_Type_", "ALLOW_TYPE_"))
        case .gender: .text(word(profile.gender ?? .unknown, "Gender_Type_", "GENDER_"))
        case .birthday: .number(Int64(profile.birthday ?? 0))
        case .location: .text(String(decoding: profile.location ?? [], as: UTF8.self))
        case .language: .number(Int64(profile.language ?? 0))
        case .level: .number(Int64(profile.level ?? 0))
        case .role: .number(Int64(profile.role ?? 0))
        case .selfSignature: .text(String(decoding: profile.selfSignature ?? [], as: UTF8.self))
        case .msgSettings: .number(Int64(profile.msgSettings ?? 0))
        case .adminForbidType:
            .text(
                word(
                    profile.adminForbidType ?? AdminForbidType.none, "AdminForbid_Type_",
                    "ADMIN_FORBID_TYPE_"))
        default: nil
        }
    }

    /// TIM's word for the value of an enum, such as `AllowType_Type_NeedConfirm`.
    private static func word(
        _ value: (some OpenEnum)?, _ prefix: String, _ namePrefix: String
    ) -> String {
        guard let name = value?.name, name.hasPrefix(namePrefix) else { return "" }
        let words = name.dropFirst(namePrefix.count).split(separator: "_")
        return prefix
            + words.map { $0.prefix(1) + $0.dropFirst().lowercased() }.joined()
    }
}
