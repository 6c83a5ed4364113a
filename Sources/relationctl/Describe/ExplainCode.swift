import ArgumentParser
import ContractText
import Protobuf
import RelationAPI
import RelationClient
import RelationModel

struct ExplainCode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "code",
        abstract: "Explain a code or a reason, and what to do about it.")

    @OptionGroup var form: DataOutput

    @Argument(help: "The number or the name.")
    var code: String

    func run() throws {
        guard !code.isEmpty else {
            throw Failure("the code is empty: give a number or a name", .misuse)
        }
        let contract = try ContractEntries()
        let code = Self.number(code) ?? code
        let entries = Self.found(code, contract)
        let codes = TIMCode.found(code)
        let statuses = CallStatus.all.filter { $0.isCalled(code) }
        let pages = entries.map { CodePage($0).text } + codes.map(\.text) + statuses.map(\.text)
        guard !pages.isEmpty else {
            let known = contract.entries.filter(Self.isCode)
            let names =
                known.flatMap { [$0.shortName, $0.name] } + CallStatus.all.map { "\($0.code)" }
                + Explain.configuration.subcommands.map { $0._commandName }
            let words =
                NearNames.question(for: NearNames.plain(code), among: names)
                ?? "'relationctl describe' explains all other things"
            throw Failure("no code or reason \(code): \(words)", .misuse)
        }
        try form.show(pages.joined("\n")) { _ in
            .array(entries.map(CodePage.data) + codes.map(\.data) + statuses.map(\.data))
        }
    }

    /// A number without a sign and without zeros before it; nil for another text.
    private static func number(_ text: String) -> String? {
        let digits = text.hasPrefix("+") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        let rest = digits.drop { $0 == "0" }
        return rest.isEmpty ? "0" : String(rest)
    }

    private static func isCode(_ entry: ContractEntries.Entry) -> Bool {
        entry.kind == .value
            && (codes.contains(entry.parent) || ["Reason", "ErrorReason"].contains(entry.parent))
    }

    /// The enums whose numbers are codes of items; those of reasons are not codes.
    private static let codes: Set<String> = [
        "FriendStatus", "FollowStatus", "ProfileStatus", "SendStatus", "SubscriptionStatus",
    ]

    private static func found(
        _ text: String, _ contract: ContractEntries
    ) -> [ContractEntries.Entry] {
        let wanted = NearNames.plain(text)
        let reason = Reason.entries.first { "\($0.info)".lowercased() == text.lowercased() }
        return contract.entries.filter { entry in
            guard isCode(entry) else { return false }
            return codes.contains(entry.parent) && entry.number == text && text.utf8.count > 2
                || NearNames.plain(entry.name) == wanted
                || NearNames.plain(entry.shortName) == wanted
                || entry.foreignNames.contains(text)
                || entry.parent == "Reason" && entry.name == reason?.reason.name
        }
    }
}

/// The page about a code or a reason of the contract.
private struct CodePage {
    private var lines: [PlainText] = []

    var text: PlainText { lines.joined("\n") + "\n" }

    init(_ entry: ContractEntries.Entry) {
        lines.append(Paint.heading("\(entry.name) = \(entry.number), of \(entry.parent)"))
        lines += entry.comment.map { $0.isEmpty ? "" : "  \($0)" }
        if let reason = Reason.entries.first(where: { $0.reason.name == entry.name }) {
            lines += [
                "", "  in results: \(reason.info)", "  calls: \(reason.calls)",
                "  codes: \(reason.codes)", "  do: \(reason.advice)",
            ]
            return
        }
        if let advice = ErrorAdvice.text(of: entry.name) { lines += ["", "  do: \(advice)"] }
        let calls = Self.calls(of: entry)
        if !calls.isEmpty {
            let shown = calls.prefix(Limits.explainedCalls)
            let more = calls.count - shown.count
            let rest = more > 0 ? " and \(more) more" : ""
            lines += ["", "  calls: \(shown.joined(separator: ", "))\(rest)"]
        }
        addReasons(of: entry)
    }

    /// The entry for programs, with the calls that answer it, and with its reasons.
    static func data(_ entry: ContractEntries.Entry) -> JSONValue {
        guard case .object(let members) = entry.data, entry.parent != "Reason" else {
            return entry.data
        }
        let reasons = reasons(of: entry).map { reason -> JSONValue in
            .object([
                ("info", .string("\(reason.info)")), ("advice", .string("\(reason.advice)")),
            ])
        }
        let advice = ErrorAdvice.text(of: entry.name).map { ("advice", JSONValue.string("\($0)")) }
        return .object(
            members + (advice.map { [$0] } ?? []) + [
                ("calls", .array(calls(of: entry).map { .string($0) })),
                ("reasons", .array(reasons)),
            ])
    }

