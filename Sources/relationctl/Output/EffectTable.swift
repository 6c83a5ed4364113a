import RelationAPI

/// The rows and events that a dry run tells, as a table with their cost below it.
struct EffectTable {
    private let effects: WriteEffects

    /// - Parameter effects: Nil if the caller has no right to see them.
    init(_ effects: WriteEffects?) {
        self.effects = effects ?? WriteEffects()
    }

    var text: PlainText {
        var lines: [[PlainText]] = [["DOES", "WHAT", "OF", "KEY", "SIZE"]]
        for row in effects.rows {
            lines.append([
                row.deleted ? "delete" : "put", "\(row.table)", Self.word(row.ownerUserID),
                Self.word(row.key), "\(row.bytes) bytes",
            ])
        }
        for event in effects.events {
            lines.append([
                "event", "\(event.kind)", Self.word(event.userID),
                event.sequence > 0 ? "\(event.sequence)" : "-", "\(event.itemCount) items",
            ])
        }
        let rest = effects.cut ? "; some are not listed" : ""
        return """
            \(PlainTable(rows: lines).text)\(effects.rowCount) rows of \(effects.rowBytes) bytes, \
            \(effects.eventCount) events\(rest)

            """
    }

    private static func word(_ text: String) -> PlainText { text.isEmpty ? "-" : "\(text)" }
}
