import ArgumentParser
import RelationAPI
import RelationClient
import RelationModel

struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load a friendship graph: its users, its friendships, and friend circles.",
        discussion: """
            FRIENDSHIPS has one "A B" a line: A and B become each other's friends. CIRCLES has \
            one "OWNER <tab> NAME <tab> MEMBER MEMBER …" a line: the friend groups of OWNER. \
            Blank lines and lines that begin with # are skipped. Rows that exist stay, \
            so an import that broke off may simply be run again.

            The command names each row that the server refuses, by its number and code, and goes on.
            """)

    @OptionGroup var connection: Connection

    @Argument(help: "The file of friendships.")
    var friendships: String

    @Option(help: "The file of circles.")
    var circles: String?

    @Flag(help: "Tell each owner of each new friend, and not only once that its list changed.")
    var notify = false

    func run() async throws {
        var graph = Graph()
        try graph.readFriendships(friendships)
        if let circles { try graph.readCircles(circles) }
        for line in graph.brokenLines { StandardError.print(line) }

        let client = try connection.client()
        do {
            try await load(graph, into: client)
        } catch let error as CallError {
            await client.close()
            throw Failure(error.description)
        }
        await client.close()
        guard graph.brokenLines.isEmpty else { throw ExitCode.failure }
    }

    private func load(_ graph: Graph, into client: Client) async throws {
        let users = graph.users.map { user in
            var request = ImportAccountsRequest()
            var row = AccountRow()
            row.userID = user
            request.row = row
            return request
        }
        var accounts = RowReport("users", total: users.count)
        try await send(users, client.stream(AccountMethods.importAccounts)) { answer in
            switch answer.answer {
            case .row(let row): accounts.add(row)
            case .progress(let progress): accounts.show(progress)
            case nil: break
            }
        }
        accounts.finish()

        for (name, rows) in [
            ("friendships", graph.friendshipRows), ("circle members", graph.circleRows),
        ] where !rows.isEmpty {
            let requests = rows.enumerated().map { index, row in
                var request = ImportFriendsRequest()
                request.row = row
                request.notify = notify && index == 0
                return request
            }
            var report = RowReport(name, total: requests.count)
            try await send(requests, client.stream(MaintenanceMethods.importFriends)) { answer in
                switch answer.answer {
                case .row(let row): report.add(row)
                case .progress(let progress): report.show(progress)
                case nil: break
                }
            }
            report.finish()
        }
    }

    /// Sends the rows and reads the answers at the same time, as the stream's windows demand.
    private func send<Request, Response>(
        _ requests: [Request], _ stream: CallStream<Request, Response>,
        _ body: (Response) -> Void
    ) async throws {
        let sender = Task {
            for request in requests { try await stream.send(request) }
            stream.finishSending()
        }
        do {
            while let answer = try await stream.next() { body(answer) }
        } catch {
            sender.cancel()
            throw error
        }
        try await sender.value
    }
}
