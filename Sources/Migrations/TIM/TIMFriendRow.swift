import Protobuf
import RelationAPI
import RelationModel

/// Makes a friend of the tags that TIM shows of it.
struct TIMFriendRow {
    static let customPrefix = "Tag_SNS_Custom_"

    private let fields: CustomFields
    private let isStrict: Bool
    private(set) var friend = Friend()
    /// The tags that were left out, each with the rule that its value breaks.
    private(set) var lost: [(tag: String, rule: String)] = []

    /// - Parameter isStrict: Whether a source must have letters only.
    init(_ id: String, _ fields: CustomFields, isStrict: Bool) {
        self.fields = fields
        self.isStrict = isStrict
        friend.userID = id
    }

    mutating func addLoss(_ tag: String, because rule: String) {
        lost.append((tag, rule))
    }

    mutating func set(_ tag: String, _ value: JSONValue) {
        switch tag {
        case "Tag_SNS_IM_Remark": text(tag, value) { $0.remark = $1 }
        case "Tag_SNS_IM_AddWording": text(tag, value) { $0.wording = $1 }
        case "Tag_SNS_IM_AddSource": source(tag, value)
        case "Tag_SNS_IM_AddTime": time(tag, value) { $0.addTimeMs = $1 }
        case "Tag_SNS_IM_RemarkTime": time(tag, value) { $0.remarkTimeMs = $1 }
        case "Tag_SNS_IM_Group":
            if case .null = value { return }
            guard let names = AnswerObject.texts(value) else {
                return addLoss(tag, "is not a list of texts")
            }
            var known: Set<String> = []
            friend.groups = names.filter { !$0.isEmpty && known.insert($0).inserted }
        default: custom(tag, value)
        }
    }

    private mutating func addLoss(_ tag: String, _ rule: String) {
        lost.append((tag, rule))
    }

    private mutating func text(
        _ tag: String, _ value: JSONValue, _ set: (inout Friend, String) -> Void
    ) {
        if case .null = value { return }
        guard let text = AnswerObject.text(value) else { return addLoss(tag, "is not a text") }
        set(&friend, text)
    }

    private mutating func time(
        _ tag: String, _ value: JSONValue, _ set: (inout Friend, Int64) -> Void
    ) {
        if case .null = value { return }
        guard let seconds = AnswerObject.number(value), (0...Int64(UInt32.max)).contains(seconds)
        else { return addLoss(tag, "is not a time in seconds") }
        set(&friend, seconds * 1_000)
    }

    /// Takes a source by the rule of this service: up to eight letters, or any short text in an app
    /// that keeps what TIM keeps.
    private mutating func source(_ tag: String, _ value: JSONValue) {
        guard let text = AnswerObject.text(value), !text.isEmpty else { return }
        guard let source = AddSource.stored(text, isStrict ? .letters : .texts) else {
            let kind = isStrict ? "letters" : "bytes without control characters"
            return addLoss(tag, "is not AddSource_Type_ and 1 to 8 \(kind): \(text)")
        }
        friend.source = source
    }

    private mutating func custom(_ tag: String, _ value: JSONValue) {
        guard let text = AnswerObject.text(value), !text.isEmpty else { return }
        guard tag.hasPrefix(Self.customPrefix) else {
            return addLoss(tag, "is a tag that this program does not know")
        }
        var rule = ""
        let key = String(tag.dropFirst(Self.customPrefix.count))
        guard let custom = fields.value(key, .friend, text, rule: &rule) else {
            return addLoss(tag, rule)
        }
        // TIM may tell a tag in two answers, or twice in one: a field has the last value.
        friend.custom.removeAll { $0.key == custom.key }
        friend.custom.append(custom)
    }
}
