import ArgumentParser
import Protobuf
import RelationAPI
import RelationClient

struct ExplainProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Show why one user sees fields of another one's profile, or does not.",
        discussion: """
            It needs the scope admin. No value of a field is shown.

            relationctl explain profile alice bob
            relationctl explain profile alice bob --fields email,birthday
            """)

    @OptionGroup var connection: Connection

    @OptionGroup var form: DataOutput

    @Argument(help: "The user that looks.")
    var viewer: String

    @Argument(help: "The user whose profile it is.")
    var owner: String

    @Option(help: "Paths of fields, with commas between them; all if absent.")
    var fields = ""

    func run() async throws {
        let request = ExplainProfileRequest.with {
            $0.fromUserID = viewer
            $0.toUserID = owner
            let paths = fields.split(separator: ",").map(String.init)
            if !paths.isEmpty { $0.readMask = FieldMask(paths) }
        }
        let answer = try await connection.calling { client in
            try await client.call(ModerationMethods.explainProfile, request)
        }
        let header = [["profile", PairLadders.answer(answer.code?.name, answer.info)]]
        let rows = header + PairLadders.rows("profile", answer.rungs)
        try form.show(PlainTable(rows: rows + FieldLadders.rows(answer.fields)).text) {
            try $0.message(answer)
        }
    }
}
