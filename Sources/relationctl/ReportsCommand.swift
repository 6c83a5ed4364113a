import ArgumentParser
import RelationAPI
import RelationClient
import RelationModel

struct ReportsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reports",
        abstract: "List the reports of users about others, or close some.",
        discussion: """
            relationctl reports list
            relationctl reports list --about mallory --closed
            relationctl reports close 17 18 --outcome warned --note "first time"
            """,
        subcommands: [List.self, Close.self])

    private static let outcomes = EnumWord<ReportOutcome>(prefix: "REPORT_OUTCOME_")
    private static let categories = EnumWord<ReportCategory>(prefix: "REPORT_CATEGORY_")

    func run() throws {
        throw Relationctl.lack(Self.self)
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List reports, the latest first.")

        @OptionGroup var connection: Connection

        @OptionGroup var form: DataOutput

        @Option(help: "The reported user; all if absent.")
        var about = ""

        @Flag(help: "List those that are closed too.")
        var closed = false

        @Option(help: "The most reports to list.")
        var rows = 100

        func validate() throws {
            guard (1...Limits.reportRows).contains(rows) else {
                throw ValidationError("--rows takes a number from 1 to \(Limits.reportRows)")
            }
        }

        func run() async throws {
            let reports = try await connection.calling { client in
                var reports: [UserReport] = []
                for try await each in client.reports(about: about, onlyOpen: !closed) {
                    reports.append(each)
                    if reports.count == rows { break }
                }
                return reports
            }
            var lines: [[PlainText]] = [
                ["ID", "TIME", "REPORTED", "BY", "TIMES", "WHY", "OUTCOME", "ABOUT", "TEXT"]
            ]
            for each in reports {
                let isOpen = each.outcome == .unspecified
                lines.append([
                    "\(each.reportID)", "\(DayClock.text(each.reportTimeMs))",
                    "\(each.reportedUserID)",
                    each.reporterUserID.isEmpty ? "-" : "\(each.reporterUserID)",
                    "\(each.count)", "\(categories(each.category))",
                    isOpen ? "open" : "\(outcomes(each.outcome))",
                    each.reference.isEmpty ? "-" : "\(each.reference)", "\(each.text)",
                ])
            }
            try form.show(PlainTable(rows: lines).text) { try $0.list(reports) }
        }
    }

    struct Close: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Close reports with an outcome. It suspends no user.")

        @OptionGroup var connection: Connection

        @Argument(help: "The ids of the reports: at most \(Limits.itemsOfCall).")
        var ids: [String]

        @Option(help: "The outcome: dismissed, warned or suspended.")
        var outcome: String

        @Option(help: "A note for moderators.")
        var note = ""

        func run() async throws {
            let outcome = try outcomes.value(outcome)
            let request = ResolveReportsRequest.with {
                $0.items = ids.map { id in
                    ReportResolution.with {
                        $0.reportID = id
                        $0.outcome = outcome
                        $0.note = note
                    }
                }
            }
            let answer = try await connection.calling { client in
                try await client.call(ModerationMethods.resolveReports, request)
            }
            var refused = RefusedItems()
            for result in answer.results { refused.note(result.reportID, result) }
            try refused.check()
        }
    }
}
