import ArgumentParser
import Protobuf
import RelationAPI
import RelationClient
import RelationModel

struct EraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Delete accounts, erase what others have of them, and print the receipts.",
        discussion: """
            It ends when the last of them is erased. Each receipt is a line of JSON, which names \
            no user. If RELATION_ERASURE_KEY is set, the receipts have a digest of each id under \
            that key. The ids of the deletions come first, on standard error: if the command is \
            stopped, the server goes on, and relationctl call GetDeletion has the receipts for 30 \
            days.

            relationctl export-user alice --to alice.jsonl
            relationctl erase alice > receipts.jsonl
            """)

    @OptionGroup var connection: Connection

    @Argument(help: "The users: at most \(Limits.itemsOfCall).")
    var users: [String]

    @Option(
        name: [.short, .long],
        help: """
            The form of a receipt: json on one line, pretty or yaml with zeros, or table. Of a dry \
            run it is table if absent, of receipts json.
            """)
    var output: AnswerForm?

    @Flag(help: "Only say who would be refused, and which rows and events begin the deletions.")
    var dryRun = false

    func run() async throws {
        let key = try Environment.line("RELATION_ERASURE_KEY") ?? ""
        let request = DeleteAccountsRequest.with {
            $0.userIDs = users
            $0.endSessions = true
            $0.erase = true
            $0.erasureKey = key
            if dryRun {
                $0.options = WriteOptions.with { ($0.dryRun, $0.listEffects) = (true, true) }
            }
        }
        try await connection.calling { client in
            let answer = try await client.call(AccountMethods.deleteAccounts, request)
            if dryRun { try show(answer) }
            var refused = RefusedItems()
            for result in answer.results {
                refused.note(result.userID, result)
                if !result.deletionID.isEmpty {
                    StandardError.print("\(result.userID): deletion \(result.deletionID)")
                }
            }
            for result in answer.results where !result.deletionID.isEmpty {
                let deletion = try await Self.ended(result.deletionID, client)
                let form = output ?? .json
                let text = try DataMaker.text(of: deletion, in: form)
                guard try StandardOutput.print(form.documentStart + text) else { return }
            }
            try refused.check()
        }
    }

    /// Prints what a dry run tells: as a table if no other form was asked for.
    private func show(_ answer: DeleteAccountsResponse) throws {
        guard let output, output != .table else {
            _ = try StandardOutput.print(EffectTable(answer.effects).text, terminator: "")
            return
        }
        _ = try StandardOutput.print(try DataMaker.text(of: answer, in: output))
    }

    /// Waits until a deletion is done.
    private static func ended(
        _ id: String, _ client: Client
    ) async throws -> GetDeletionResponse {
        let request = GetDeletionRequest.with { $0.deletionID = id }
        while true {
            let answer = try await client.call(AccountMethods.getDeletion, request)
            if answer.state == .done { return answer }
            try await Task.sleep(for: .milliseconds(Limits.deletionPauseMilliseconds))
        }
    }
}
