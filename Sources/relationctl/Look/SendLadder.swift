import RelationAPI
import RelationClient
import RelationModel

/// The rungs that decide whether one user may send to another, as a table's rows.
struct SendLadder {
    let rows: [[PlainText]]

    init(from user: String, to other: String, _ client: Client) async throws {
        let answer = try await client.call(
            ModerationMethods.explainSend,
            ExplainSendRequest.with {
                $0.fromUserID = user
                $0.toUserID = other
            })
        rows = answer.rungs.map { rung in
            var words: [PlainText] = [Self.outcome(of: rung)]
            if !rung.setting.isEmpty {
                words.append("\(rung.setting) is \(rung.settingOn ? "on" : "off")")
            }
            words += rung.rows.map(Self.words)
            return ["rung \(rung.kind.words)", words.joined("; ")]
        }
    }

    private static func outcome(of rung: Rung) -> PlainText {
        if rung.decided { return Paint.heading("decided") }
        return rung.kind == .peerMarks ? "told" : "passed"
    }

    private static func words(_ row: RungRow) -> PlainText {
        let about = row.otherUserID.isEmpty ? "" : " about \(row.otherUserID)"
        var words: [PlainText] = []
        if !row.present {
            words.append("none")
        } else if row.addTimeMs > 0 {
            words.append("since \(DayClock.text(row.addTimeMs))")
        } else {
            words.append("there")
        }
        if row.endTimeMs == .max {
            words.append("without end")
        } else if row.endTimeMs > 0 {
            words.append("until \(DayClock.text(row.endTimeMs))")
        }
        words.append("sequence \(row.sequence)")
        return "row of \(row.ownerUserID)\(about): \(words.joined(", "))"
    }
}

extension RungKind {
    /// The question, in a word of a table.
    fileprivate var words: String {
        let name = name ?? "\(rawValue)"
        let prefix = "RUNG_KIND_"
        return (name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name).lowercased()
    }
}
