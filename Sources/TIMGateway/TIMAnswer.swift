import Protobuf

/// The members of an answer in their order, and the envelope around them.
struct TIMAnswer {
    typealias Member = (key: String, value: JSONValue)

    private var members: [Member]
    private var failed: [String] = []

    init(_ members: [Member] = []) {
        self.members = members
    }

    /// The list `name` with one result for each item; the users of those that failed are
    /// `Fail_Account`.
    init(_ name: String, _ results: [TIMResult], user: String = "To_Account") {
        members = [(name, .array(results.map { $0.json(user) }))]
        failed = results.filter { $0.code != 0 }.map(\.user)
    }

    mutating func add(_ name: String, _ value: JSONValue) {
        members.append((name, value))
    }

    /// The answer with the envelope of `service`.
    ///
    /// A failed request has only the envelope, unless the vendor tells of its items all the same.
    func text(in service: TIMService?, _ error: TIMError? = nil) -> [UInt8] {
        var all = members
        if !failed.isEmpty { all.append(("Fail_Account", .texts(failed))) }
        all.append(("ActionStatus", .string(error == nil ? "OK" : "FAIL")))
        all.append(("ErrorCode", .whole(error?.code ?? 0)))
        all.append(("ErrorInfo", .string(error?.words ?? "")))
        if service?.showsDisplay == true { all.append(("ErrorDisplay", .string(""))) }
        var text = ""
        JSONValue.object(all).write(to: &text)
        return Array(text.utf8)
    }
}

/// The result for one item.
struct TIMResult {
    let user: String
    let code: Int
    let info: String
    /// The members that come between the user and the code.
    var more: [TIMAnswer.Member] = []

    init(_ user: String, _ code: Int, _ info: String, _ more: [TIMAnswer.Member] = []) {
        self.user = user
        self.code = code
        self.info = code == 0 ? "" : info
        self.more = more
    }

    func json(_ name: String) -> JSONValue {
        .object(
            [(name, .string(user))] + more
                + [("ResultCode", .whole(code)), ("ResultInfo", .string(info))])
    }
}

extension JSONValue {
    static func whole(_ number: some BinaryInteger) -> JSONValue { .number("\(number)") }

    static func texts(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }

    /// An entry of a list of tags.
    static func tag(_ name: String, _ value: JSONValue) -> JSONValue {
        .object([("Tag", .string(name)), ("Value", value)])
    }

    func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let digits): text += digits
        case .string(let value): text += JSONQuote.text(value)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                text += JSONQuote.text(member.key) + ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }
}
