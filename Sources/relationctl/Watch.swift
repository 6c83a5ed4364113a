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
            from the same place. With --token-file this place is kept in a file, and the next run \
            goes on from it.

            relationctl watch alice
            relationctl watch alice bob --kinds ADD_FRIEND,DEL_FRIEND --json
            """)

    @OptionGroup var connection: Connection

    @Argument(help: "The users to follow.")
    var users: [String] = []

    @Flag(help: "Follow the whole app.")
    var all = false

    @Option(help: "Only the permissions of users for this client app; with --all.")
    var clientApp = ""

    @Option(help: "The kinds of events to tell, separated by commas; all if absent.")
    var kinds: String?

    @Option(help: "The device that the stream is for.")
    var device = ""

    @Option(help: "The milliseconds of silence after which the server sends a sign of life.")
    var heartbeat: Int64 = 0

    @Option(help: "The token to go on from.")
    var resume = ""

    @Option(help: "A file that keeps the token to go on from.")
    var tokenFile: String?

    @Flag(help: "Print every message as a line of JSON.")
    var json = false

    @Option(help: "End after so many messages with an event.")
    var count: Int?

    func run() async throws {
        var request = WatchRequest()
        if users.count == 1, !all { request.userID = users[0] } else { request.userIDs = users }
        request.app = all
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
            try await follow(request, client)
        } catch let error as CallError {
            await client.close()
            throw Failure(error)
        }
        await client.close()
    }

    private func follow(_ request: WatchRequest, _ client: Client) async throws {
        var left = count ?? .max
        for try await answer in client.changes(request) {
            var line: String?
            var isSkipped = false
            if json {
                line = try Arena.temporary { (arena) throws(CodecError) in try answer.json(arena) }
            } else if let event = answer.event {
                // A newer server may tell what this program does not know. A list that it knows is
                // right without it.
                isSkipped = !event.isKnown
                line = isSkipped ? nil : ChangeLine(event, for: answer.userIDs).text
            } else if !answer.missingUserIDs.isEmpty {
                line = "no accounts: \(answer.missingUserIDs.joined(separator: " "))"
            }
            if let line, try !StandardOutput.print(line) { return }
            // Kept only now: a message that was not printed comes again.
            if let tokenFile, !answer.resumeToken.isEmpty {
                try LineFile.write(answer.resumeToken, to: tokenFile)
            }
            if answer.event != nil, !isSkipped { left -= 1 }
            if left <= 0 { return }
        }
    }

    private static func kind(_ word: Substring) throws -> ChangeKind {
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

/// One event as a line for people.
struct ChangeLine {
    let text: String

    init(_ event: ChangeEvent, for receivers: [String]) {
        let seconds = event.timeMs / 1_000 % 86_400
        let clock = [seconds / 3_600, seconds / 60 % 60, seconds % 60]
        var parts = [clock.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")]
        if !receivers.isEmpty { parts.append(receivers.joined(separator: ",") + " <-") }
        if !event.userID.isEmpty { parts.append(event.userID) }
        if event.sequence > 0 { parts.append("#\(event.sequence)") }
        parts.append(String((event.kind.name ?? "\(event.kind.rawValue)").trimmed("CHANGE_KIND_")))
        if event.syncType != .unspecified {
            parts.append(
                String((event.syncType.name ?? "").trimmed("SYNC_TYPE_")).lowercased())
        }
        parts += event.items.filter(\.isKnown).map(Self.words)
        text = parts.joined(separator: " ")
    }

    private static func words(_ item: ChangeItem) -> String {
        var words: [String] = []
        if let group = item.group { words.append("group=\(group.name)") }
        if !item.oldGroupName.isEmpty { words.append("was=\(item.oldGroupName)") }
        if !item.addedUserIDs.isEmpty {
            words.append("+\(item.addedUserIDs.joined(separator: ","))")
        }
        if !item.removedUserIDs.isEmpty {
            words.append("-\(item.removedUserIDs.joined(separator: ","))")
        }
        if !item.userID.isEmpty { words.append(item.userID) }
        if let friend = item.friendEntry, !friend.remark.isEmpty {
            words.append("remark=\(friend.remark)")
        }
        if let application = item.application {
            words.append(
                (application.pendencyType.name ?? "").trimmed("PENDENCY_TYPE_").lowercased() + ","
                    + application.statusWord)
        }
        words += item.fields
        if item.readTimeMs > 0 { words.append("read=\(item.readTimeMs)") }
        if let permission = item.permission {
            words.append("\(item.clientAppID):\(permission.name)")
        }
        return "[" + words.joined(separator: " ") + "]"
    }
}

extension ChangeEvent {
    /// Whether this program knows the kind of the event, and the part of the state that it tells.
    fileprivate var isKnown: Bool { kind.isKnown && syncType.isKnown }
}

extension ChangeItem {
    /// Whether this program knows the side of the application, or the type of the subscription.
    fileprivate var isKnown: Bool {
        (application?.pendencyType.isKnown ?? true)
            && (subscription?.subscribeType.isKnown ?? true)
    }
}

extension FriendApplication {
    /// The state in one word; one that this program does not know is an end.
    fileprivate var statusWord: String {
        let status = status ?? .unhandled
        return status.name.map { $0.trimmed("APPLICATION_STATUS_").lowercased() } ?? "ended"
    }
}

extension String {
    fileprivate func trimmed(_ prefix: String) -> Substring {
        hasPrefix(prefix) ? dropFirst(prefix.count) : self[...]
    }
}
