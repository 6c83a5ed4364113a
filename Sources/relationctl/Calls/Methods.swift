import ArgumentParser
import Protobuf
import RelationAPI
import RelationModel

struct Methods: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the calls, what each takes and answers, and the scope that it needs.")

    @OptionGroup var form: DataOutput

    @Flag(help: "Print every call with every code that it may answer, as a page of Markdown.")
    var markdown = false

    func validate() throws {
        guard !markdown || form.output == .table else {
            throw ValidationError("--markdown is a form of its own: leave --output out")
        }
    }

    func run() throws {
        guard !markdown else {
            _ = try StandardOutput.print(PlainText(own: CallPage.markdown), terminator: "")
            return
        }
        let lines = ServiceTable.all.map { method -> PlainText in
            let path = "\(method.service)/\(method.name)"
            let (many, answers) =
                switch method.shape {
                case .unary: ("", "")
                case .serverStreaming: ("", "stream ")
                case .clientStreaming: ("stream ", "")
                case .bidirectional: ("stream ", "stream ")
                }
            return "\(path)\n    \(method.scope.word): \(many)\(method.request.fullName) -> "
                + "\(answers)\(method.response.fullName)\n"
        }
        try form.show(lines.joined("")) { _ in
            .array(ServiceTable.all.map(Self.data))
        }
    }

    private static func data(_ method: AnyMethod) -> JSONValue {
        let (shape, none) = (method.shape, JSONValue.bool(false))
        let many = JSONValue.bool(true)
        return .object([
            ("service", .string(method.service)), ("name", .string(method.name)),
            ("scope", .string(method.scope.word)),
            ("request", .string(method.request.fullName)),
            ("requestStream", shape == .clientStreaming || shape == .bidirectional ? many : none),
            ("response", .string(method.response.fullName)),
            ("responseStream", shape == .serverStreaming || shape == .bidirectional ? many : none),
        ])
    }
}
