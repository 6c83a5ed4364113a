import ArgumentParser
import Protobuf
import RelationAPI
import RelationModel

struct Methods: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the calls, what each takes and answers, and the scope that it needs.")

    @Flag(help: "Print every call with every code that it may answer, as a page of Markdown.")
    var markdown = false

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
        try StandardOutput.show(lines.joined(""))
    }
}
