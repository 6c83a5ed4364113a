import ArgumentParser
import RelationAPI
import RelationClient
import RelationModel

struct UndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Take changes of relations back, by their positions in the history.",
        discussion: """
            Give the latest position of two users first.

            relationctl undo 17 --dry-run
            relationctl undo 31 30 29
            """)

    @OptionGroup var connection: Connection

    @Argument(help: "The positions that relationctl history lists: at most \(Limits.itemsOfCall).")
    var positions: [Int64]

    @Flag(help: "Only say what stands in the way, and which rows and events there would be.")
    var dryRun = false

    @Flag(help: "Take all of them back, or none.")
    var allOrNothing = false

    func run() async throws {
        let request = UndoChangesRequest.with {
            $0.positions = positions
            $0.options = WriteOptions.with { options in
                options.dryRun = dryRun
                options.listEffects = dryRun
                options.allOrNothing = allOrNothing
            }
        }
        let answer = try await connection.calling { client in
            try await client.call(MaintenanceMethods.undoChanges, request)
        }
        if dryRun { try EffectTable(answer.effects).print() }
        var refused = RefusedItems()
        for result in answer.results { refused.note("\(result.position)", result) }
        try refused.check()
    }
}
