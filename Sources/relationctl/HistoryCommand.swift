import ArgumentParser
import RelationAPI
import RelationClient
import RelationModel

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List changes of relations that the app has kept, the latest first.",
        discussion: """
            The app keeps them if its setting history_days is above 0.

            relationctl history alice
            relationctl history alice bob
            relationctl history --by mallory --since 2026-11-29T18:00:00Z --rows 20
            relationctl history --request 3f2a
            relationctl history --kinds add_blacklist,del_blacklist
            """)

    private static let kinds = EnumWord<ChangeKind>(prefix: "CHANGE_KIND_")
    private static let callers = EnumWord<CallerKind>(prefix: "CALLER_KIND_")

    @OptionGroup var connection: Connection

    @Argument(help: "A user that the changes are about; all if absent.")
    var user = ""

    @Argument(help: "The other user that they are about; any if absent.")
    var other = ""

    @OptionGroup var window: HistoryWindow

    @Option(help: "The kinds of changes, with commas between them; all if absent.")
    var kinds = ""

    @Option(help: "The most entries to list.")
    var rows = 100

    /// The kind of a change, its owner, and what it is about: a user, a group or fields.
    private static func words(_ change: HistoryChange) -> String {
        let names = [change.groupBefore, change.groupAfter].filter { !$0.isEmpty }
        var words = ["\(kinds(change.kind))", change.ownerUserID]
        if !change.otherUserID.isEmpty { words.append(change.otherUserID) }
        if !names.isEmpty { words.append(names.joined(separator: " > ")) }
        if !change.profileFields.isEmpty {
            words.append(change.profileFields.joined(separator: "+"))
        }
        return words.joined(separator: " ")
    }

    func validate() throws {
        guard (1...Limits.historyRows).contains(rows) else {
            throw ValidationError("--rows takes a number from 1 to \(Limits.historyRows)")
        }
    }

    func run() async throws {
        let wanted = try kinds.split(separator: ",").map { try Self.kinds.value(String($0)) }
        let request = ListHistoryRequest.with {
            $0.aboutUserID = user
            $0.withUserID = other
            $0.actorUserID = window.by
            $0.ofRequestID = window.request
            $0.sinceTimeMs = window.sinceMs
            $0.untilTimeMs = window.untilMs
            $0.kinds = wanted
        }
        let entries = try await connection.calling { client in
            var entries: [HistoryEntry] = []
            for try await each in client.items(of: MaintenanceMethods.listHistory, request) {
                entries.append(each)
                if entries.count == rows { break }
            }
            return entries
        }
        var lines: [[PlainText]] = [["POSITION", "TIME", "BY", "AS", "CHANGES"]]
        for each in entries {
            let changes = each.changes.map { change in
                Self.words(change)
            }
            lines.append([
                "\(each.position)", "\(DayClock.text(each.timeMs))",
                each.actorUserID.isEmpty ? "-" : "\(each.actorUserID)",
                "\(Self.callers(each.caller))", "\(changes.joined(separator: ", "))",
            ])
        }
        _ = try StandardOutput.print(PlainTable(rows: lines).text, terminator: "")
    }
}
