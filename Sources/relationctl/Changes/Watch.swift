import ArgumentParser
import Protobuf
import RelationAPI
import RelationClient
import RelationModel

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print changes as they come.",
        discussion: """
            Follows one user, several users, or with --all the whole app: first the present state, \
            then every change. If the server ends a stream, or its connection breaks, it goes on \
            from the same position, and says so on standard error. It takes the next one of \
            several addresses. With --token-file the position is kept in a file, and the next run \
            goes on from it.

            relationctl watch alice
            relationctl watch alice --from now --time local
            relationctl watch alice bob --kinds ADD_FRIEND,DEL_FRIEND --output json
            relationctl watch --all --consumer orders --take-over

            With --consumer the server keeps the position under a name, and the next run goes on \
            from it. All that was printed is acknowledged.
            """)

    @OptionGroup var connection: Connection

    @Argument(help: "The users to follow.")
    var users: [String] = []

    @Flag(help: "Follow the whole app.")
    var all = false

    @Option(help: "Only the permissions of users for this client app; with --all.")
    var clientApp = ""

    @Option(help: "The kinds of events to print, separated by commas; all if absent.")
    var kinds: String?

    @Option(help: "The device that the stream is for.")
    var device = ""

    @Option(help: "The milliseconds of silence after which the server sends a sign of life.")
    var heartbeat: Int64 = 0

    @Option(help: "The token to go on from.")
    var resume = ""

    @Option(help: "Where the lines begin: with the present state, or now, without it.")
    var from = PrintStart.state

    @Option(help: "The time of the lines: utc, with a Z after it, or local, with its distance.")
    var time = EventClock.utc

    @Option(help: "A file that keeps the token to go on from.", completion: .file())
    var tokenFile: String?

    @Option(help: "The consumer to read as; see relationctl consumers.")
    var consumer: String?

    @Flag(help: "Take the consumer from its present reader.")
    var takeOver = false

    @Option(
        name: [.short, .long],
        help: """
            The form: table for people, a line for each event; json, or pretty or yaml with zeros, \
            for every message.
            """)
    var output = AnswerForm.table

    @Flag(help: "Another name for --output json.")
    var json = false

    @Option(help: "End after so many messages with an event.")
    var count: Int?

    func validate() throws {
        guard !json || output == .table || output == .json else {
            throw ValidationError("--json is --output json: leave it out")
        }
        guard all || !users.isEmpty else {
            throw ValidationError("name a user to follow, or --all for the whole app")
        }
        guard consumer != nil else {
            guard !takeOver else { throw ValidationError("--take-over goes with --consumer") }
            return
        }
        guard resume.isEmpty, tokenFile == nil else {
            throw ValidationError("--consumer keeps the position: no --resume and no --token-file")
        }
    }

    func run() async throws {
        var request = WatchRequest()
        if all {
            guard users.isEmpty else {
                throw ValidationError("--all follows every user, so no user may be named")
            }
            request.scope = .app(true)
        } else if users.count == 1 {
            request.scope = .userID(users[0])
        } else if !users.isEmpty {
            request.scope = .userIDs(StringList(users))
        }
        request.clientAppID = clientApp
        request.deviceID = device
        request.heartbeatMs = heartbeat
        request.kinds = try (kinds ?? "").split(separator: ",").map(Self.kind)
        request.resumeToken = resume
        if resume.isEmpty, let tokenFile {
            request.resumeToken = try LineFile.read(tokenFile) ?? ""
        }
        let client = try connection.client()
        do {
            if let consumer {
                try await consume(consumer, request, client)
            } else {
                try await follow(request, client)
            }
        } catch let error as CallError {
            await client.close()
            throw Failure(error)
        }
        await client.close()
    }

    private func follow(_ request: WatchRequest, _ client: Client) async throws {
        var left = count ?? .max
        let loss = try notice()
        for try await answer in client.changes(request, options: options(loss)) {
            loss.end()
            guard try show(answer, &left) else { return }
            // Kept only now: a message that was not printed comes again.
            if let tokenFile, !answer.resumeToken.isEmpty {
                try LineFile.write(answer.resumeToken, to: tokenFile)
            }
            if left <= 0 { return }
        }
    }

    private func consume(
        _ consumer: String, _ request: WatchRequest, _ client: Client
    ) async throws {
        var left = count ?? .max
        let loss = try notice()
        var options = ConsumerOptions()
        options.start = from == .now ? .now : .state
        options.takesOver = takeOver
        options.changes = self.options(loss)
        do {
            try await client.consume(consumer, request, options: options) { answer in
                loss.end()
                guard try show(answer, &left) else { throw OutputEnd() }
                if left <= 0 { throw ConsumerOptions.End(after: answer) }
            }
        } catch is OutputEnd {}
    }

    /// The output takes no more lines: the last one comes again.
    private struct OutputEnd: Error {}

    private func notice() throws -> LossNotice {
        LossNotice(hasOthers: try connection.target().server.addresses.count > 1)
    }

    private func options(_ loss: LossNotice) -> ChangesOptions {
        var options = ChangesOptions(heartbeat: .seconds(Limits.heartbeatSeconds))
        options.onReconnect = { loss.show($0) }
        return options
    }

    private var form: AnswerForm { json ? .json : output }

    /// Prints a message, and counts it if it has an event.
    ///
    /// - Returns: Whether the output still takes lines.
    private func show(_ answer: WatchResponse, _ left: inout Int) throws -> Bool {
        var line: PlainText?
        var isSkipped = false
        if from == .now, let kind = answer.event?.kind, kind == .state || kind == .syncCompleted {
            isSkipped = true
        } else if form != .table {
            line = form.documentStart + (try DataMaker.text(of: answer, in: form))
        } else if let event = answer.event {
            // A newer server may send what this program does not know. A list that it knows is
            // right without it.
            isSkipped = !event.isKnown
            line = isSkipped ? nil : ChangeLine(event, for: answer.userIDs, time).text
        } else if !answer.missingUserIDs.isEmpty {
            line = "no accounts: \(answer.missingUserIDs.joined(separator: " "))"
        }
        if let line, try !StandardOutput.print(line) { return false }
        if answer.event != nil, !isSkipped { left -= 1 }
        return true
    }

    /// The kind of events that a word of an option names.
    static func kind(_ word: Substring) throws -> ChangeKind {
        let name = word.uppercased()
        guard let number = ChangeKind.schema.number(named: "CHANGE_KIND_\(name)"), number != 0
        else {
            let names = ChangeKind.schema.values.dropFirst().map {
                $0.name.dropFirst("CHANGE_KIND_".count)
            }
            throw ValidationError("no kind \(word); kinds are \(names.joined(separator: ", "))")
        }
        return ChangeKind(rawValue: number)
    }
}
