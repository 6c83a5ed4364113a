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
            The lines of one OWNER stand together. Blank lines and lines that begin with # are \
            skipped. Rows that exist stay, so an import that broke off may simply be run again.

            The files are read some times from their beginnings, and never kept in memory. The \
            command names each row that the server refuses, by its number and code, and goes on.
            """)

    /// Rows that are handed over together: it costs less, and they take little memory.
    private static let rowsSentAtOnce = 128

    @OptionGroup var connection: Connection

    @Argument(help: "The file of friendships.")
    var friendships: String

    @Option(help: "The file of circles.")
    var circles: String?

    @Flag(help: "Tell each owner of each new friend, and not only once that its list changed.")
    var notify = false

    func run() async throws {
        let friendships = FriendshipFile(path: friendships)
        // Every line is looked at before the first row is sent.
        var check = FileCheck()
        let friendCount = try await check.count(friendships)
        guard friendCount > 0 || check.brokenLines.isEmpty else {
            throw Failure("\(friendships.path) is no list of friendships: \(check.brokenLines[0])")
        }
        let userCount = try await check.count(UserFile(friendships: friendships), isAgain: true)
        let circles = circles.map(CircleFile.init)
        var circleCount = 0
        if let circles { circleCount = try await check.count(circles) }
        for line in check.brokenLines { StandardError.print(line) }

        let client = try connection.client()
        do {
            try await send(
                UserFile(friendships: friendships), userCount, as: "users",
                client.stream(AccountMethods.importAccounts)
            ) { user, _ in ImportAccountsRequest(row: user) }
            try await send(friendships, friendCount, as: "friendships", to: client)
            if let circles, circleCount > 0 {
                try await send(circles, circleCount, as: "circle members", to: client)
            }
        } catch let error as CallError {
            await client.close()
            throw Failure(error)
        }
        await client.close()
        guard check.brokenLines.isEmpty else { throw ExitCode.failure }
    }

    private func send(
        _ rows: some RowFile<FriendRow>, _ count: Int, as name: String, to client: Client
    ) async throws {
        try await send(rows, count, as: name, client.stream(MaintenanceMethods.importFriends)) {
            [notify] row, isFirst in
            ImportFriendsRequest(row: row, notify: notify && isFirst)
        }
    }

    /// Sends the rows and reads the answers at the same time, as the stream's windows demand.
    private func send<Rows: RowFile, Request, Response: ImportAnswer>(
        _ rows: Rows, _ count: Int, as name: String, _ stream: CallStream<Request, Response>,
        _ request: @escaping @Sendable (_ row: Rows.Row, _ isFirst: Bool) -> Request
    ) async throws {
        var report = RowReport(name, total: count)
        let sender = Task {
            do {
                var isFirst = true
                var requests: [Request] = []
                try await rows.forEach(
                    { row in
                        requests.append(request(row, isFirst))
                        isFirst = false
                        guard requests.count == Self.rowsSentAtOnce else { return }
                        try await stream.send(contentsOf: requests)
                        requests.removeAll(keepingCapacity: true)
                    }, broken: { _ in })
                try await stream.send(contentsOf: requests)
                stream.finishSending()
            } catch {
                // The answers end too.
                stream.cancel()
                throw error
            }
        }
        do {
            while let answer = try await stream.next() { report.add(answer) }
        } catch {
            sender.cancel()
            // A file that can no longer be read ends the call too, and is the reason then.
            if case .failure(let failure as Failure) = await sender.result { throw failure }
            throw error
        }
        try await sender.value
        try report.finish()
    }
}

/// The findings of a look at all files before the first row is sent.
private struct FileCheck {
    /// The most lines that may be no rows; a file with more is not what it should be.
    static let mostBrokenLines = 1_000

    private(set) var brokenLines: [String] = []

    /// Counts the rows, and notes the lines that are none.
    ///
    /// - Parameter isAgain: Whether the same lines were looked at before.
    /// - Throws: ``Failure`` if the file cannot be read, or too many of its lines are no rows.
    mutating func count(_ rows: some RowFile, isAgain: Bool = false) async throws -> Int {
        var count = 0
        try await rows.forEach(
            { _ in count += 1 },
            broken: { line in
                if isAgain { return }
                guard brokenLines.count < Self.mostBrokenLines else {
                    throw Failure(
                        "\(line); \(Self.mostBrokenLines) lines before it are no rows either, so "
                            + "nothing is imported")
                }
                brokenLines.append(line)
            })
        return count
    }
}

/// An answer of an import: the result of a row, or the progress.
private protocol ImportAnswer: Message {
    var rowResult: ImportRowResult? { get }
    var progressMade: ImportProgress? { get }
}

extension ImportAccountsResponse: ImportAnswer {
    fileprivate var rowResult: ImportRowResult? {
        if case .row(let row) = answer { row } else { nil }
    }
    fileprivate var progressMade: ImportProgress? {
        if case .progress(let progress) = answer { progress } else { nil }
    }
}

extension ImportFriendsResponse: ImportAnswer {
    fileprivate var rowResult: ImportRowResult? {
        if case .row(let row) = answer { row } else { nil }
    }
    fileprivate var progressMade: ImportProgress? {
        if case .progress(let progress) = answer { progress } else { nil }
    }
}

extension RowReport {
    fileprivate mutating func add(_ answer: some ImportAnswer) {
        if let row = answer.rowResult { add(row) }
        if let progress = answer.progressMade { show(progress) }
    }
}
