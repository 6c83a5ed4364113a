import ArgumentParser
import RelationAPI
import RelationClient
import RelationModel

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List changes of relations that the app has kept, the latest first.",
        discussion: """
            The app keeps them if its setting history_days is above 0. Each has the acting user, \
            the kind and the id of the credential, the kind of the caller's address, and the \
            answer of a hook that was asked. Below each change are the fields that it changed, \
            with their values before and after.

            relationctl history alice
            relationctl history alice bob
            relationctl history --by mallory --since 2026-11-29T18:00:00Z --rows 20
            relationctl history --request 3f2a
            relationctl history --kinds add_blacklist,del_blacklist
            relationctl history alice --output json
            """)

    private static let kinds = EnumWord<ChangeKind>(prefix: "CHANGE_KIND_")
    private static let callers = EnumWord<CallerKind>(prefix: "CALLER_KIND_")
    private static let answers = EnumWord<HookAnswer>(prefix: "HOOK_ANSWER_")

    @OptionGroup var connection: Connection

    @Argument(help: "A user that the changes are about; all if absent.")
    var user: String?

    @Argument(help: "The other user that they are about; any if absent.")
    var other: String?

    @OptionGroup var window: HistoryWindow

    @OptionGroup var form: DataOutput

    @Option(help: "The kinds of changes, with commas between them; all if absent.")
    var kinds = ""

    @Option(help: "The most entries to list.")
    var rows = 100

    /// The kind of a change, its owner, and what it is about: a user or a group.
    private static func words(_ change: HistoryChange) -> String {
        let names = [change.groupBefore, change.groupAfter].filter { !$0.isEmpty }
        var words = ["\(kinds(change.kind))", change.ownerUserID]
        if !change.otherUserID.isEmpty { words.append(change.otherUserID) }
        if !names.isEmpty { words.append(names.joined(separator: " -> ")) }
        return words.joined(separator: " ")
    }

    /// An entry as a program reads it: the message, and the fields that differ in each change.
    private static func data(_ entry: HistoryEntry, _ maker: DataMaker) throws -> JSONValue {
        guard case .object(var members) = try maker.message(entry) else { return .null }
        members.removeAll { $0.key == "changes" }
        let changes = try entry.changes.map { change -> JSONValue in
            guard case .object(let parts) = try maker.message(change) else { return .null }
            return .object(parts + [("fields", try HistoryDifference(change).data)])
        }
        return .object(members + [("changes", .array(changes))])
    }

    /// The rows of an entry: each change has its own, and so has each field that it changed.
    private static func rows(_ entry: HistoryEntry) throws -> [[PlainText]] {
        let header: [PlainText] = [
            "\(entry.position)", "\(DayClock.text(entry.timeMs))",
            entry.actorUserID.isEmpty ? "-" : "\(entry.actorUserID)", "\(callers(entry.caller))",
            entry.credential.isEmpty ? "-" : "\(entry.credential)",
            entry.address.isEmpty ? "-" : "\(entry.address)",
            entry.hookAnswer == .unspecified ? "-" : "\(answers(entry.hookAnswer))",
        ]
        let none = header.map { _ in "" as PlainText }
        let lines = try entry.changes.flatMap { change -> [PlainText] in
            ["\(words(change))"] + (try HistoryDifference(change).lines.map { "  \($0)" })
        }
        return lines.enumerated().map { number, line in (number == 0 ? header : none) + [line] }
    }

    /// Whether the app keeps changes, as far as its settings can be read.
    private static func isKept(_ client: Client) async -> Bool {
        let answer = try? await client.call(AppMethods.getApp, GetAppRequest())
        return answer?.app?.settings.map { ($0.historyDays ?? 0) > 0 } ?? true
    }

    func validate() throws {
        for (name, value) in [("user", user), ("other", other)] where value?.isEmpty == true {
            throw ValidationError("<\(name)> is empty: leave it out for all changes")
        }
        guard user == nil || user != other else {
            throw ValidationError("the two users are one: name it once for all its changes")
        }
        guard (1...Limits.historyRows).contains(rows) else {
            throw ValidationError("--rows takes a number from 1 to \(Limits.historyRows)")
        }
    }

    func run() async throws {
        let wanted = try kinds.split(separator: ",").map { try Self.kinds.value(String($0)) }
        let request = ListHistoryRequest.with {
            $0.aboutUserID = user ?? ""
            $0.withUserID = other ?? ""
            $0.actorUserID = window.by
            $0.ofRequestID = window.request
            $0.sinceTimeMs = window.sinceMs
            $0.untilTimeMs = window.untilMs
            $0.kinds = wanted
        }
        let (entries, isKept) = try await connection.calling { client in
            var entries: [HistoryEntry] = []
            for try await each in client.items(of: MaintenanceMethods.listHistory, request) {
                entries.append(each)
                if entries.count == rows { break }
            }
            return (entries, entries.isEmpty ? await Self.isKept(client) : true)
        }
        if entries.isEmpty, form.output == .table {
            StandardError.print(
                isKept
                    ? "no such change is kept"
                    : "no entries: the app keeps changes only while its history_days is above 0")
        }
        var lines: [[PlainText]] = [
            ["POSITION", "TIME", "BY", "AS", "CREDENTIAL", "FROM", "HOOK", "CHANGES"]
        ]
        for each in entries { lines += try Self.rows(each) }
        try form.show(PlainTable(rows: lines).text) { maker in
            .array(try entries.map { try Self.data($0, maker) })
        }
    }
}
