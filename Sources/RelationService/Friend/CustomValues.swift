import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// The custom values of one friend in a request, checked against the fields that the app has
/// registered.
///
/// A value must stand there for the first time, be of the field's kind, and be short enough. The
/// field must exist, and the caller must have the right to write it. An empty text or empty bytes
/// take the value away.
///
/// The contract asks for malformed fields before it asks for the other two. So a malformed value is
/// refused at once, and the rest when the whole item has been read.
struct CustomValues {
    private var values: [CustomValue] = []
    private var namesUnknownField = false
    private var lacksRight = false
    private let settings: AppSettings
    private let isAdmin: Bool
    private let reasons: FriendReasons.Custom

    init(_ settings: AppSettings, isAdmin: Bool, _ reasons: FriendReasons.Custom) {
        self.settings = settings
        self.isAdmin = isAdmin
        self.reasons = reasons
    }

    mutating func add(_ list: [CustomValue]) throws(FriendRefusal) {
        for custom in list { try add(custom.key, settings.tagValue(of: custom, .friend)) }
    }

    mutating func add(_ key: String, _ value: TagValue.Value?) throws(FriendRefusal) {
        guard let field = settings.customField(key, of: .friend) else {
            namesUnknownField = true
            return
        }
        guard !values.contains(where: { $0.key.isExactly(key) }), let value,
            case .success(let stored) = CustomCheck(settings).stored(value, field.type)
        else { throw FriendRefusal(reasons.illegal) }
        var custom = CustomValue()
        custom.key = key
        custom.value = stored
        values.append(custom)
        if !field.isWritable && !isAdmin { lacksRight = true }
    }

    /// The values, once everything else of the item was found to be well-formed.
    func checked() throws(FriendRefusal) -> [CustomValue] {
        guard !namesUnknownField else {
            throw FriendRefusal(Outcome(.tagNotFound, reasons.notExist))
        }
        guard !lacksRight else {
            throw FriendRefusal(Outcome(.writePermissionRequired, reasons.notWritable))
        }
        return values
    }
}
