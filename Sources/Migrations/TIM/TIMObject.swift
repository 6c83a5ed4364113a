import Protobuf

/// An object of JSON that TIM answers, read with care.
///
/// Members may be missing, and numbers may stand in quotes.
struct TIMObject: Sendable {
    private let members: [String: JSONValue]

    /// Nil if the value is no object.
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

    /// The objects of a list; nil if the member is no list of objects, and none if it is missing.
    func objects(_ name: String) -> [TIMObject]? {
        guard let value = members[name] else { return [] }
        switch value {
        case .null: return []
        case .array(let values):
            let objects = values.compactMap { TIMObject($0) }
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
