import Protobuf
import RelationModel

/// The page of all calls with the codes that each may answer: `proto/CALLS.md`.
///
/// It is made from the tables of calls and codes.
public enum CallPage {
    public static var markdown: String {
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
            text += method.answers.isEmpty ? "" : "\n" + table(method.answers)
        }
        return text
    }

    private static let kinds = [
        ("Any call", ReasonsByKind.every),
        ("Any call for a user", ReasonsByKind.forUsers),
        ("Any call that reads", ReasonsByKind.reading),
        ("Any call that writes", ReasonsByKind.writing),
    ]

    private static let introduction = """
        # Calls and codes

        Every call of `relation.v1`, with every code that it may answer. `make docs` writes this
        page from the tables that the server itself uses.

        A **status** is the `code` of one item in an answer whose gRPC status is OK. A **reason**
        is the `reason` of the `google.rpc.ErrorInfo` (domain `relation.v1`) of a call that failed
        as a whole; the gRPC status is named with it.

        ## Reasons for which every call of a kind may fail

        """

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
            case .services: " for a service"
            case .administrators, .operators: ""
            }
        return "\(messages); \(kind)\(actor), scope `\(method.scope.word)`."
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
