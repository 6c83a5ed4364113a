import Protobuf

/// Compares the answers of two systems to one request of TIM's REST API.
///
/// Rows of a list are compared by the user or the group that they name, in any order. Texts that
/// explain a code, sequences and cursors are each system's own, and are left out. A list of which
/// either answer has a part only is not compared, since each system chooses the length of its
/// pages.
struct AnswerComparison {
    private let command: String
    private let user: String
    private(set) var differences: [MigrationLoss] = []

    /// - Parameters:
    ///   - old: The answer of the system that is left.
    ///   - new: The answer of the system that replaces it.
    init(_ call: ProxiedCall, _ old: [UInt8], _ new: [UInt8]) {
        let request = AnswerObject(json: call.body)
        (command, user) = (call.command ?? "", call.user(in: request))
        guard let one = AnswerObject(json: old) else { return }
        guard let other = AnswerObject(json: new) else {
            report("", "", because: "is not JSON here")
            return
        }
        let codes = (Self.shown(one["ErrorCode"]), Self.shown(other["ErrorCode"]))
        guard codes.0 == codes.1 else {
            differ("", "ErrorCode", codes.0, codes.1)
            return
        }
        let isPart =
            [one, other].contains(where: Self.isPart) || request.map(Self.continues) ?? false
        if !isPart { compare(one, other, "") }
    }

    /// Whether an answer has a part of a list.
    private static func isPart(_ answer: AnswerObject) -> Bool {
        (answer["CompleteFlag"] != nil && answer.number("CompleteFlag") == 0)
            || !["", "0"].contains(answer.text("StartIndex"))
            || !answer.text("NextCursor").isEmpty
    }

    /// Whether a request asks for what follows a part, or for what changed since a sequence.
    private static func continues(_ request: AnswerObject) -> Bool {
        ["StartIndex", "StartCursor", "StandardSequence", "CustomSequence", "LastSequence"]
            .contains { !["", "0"].contains(request.text($0)) }
    }

    private static let ownMembers: Set<String> = [
        "ActionStatus", "ErrorInfo", "ErrorDisplay", "ResultInfo", "StandardSequence",
        "CustomSequence", "CurrentSequence", "CurruentSequence", "LastSequence", "StartIndex",
        "NextStartIndex", "NextCursor", "CompleteFlag",
    ]
    /// Members, and tags, that are times: the new system does a change later than the old one.
    private static let times: Set<String> = [
        "AddBlackTimeStamp", "FollowTime", "Tag_SNS_IM_AddTime", "Tag_SNS_IM_RemarkTime",
    ]
    /// The members that name a row of a list.
    private static let names = ["To_Account", "UserID", "GroupName", "Tag", "Platform"]

    /// - Parameters:
    ///   - row: The row in which the objects are; empty at the top.
    ///   - tag: The tag whose value is compared; nil if members are.
    private mutating func compare(
        _ old: AnswerObject, _ new: AnswerObject, _ row: String, tag: String? = nil
    ) {
        for name in Set(old.names).union(new.names).sorted()
        where !Self.ownMembers.contains(name) {
            let (one, other) = (old[name], new[name])
            let lists = (one.flatMap(Self.rows), other.flatMap(Self.rows))
            if lists.0 != nil || lists.1 != nil {
                compare(lists.0 ?? [:], lists.1 ?? [:], row, name)
            } else {
                let field = name == "Value" ? tag ?? name : name
                let texts = (Self.shown(one), Self.shown(other))
                guard texts.0 != texts.1, !isNear(field, texts.0, texts.1) else { continue }
                differ(row, field, texts.0, texts.1)
            }
        }
    }

    private mutating func compare(
        _ old: [String: AnswerObject], _ new: [String: AnswerObject], _ row: String, _ list: String
    ) {
        for name in Set(old.keys).union(new.keys).sorted() {
            let isTag = !row.isEmpty
            let (owner, field) = isTag ? (row, name) : (name, list)
            switch (old[name], new[name]) {
            case (let one?, let other?):
                compare(one, other, owner, tag: isTag ? name : nil)
            case (nil, _): report(owner, field, because: "is here, and not at the other system")
            case (_, nil): report(owner, field, because: "is not here")
            }
        }
    }

    /// The rows of a list of objects by their names; nil for another value.
    private static func rows(_ value: JSONValue) -> [String: AnswerObject]? {
        guard case .array(let values) = value, !values.isEmpty else { return nil }
        let objects = values.compactMap { AnswerObject($0) }
        guard objects.count == values.count else { return nil }
        var rows: [String: AnswerObject] = [:]
        for (index, object) in objects.enumerated() {
            let name = names.lazy.map { object.text($0) }.first { !$0.isEmpty } ?? ""
            // A user may stand in a list more than once.
            rows[rows[name] == nil && !name.isEmpty ? name : "\(name)#\(index)"] = object
        }
        return rows
    }

    private func isNear(_ field: String, _ one: String, _ other: String) -> Bool {
        guard Self.times.contains(field), let one = Int64(one), let other = Int64(other) else {
            return false
        }
        return (max(one, other) - min(one, other)) <= MigrationLimits.nearSeconds
    }

    /// A value as a text: numbers may stand in quotes, and what is empty may be left out.
    private static func shown(_ value: JSONValue?) -> String {
        switch value {
        case nil, .null: ""
        case .bool(let isTrue): "\(isTrue)"
        case .number(let text), .string(let text): text
        case .array(let values): values.map { shown($0) }.sorted().joined(separator: ", ")
        case .object(let members):
            members.map { "\($0.key) \(shown($0.value))" }.sorted().joined(separator: ", ")
        }
    }

    private mutating func differ(_ row: String, _ field: String, _ one: String, _ other: String) {
        func short(_ text: String) -> Substring {
            text.isEmpty ? "nothing" : text.prefix(MigrationLimits.shownBytes)
        }
        report(row, field, because: "differs: \(short(one)) there, \(short(other)) here")
    }

    private mutating func report(_ row: String, _ field: String, because rule: String) {
        guard differences.count < MigrationLimits.differencesOfCall else { return }
        differences.append(MigrationLoss(user, command, row, field: field, because: rule))
    }
}