    /// The calls that answer a code; none for a reason that most calls may answer.
    private static func calls(of entry: ContractEntries.Entry) -> [String] {
        if ErrorAdvice.isOfAnyCall(entry.name) { return [] }
        return ServiceTable.all.filter { method in
            method.answers.contains { $0.name == entry.name }
        }.map(\.name)
    }

    /// The reasons that an item with this code may have.
    private static func reasons(of entry: ContractEntries.Entry) -> [Reason.Entry] {
        guard entry.parent != "ErrorReason" else { return [] }
        let calls = calls(of: entry)
        return Reason.entries.filter { reason in
            let names = words(of: reason.calls)
            return words(of: reason.codes).contains(entry.number)
                && calls.contains { names.contains($0) }
        }
    }

    /// The reasons of a code, each with what to do about it.
    private mutating func addReasons(of entry: ContractEntries.Entry) {
        let all = Self.reasons(of: entry)
        guard !all.isEmpty else { return }
        let rows = all.prefix(Limits.describedInShort).map { reason -> [PlainText] in
            ["", "\(reason.info)", "\(reason.advice)"]
        }
        lines += ["", Paint.heading("reasons"), PlainTable(rows: rows).text.withoutLastEnd]
        if all.count > rows.count { lines.append("and \(all.count - rows.count) more") }
    }

    /// The words of a list with commas, of calls or of codes.
    private static func words(of list: String) -> [String] {
        list.split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
    }
}

/// A status of gRPC, which a call as a whole ends with.
private struct CallStatus {
    let code: StatusCode
    let meaning: PlainText
    let advice: PlainText

    static let all: [CallStatus] = [
        CallStatus(.ok, "the call succeeded", "Look at the codes of its items."),
        CallStatus(
            .cancelled, "the caller ended the call, or the server did for it",
            "Nothing is left to do."),
        CallStatus(
            .unknown, "the outcome is not known", "Read what the call was to change, then decide."),
        CallStatus(
            .invalidArgument, "the request breaks a rule, and its details name the field",
            "Correct the request: the same one is refused again."),
        CallStatus(
            .deadlineExceeded, "the call took longer than it may",
            "Try again later; a write with the same request_id is done once."),
        CallStatus(
            .notFound, "the app, the acting user or another thing is not there",
            "Look at the reason: it says what is missing."),
        CallStatus(
            .alreadyExists, "what the call would make is there", "Use what is there."),
        CallStatus(
            .permissionDenied, "the credential is good, and does not allow this call",
            "Use a credential with the scope; 'relationctl status' says what this one may do."),
        CallStatus(
            .resourceExhausted, "a bound was reached, such as the calls a second",
            "Wait as long as the answer says, or ask for a higher bound."),
        CallStatus(
            .failedPrecondition, "the call does not fit the state of things",
            "Look at the reason, and change that state first."),
        CallStatus(
            .aborted, "another call came first", "Read again, then try again."),
        CallStatus(
            .outOfRange, "a number of the request is beyond its end", "Correct the request."),
        CallStatus(
            .unimplemented, "the server does not have this call",
            "Compare its version with yours: 'relationctl status' shows both."),
        CallStatus(
            .internalError, "the server or the client has an error", "Tell the server's operator."),
        CallStatus(
            .unavailable, "no server can be reached, or it is stopping", "Try again."),
        CallStatus(
            .dataLoss, "data of the server is lost", "Tell the server's operator at once."),
        CallStatus(
            .unauthenticated, "the credential is missing, not valid or expired",
            "Get a new one: 'relationctl login' checks it."),
    ]

    init(_ code: StatusCode, _ meaning: PlainText, _ advice: PlainText) {
        self.code = code
        self.meaning = meaning
        self.advice = advice
    }

    func isCalled(_ text: String) -> Bool {
        "\(code.rawValue)" == text || NearNames.plain("\(code)") == NearNames.plain(text)
    }

    /// The status for programs.
    var data: JSONValue {
        .object([
            ("kind", .string("status")), ("name", .string("\(code)")),
            ("number", .whole(code.rawValue)), ("comment", .string("\(meaning)")),
            ("advice", .string("\(advice)")),
        ])
    }

    var text: PlainText {
        let heading = Paint.heading("\(code) = \(code.rawValue), of gRPC")
        return "\(heading)\n  \(meaning).\n\n  do: \(advice)\n"
    }
}
