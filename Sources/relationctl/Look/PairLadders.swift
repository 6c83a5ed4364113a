import Protobuf
import RelationAPI
import RelationClient
import RelationModel

/// The rungs that decide whether one user may send to another, add it, follow it, block it and
/// accept its application, and what it may know of their friendship.
struct PairLadders {
    /// The ladders as a table's rows.
    let rows: [[PlainText]]
    private let answers: [(call: String, answer: any Message)]

    init(from user: String, to other: String, _ client: Client) async throws {
        let sending = try await client.call(
            ModerationMethods.explainSend,
            ExplainSendRequest.with {
                $0.fromUserID = user
                $0.toUserID = other
            })
        let adding = try await client.call(
            ModerationMethods.explainAddFriend,
            ExplainAddFriendRequest.with {
                $0.fromUserID = user
                $0.toUserID = other
            })
        let following = try await client.call(
            ModerationMethods.explainFollow,
            ExplainFollowRequest.with {
                $0.fromUserID = user
                $0.toUserID = other
            })
        let blocking = try await client.call(
            ModerationMethods.explainBlock,
            ExplainBlockRequest.with {
                $0.fromUserID = user
                $0.toUserID = other
            })
        let answering = try await client.call(
            ModerationMethods.explainRespond,
            ExplainRespondRequest.with {
                $0.fromUserID = user
                $0.toUserID = other
            })
        let checking = try await client.call(
            ModerationMethods.explainCheckFriend,
            ExplainCheckFriendRequest.with {
                $0.fromUserID = user
                $0.toUserID = other
            })
        answers = [
            ("send", sending), ("add", adding), ("follow", following), ("block", blocking),
            ("respond", answering), ("check", checking),
        ]
        rows =
            Self.rows("send", sending.rungs)
            + [["add", Self.answer(adding.code?.name, adding.info)]]
            + Self.rows("add", adding.rungs)
            + [["follow", Self.answer(following.code?.name, following.info)]]
            + Self.rows("follow", following.rungs)
            + [["block", Self.answer(blocking.code?.name, blocking.info)]]
            + Self.rows("block", blocking.rungs)
            + [["respond", Self.answer(answering.code?.name, answering.info)]]
            + Self.rows("respond", answering.rungs)
            + [["check", Self.outcome(of: checking)]]
            + Self.rows("check", checking.rungs)
    }

    /// The ladders by the names of their calls, as the server answers them.
    func data(_ maker: DataMaker) throws -> JSONValue {
        .object(try answers.map { (key: $0.call, value: try maker.message($0.answer)) })
    }

    /// The relation that a check answers; its code if it has none.
    private static func outcome(of answer: ExplainCheckFriendResponse) -> PlainText {
        guard answer.code == .success, let relation = answer.relation else {
            return Self.answer(answer.code?.name, answer.info)
        }
        return "\(relation.name ?? "\(relation.rawValue)")"
    }

    static func answer(_ code: String?, _ info: String) -> PlainText {
        let name = code ?? "no code"
        return info.isEmpty ? "\(name)" : "\(name) \(info)"
    }

    static func rows(_ call: PlainText, _ rungs: [Rung]) -> [[PlainText]] {
        rungs.map { rung in
            var words: [PlainText] = [outcome(of: rung)]
            if !rung.value.isEmpty { words.append("\(rung.value)") }
            if !rung.setting.isEmpty {
                words.append(setting(of: rung))
            } else if rung.limit > 0 {
                words.append("\(rung.count) of \(rung.limit)")
            }
            if !rung.hookID.isEmpty {
                words.append("hook \(rung.hookID) would be asked, and was not asked now")
            }
            words += rung.rows.map(Self.words)
            return ["\(call) rung \(rung.kind.words)", words.joined("; ")]
        }
    }

    private static func setting(of rung: Rung) -> PlainText {
        if !rung.value.isEmpty { return "\(rung.setting) is in effect" }
        if rung.limit > 0 { return "\(rung.count) of \(rung.limit) in \(rung.setting)" }
        return "\(rung.setting) is \(rung.settingOn ? "on" : "off")"
    }

    private static func outcome(of rung: Rung) -> PlainText {
        if rung.decided { return Paint.heading("decided") }
        let revealed: [RungKind] = [
            .peerMarks, .peerApplication, .hook, .fieldReview, .fieldValue,
        ]
        return revealed.contains(rung.kind) ? "shown" : "passed"
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
