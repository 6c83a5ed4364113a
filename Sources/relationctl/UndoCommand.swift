import ArgumentParser
import RelationAPI
import RelationClient
import RelationModel

struct UndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Take changes of relations back, by their positions in the history or by calls.",
        discussion: """
            Give the latest position of two users first. The changes of calls are taken back from
            the latest to the first, in several requests; each of them stands for itself.

            relationctl undo 17 --dry-run
            relationctl undo 31 30 29
            relationctl undo --request 3f2a
            relationctl undo --by mallory --since 2026-11-29T18:00:00Z
            relationctl undo --callers back_end --since 2026-11-29T18:00:00Z
            """)

    private static let callers = EnumWord<CallerKind>(prefix: "CALLER_KIND_")

    @OptionGroup var connection: Connection

    @OptionGroup var form: DataOutput

    @Argument(help: "The positions that relationctl history lists: at most \(Limits.itemsOfCall).")
    var positions: [Int64] = []

    @OptionGroup var window: HistoryWindow

    @Option(help: "The kind of the calls' credential, such as back_end; any if absent.")
    var callers = ""

    @Flag(help: "Only say what stands in the way, and which rows and events there would be.")
    var dryRun = false

    @Flag(help: "Take all entries of a request back, or none.")
    var allOrNothing = false

    func validate() throws {
        guard positions.isEmpty == (window.request.isEmpty && window.since == nil) else { return }
        throw ValidationError("give positions, or --request or --since")
    }

    func run() async throws {
        let caller = callers.isEmpty ? .unspecified : try Self.callers.value(callers)
        var request = UndoChangesRequest.with {
            $0.positions = positions
            $0.ofRequestID = window.request
            $0.actorUserID = window.by
            $0.caller = caller
            $0.sinceTimeMs = window.sinceMs
            $0.untilTimeMs = window.untilMs
            $0.options = WriteOptions.with { options in
                options.dryRun = dryRun
                options.listEffects = dryRun
                options.allOrNothing = allOrNothing
            }
        }
        var refused = RefusedItems()
        var taken: [Int64] = []
        var answers: [UndoChangesResponse] = []
        repeat {
            let answer = try await connection.calling { [request] client in
                try await client.call(MaintenanceMethods.undoChanges, request)
            }
            answers.append(answer)
            for result in answer.results {
                refused.note("\(result.position)", result)
                if result.code == .success { taken.append(result.position) }
            }
            request.beforePosition = answer.nextBeforePosition
        } while request.beforePosition > 0
        var parts: [PlainText] = []
        if dryRun { parts += answers.map { EffectTable($0.effects).text } }
        if positions.isEmpty {
            let lines: [[PlainText]] = [["POSITION"]] + taken.map { ["\($0)"] }
            parts.append(PlainTable(rows: lines).text)
        }
        try form.show(parts.joined("")) { try $0.list(answers) }
        try refused.check()
    }
}
