import ArgumentParser
import RelationAPI
import RelationClient
import RelationModel
import Support

struct SuspensionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspensions",
        abstract: "List the users that are suspended, suspend some, or take it back.",
        discussion: """
            relationctl suspensions list
            relationctl suspensions set mallory --level suspended --days 7 --text spam
            relationctl suspensions end mallory
            """,
        subcommands: [List.self, Set.self, End.self])

    private static let levels = EnumWord<SuspensionLevel>(prefix: "SUSPENSION_LEVEL_")

    func run() throws {
        throw Relationctl.lack(Self.self)
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the suspensions that hold, in the order of the users' ids.")

        @OptionGroup var connection: Connection

        @OptionGroup var form: DataOutput

        func run() async throws {
            let suspensions = try await connection.calling { client in
                var suspensions: [Suspension] = []
                for try await each in client.suspensions() { suspensions.append(each) }
                return suspensions
            }
            var rows: [[PlainText]] = [["USER", "LEVEL", "SINCE", "UNTIL", "TEXT"]]
            for each in suspensions {
                rows.append([
                    "\(each.userID)", "\(levels(each.level))",
                    "\(DayClock.text(each.startTimeMs))",
                    each.endTimeMs == 0 ? "no end" : "\(DayClock.text(each.endTimeMs))",
                    "\(each.reasonText)",
                ])
            }
            try form.show(PlainTable(rows: rows).text) { try $0.list(suspensions) }
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Suspend users, or change their suspensions.")

        @OptionGroup var connection: Connection

        @Argument(help: "The users: at most \(Limits.itemsOfCall).")
        var users: [String]

        @Option(help: "How much it forbids: limited, suspended or banned.")
        var level: String

        @Option(help: "For how many days; without it, until it is taken back.")
        var days: Int?

        @Option(help: "A text for moderators.")
        var text = ""

        @Flag(help: "End the users' sessions too.")
        var endSessions = false

        func validate() throws {
            guard (1...Limits.keyDays).contains(days ?? 1) else {
                throw ValidationError("--days takes a number from 1 to \(Limits.keyDays)")
            }
        }

        func run() async throws {
            let level = try levels.value(level)
            let end = days.map { SystemClock.wall.milliseconds + Int64($0) * 86_400_000 }
            let request = SuspendAccountsRequest.with {
                $0.items = users.map { user in
                    SuspensionItem.with {
                        $0.userID = user
                        $0.level = level
                        $0.reasonText = text
                        $0.endTimeMs = end ?? 0
                    }
                }
                $0.endSessions = endSessions
            }
            let answer = try await connection.calling { client in
                try await client.call(ModerationMethods.suspendAccounts, request)
            }
            var refused = RefusedItems()
            for result in answer.results { refused.note(result.userID, result) }
            try refused.check()
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take suspensions back: the users may act again.")

        @OptionGroup var connection: Connection

        @Argument(help: "The users: at most \(Limits.itemsOfCall).")
        var users: [String]

        func run() async throws {
            let request = ReinstateAccountsRequest.with { $0.userIDs = users }
            let answer = try await connection.calling { client in
                try await client.call(ModerationMethods.reinstateAccounts, request)
            }
            var refused = RefusedItems()
            for result in answer.results { refused.note(result.userID, result) }
            try refused.check()
        }
    }
}
