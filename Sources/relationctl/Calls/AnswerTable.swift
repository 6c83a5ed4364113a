import Protobuf

/// An answer as tables: its own fields by name, then a table for each list of messages.
struct AnswerTable {
    let text: PlainText

    init(_ answer: JSONValue) {
        guard case .object(let members) = answer else {
            text = Self.cell(answer)
            return
        }
        var fields: [[PlainText]] = []
        var tables: [PlainText] = []
        for (key, value) in members {
            if case .array(let items) = value, let rows = Self.rows(items) {
                tables.append("\(key):\n\(PlainTable(rows: rows).text)")
            } else if case .object(let parts) = value {
                fields += parts.map { ["\(key).\($0.key)", Self.cell($0.value)] }
            } else {
                fields.append(["\(key)", Self.cell(value)])
            }
        }
        let header = fields.isEmpty ? [] : [PlainTable(rows: fields).text]
        let whole = (header + tables).joined("\n")
        text = whole.isEmpty ? "nothing" : whole.withoutLastEnd
    }

    /// The rows of a list of messages, with the names of their fields above; nil for other lists.
    private static func rows(_ items: [JSONValue]) -> [[PlainText]]? {
        var names: [String] = []
        var known: Set<String> = []
        var rows: [[String: JSONValue]] = []
        for item in items {
            guard case .object(let members) = item else { return nil }
            for member in members where known.insert(member.key).inserted {
                names.append(member.key)
            }
            rows.append(Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first })
        }
        return [names.map { "\($0)" }] + rows.map { row in names.map { row[$0].map(cell) ?? "-" } }
    }

    private static func cell(_ value: JSONValue) -> PlainText {
        switch value {
        case .string(let text): "\(text)"
        case .array(let items): items.map(cell).joined(" ")
        default: "\(JSONText(value).compact)"
        }
    }
}
