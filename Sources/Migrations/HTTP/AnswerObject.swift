import Protobuf

/// An object of JSON that another system answers, read with care.
///
/// Members may be missing, and numbers may stand in quotes.
struct AnswerObject: Sendable {
    private let members: [String: JSONValue]

    /// Nil if the value is not an object.
    init?(_ value: JSONValue) {
        guard case .object(let members) = value else { return nil }
        self.members = Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
    }

    init?(json: [UInt8]) {
        guard let text = String(validating: json, as: UTF8.self),
            let value = try? JSONValue(parsing: text)
        else { return nil }
        self.init(value)
    }

    var names: Dictionary<String, JSONValue>.Keys { members.keys }

    subscript(_ name: String) -> JSONValue? { members[name] }

    func text(_ name: String) -> String {
        members[name].flatMap(Self.text) ?? ""
    }

    func number(_ name: String) -> Int64? {
        members[name].flatMap(Self.number)
    }

    /// The object that a member is, or that its text has; nil if there is none.
    func object(_ name: String) -> AnswerObject? {
        switch members[name] {
        case .string(let text)?: AnswerObject(json: Array(text.utf8))
        case let value?: AnswerObject(value)
        case nil: nil
        }
    }

    /// The members by their names.
    var byName: [(name: String, value: JSONValue)] {
        members.map { (name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
    }

    /// The objects of a list; nil if the member is not a list of objects, and none if it is
    /// missing.
    func objects(_ name: String) -> [AnswerObject]? {
        guard let value = members[name] else { return [] }
        switch value {
        case .null: return []
        case .array(let values):
            let objects = values.compactMap { AnswerObject($0) }
            return objects.count == values.count ? objects : nil
        default: return nil
        }
    }

    /// The values of a list of pairs `Tag` and `Value`.
    func tags(_ name: String) -> [(tag: String, value: JSONValue)]? {
        objects(name)?.map { ($0.text("Tag"), $0["Value"] ?? .null) }
    }

    static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text), .number(let text): text
        default: nil
        }
    }

    static func number(_ value: JSONValue) -> Int64? {
        text(value).flatMap { Int64($0) }
    }

    static func texts(_ value: JSONValue) -> [String]? {
        switch value {
        case .array(let values):
            let texts = values.compactMap(text)
            return texts.count == values.count ? texts : nil
        case .string(let text): return [text]
        default: return nil
        }
    }
}
