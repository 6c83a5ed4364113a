import ArgumentParser
import Protobuf
import RelationAPI
import RelationClient
import RelationModel

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
        let head = [["profile", PairLadders.answer(answer.code?.name, answer.info)]]
        let rows = head + PairLadders.rows("profile", answer.rungs)
        try form.show(PlainTable(rows: rows + FieldLadders.rows(answer.fields)).text) {
            try $0.message(answer)
        }
    }
}

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
        let head: [[PlainText]] = [
            ["event", "\(Self.kinds(answer.kind))"], ["stream", outcome],
        ]
        let rows = head + PairLadders.rows("event", answer.rungs)
        try form.show(PlainTable(rows: rows + FieldLadders.rows(answer.fields)).text) {
            try $0.message(answer)
        }
    }
}

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
        let head = [["update", PairLadders.answer(answer.code?.name, answer.info)]]
        try form.show(PlainTable(rows: head + PairLadders.rows("update", answer.rungs)).text) {
            try $0.message(answer)
        }
    }
}

/// Fields with the rungs that show or hide them, as a table's rows.
enum FieldLadders {
    static func rows(_ fields: [ExplainedField]) -> [[PlainText]] {
        fields.flatMap { field in
            [["\(field.field)", state(of: field)]]
                + PairLadders.rows("\(field.field)", field.rungs)
        }
    }

    private static func state(of field: ExplainedField) -> PlainText {
        switch field.state {
        case .unspecified: return Paint.good("shown")
        case .notSet: return "shown, and has no value"
        default:
            let name = field.state.name ?? "\(field.state.rawValue)"
            let prefix = "FIELD_ACCESS_STATE_"
            let word = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
            return Paint.bad("\(word.lowercased())")
        }
    }
}
