import ArgumentParser
import Protobuf
import RelationAPI
import RelationClient

struct ExplainUpdateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Show whether a user may change its profile, and which hook is asked before.",
        discussion: """
            It needs the scope admin. No hook is asked. The values have rules of their own, which \
            a dry run of UpdateProfile tells.

            relationctl explain update alice --as-user
            """)

    @OptionGroup var connection: Connection

    @OptionGroup var form: DataOutput

    @Argument(help: "The user.")
    var user: String

    @Flag(help: "Explain the call that the user makes with a credential of its own.")
    var asUser = false

    func run() async throws {
        let request = ExplainUpdateProfileRequest.with {
            $0.fromUserID = user
            $0.asUser = asUser
        }
        let answer = try await connection.calling { client in
            try await client.call(ModerationMethods.explainUpdateProfile, request)
        }
        let header = [["update", PairLadders.answer(answer.code?.name, answer.info)]]
        try form.show(PlainTable(rows: header + PairLadders.rows("update", answer.rungs)).text) {
            try $0.message(answer)
        }
    }
}
