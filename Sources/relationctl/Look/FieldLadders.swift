import RelationAPI
import RelationClient

/// Fields with the rungs that show or hide them, as a table's rows.
enum FieldLadders {
    static func rows(_ fields: [ExplainedField]) -> [[PlainText]] {
        fields.flatMap { field in
            [["\(field.field)", state(of: field)]]
                + PairLadders.rows("\(field.field)", field.rungs)
        }
    }

    private static func state(of field: ExplainedField) -> PlainText {
        switch field.state {
        case .unspecified: return Paint.good("shown")
        case .notSet: return "shown, and has no value"
        default:
            let name = field.state.name ?? "\(field.state.rawValue)"
            let prefix = "FIELD_ACCESS_STATE_"
            let word = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
            return Paint.bad("\(word.lowercased())")
        }
    }
}
