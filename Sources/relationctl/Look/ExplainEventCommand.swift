import ArgumentParser
import Protobuf
import RelationAPI
import RelationClient
import RelationModel

struct ExplainEventCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "event",
        abstract: "Show why an event of one user comes to a stream of another, or does not.",
        discussion: """
            It needs the scope admin. The present rows count, as for a stream, and no value of a \
            field is shown. The two users may be the same.

            relationctl explain event alice bob --sequence 12
            relationctl explain event alice bob --kind profile_change
            """)

    private static let kinds = EnumWord<ChangeKind>(prefix: "CHANGE_KIND_")

    @OptionGroup var connection: Connection

    @OptionGroup var form: DataOutput

    @Argument(help: "The user that the stream follows.")
    var viewer: String

    @Argument(help: "The user in whose log the event is.")
    var user: String

    @Option(help: "The sequence of the event in that log.")
    var sequence: Int64 = 0

    @Option(help: "The kind of event, in place of a sequence.")
    var kind = ""

    func validate() throws {
        guard (sequence > 0) != !kind.isEmpty else {
            throw ValidationError("either --sequence above 0 or --kind must be given")
        }
    }

    func run() async throws {
        let kind = kind.isEmpty ? ChangeKind.unspecified : try Self.kinds.value(kind)
        let request = ExplainEventRequest.with {
            $0.fromUserID = viewer
            $0.toUserID = user
            $0.sequence = sequence
            $0.kind = kind
        }
        let answer = try await connection.calling { client in
            try await client.call(ChangeMethods.explainEvent, request)
        }
        let outcome: PlainText =
            answer.code != .success
            ? PairLadders.answer(answer.code?.name, answer.info)
            : answer.comes ? Paint.good("comes") : Paint.bad("does not come")
        let header: [[PlainText]] = [
            ["event", "\(Self.kinds(answer.kind))"], ["stream", outcome],
        ]
        let rows = header + PairLadders.rows("event", answer.rungs)
        try form.show(PlainTable(rows: rows + FieldLadders.rows(answer.fields)).text) {
            try $0.message(answer)
        }
    }
}
