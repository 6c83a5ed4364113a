import Protobuf

/// A value of JSON as text.
struct JSONText {
    private let value: JSONValue

    init(_ value: JSONValue) {
        self.value = value
    }

    /// The value on one line.
    var compact: String { Self.compact(value) }

    /// The value on as many lines as it has parts.
    var pretty: String { Self.pretty(value, "") }

    private static func compact(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let digits): digits
        case .string(let text): quoted(text)
        case .array(let items): "[" + items.map(compact).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.map { quoted($0.key) + ":" + compact($0.value) }
                .joined(separator: ",") + "}"
        }
    }

    private static func pretty(_ value: JSONValue, _ margin: String) -> String {
        let inner = margin + "  "
        switch value {
        case .array(let items) where !items.isEmpty:
            let lines = items.map { inner + pretty($0, inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(margin)]"
        case .object(let members) where !members.isEmpty:
            let lines = members.map { inner + quoted($0.key) + ": " + pretty($0.value, inner) }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(margin)}"
        default: return compact(value)
        }
    }

    static func quoted(_ text: String) -> String { JSONQuote.text(text) }
}
