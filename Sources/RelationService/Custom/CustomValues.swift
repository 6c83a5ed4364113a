import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// The custom values of one friend in a request, checked against the fields that the app has
/// registered.
///
/// Each value passes the same checks in the same order. The field must exist, the caller must have
/// the right to write it, and it must stand there for the first time. The value must be of the
/// field's kind, and short enough. An empty text or empty bytes take the value away.
struct CustomValues {
    /// The reasons for refusing a value, in the words of the call.
    struct Reasons {
        let notExist: Reason
        let notWritable: Reason
        let illegal: Reason

        static let add = Reasons(
            notExist: Reason.FriendAdd.customTagNotExist,
            notWritable: Reason.FriendAdd.customNotWritable,
            illegal: Reason.FriendAdd.customIllegal)
        static let update = Reasons(
            notExist: Reason.FriendUpdate.customTagNotExist,
            notWritable: Reason.FriendUpdate.customNotWritable,
            illegal: Reason.FriendUpdate.customIllegal)
        static let importing = Reasons(
            notExist: Reason.FriendImport.customTagNotExist,
            notWritable: Reason.FriendImport.customIllegal,
            illegal: Reason.FriendImport.customIllegal)
    }

    private(set) var values: [CustomValue] = []
    private let settings: AppSettings
    private let isAdmin: Bool
    private let reasons: Reasons

    init(_ settings: AppSettings, isAdmin: Bool, _ reasons: Reasons) {
        self.settings = settings
        self.isAdmin = isAdmin
        self.reasons = reasons
    }

    mutating func take(_ list: [CustomValue]) throws(Refusal) {
        for custom in list { try take(custom.key, custom.value.map(TagValue.Value.init)) }
    }

    mutating func take(_ key: String, _ value: TagValue.Value?) throws(Refusal) {
        guard let field = settings.customField(key, of: .friend) else {
            throw Refusal(Outcome(.tagNotFound, reasons.notExist))
        }
        guard field.isWritable || isAdmin else {
            throw Refusal(Outcome(.writePermissionRequired, reasons.notWritable))
        }
        guard !values.contains(where: { $0.key.isExactly(key) }), let value,
            case .success(let stored) = CustomCheck(settings).stored(value, field.type)
        else { throw Refusal(reasons.illegal) }
        var custom = CustomValue()
        custom.key = key
        custom.value = stored
        values.append(custom)
    }
}

extension TagValue.Value {
    init(_ value: CustomValue.Value) {
        switch value {
        case .data(let bytes): self = .data(bytes)
        case .number(let number): self = .number(number)
        }
    }
}
