import Protobuf
import RelationModel

/// The page of all calls with the codes that each may answer, and of all reasons: `proto/CALLS.md`.
///
/// It is made from the tables of calls, codes and reasons.
package enum CallPage {
    package static var markdown: String {
        var text = introduction
        for (kind, reasons) in kinds {
            text += "\n### \(kind)\n\n" + table(reasons.map { AnswerCode($0) })
        }
        text += "\n## The calls\n"
        var service = ""
        for method in ServiceTable.all {
            if method.service != service {
                service = method.service
                text += "\n### \(short(service))\n"
            }
            text += "\n#### \(method.name)\n\n\(line(of: method))\n"
            text += method.limits.isEmpty ? "" : limits(of: method) + "\n"
            text += method.answers.isEmpty ? "" : "\n" + table(method.answers)
        }
        return text + resultReasons
    }

    private static let kinds = [
        ("Any call", ReasonsByKind.every),
        ("Any call for a user", ReasonsByKind.forUsers),
        ("Any call that reads", ReasonsByKind.reading),
        ("Any call that writes", ReasonsByKind.writing),
        ("Any call that writes for a user", ReasonsByKind.writingForUsers),
    ]

    private static let introduction = """
        # Calls and codes

        Every call of `relation.v1`, with every code that it may answer. `make docs` writes this
        page from the tables that the server itself uses.

        A **status** is the `code` of one item in an answer whose gRPC status is OK. Beside it stand
        a `reason` and its text, `info`: [the last table](#the-reasons-of-results) has all of them.

        A call that failed as a whole has another `reason`: that of its `google.rpc.ErrorInfo`
        (domain `relation.v1`). It is the name of an `ERROR_REASON_` below without that prefix. The
        gRPC status is named with it.

        ## Reasons for which every call of a kind may fail

        """

    /// The table of the reasons that a result may have.
    private static var resultReasons: String {
        var text = """

            ## The reasons of results

            Why an item has the outcome that it has: `reason` and `info` of a result. Several cases
            share a code, and only the reason tells them apart. An item that was done, and of which
            nothing more is to be said, has neither. A text that TIM has too is marked.

            | number | reason | `info` | calls | codes | meaning | what a caller does |
            |---|---|---|---|---|---|---|

            """
        for entry in Reason.entries {
            let name = entry.reason.name ?? ""
            let info = "`\(entry.info)`" + (entry.isTIMs ? " (TIM's)" : "")
            let meaning = entry.meaning.prefix(1).uppercased() + entry.meaning.dropFirst()
            text += "| \(entry.reason.rawValue) | \(name) | \(info) | \(entry.calls) "
            text += "| \(entry.codes) | \(meaning) | \(entry.advice) |\n"
        }
        return text
    }

    private static func line(of method: AnyMethod) -> String {
        let request = "`\(short(method.request.fullName))`"
        let response = "`\(short(method.response.fullName))`"
        let messages =
            switch method.shape {
            case .unary: "\(request) → \(response)"
            case .serverStreaming: "\(request) → stream of \(response)"
            case .clientStreaming: "stream of \(request) → \(response)"
            case .bidirectional: "stream of \(request) → stream of \(response)"
            }
        let kind =
            switch method.access {
            case .read, .scan: "reads"
            case .write: "writes"
            case .watch: "follows changes"
            case .open: "needs no caller"
            }
        let actor =
            switch method.audience {
            case .users: " for a user"
            case .services, .watchers: " for a service"
            case .administrators, .operators: ""
            }
        return "\(messages); \(kind)\(actor), scope `\(method.scope.word)`."
    }

    /// The bounds of a call's request, such as "Limits: `items` 100 items, `items.tags` 64 items.".
    private static func limits(of method: AnyMethod) -> String {
        let limits = method.limits.map { limit in
            let most =
                limit.limit == .max ? "by the app's settings" : "\(limit.limit) \(limit.unit)"
            return "`\(limit.field)` \(most)"
        }
        return "Limits: \(limits.joined(separator: ", "))."
    }

    private static func table(_ codes: [AnswerCode]) -> String {
        var text = "| number | code | meaning |\n|---|---|---|\n"
        for code in codes {
            let meaning = code.schema.meaning(of: code.number) ?? ""
            text += "| \(code.number) | \(code.name) | \(meaning) |\n"
        }
        return text
    }

    private static func short(_ fullName: String) -> String {
        fullName.split(separator: ".").last.map(String.init) ?? fullName
    }
}
