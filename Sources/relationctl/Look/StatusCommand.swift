import ArgumentParser
import Protobuf
import RelationAPI
import RelationClient
import Release
import Support

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show where the server is, whether it serves, and what the caller may do there.",
        discussion: """
            The version and the clock of the server come from its admin endpoints: --pages, \
            RELATION_PAGES or the profile's say where they are. Endpoints of another server are \
            not taken for its own. To learn what the caller may do, the command makes calls that \
            change nothing.
            """)

    @OptionGroup var options: PagesOptions

    @OptionGroup var form: DataOutput

    func run() async throws {
        let connection = options.connection
        let target = try connection.target()
        var rows: [[PlainText]] = [
            [
                "server",
                "\(target.server)\(target.isEncrypted ? ", encrypted" : ", not encrypted")",
            ],
            ["relationctl", "\(Version.text)"],
        ]
        let (isServing, caller, audit) = try await connection.calling { client in
            let isServing = try await client.serverHealth(
                timeout: .seconds(Limits.probeSeconds)
            ).isServing
            let caller = try await CallerScopes(client, target)
            return (isServing, caller, await Self.audit(client, caller))
        }
        let words = await ServerWords(options).found()
        rows += words.rows
        rows.append(["health", isServing ? Paint.good("serving") : Paint.bad("not serving")])
        rows += caller.rows(target)
        if let audit { rows.append(["audit", audit]) }
        let table = PlainTable(rows: rows.map { [Paint.heading($0[0]), $0[1]] })
        try form.show(table.text) { _ in
            let ofServer = words.rows.map { $0[0].description }
            let others = ["server", "health", "may", "app"] + ofServer
            let plain = rows.filter { !others.contains($0[0].description) }
            let app = rows.first { $0[0].description == "app" }
            return .object(
                [
                    ("server", .string("\(target.server)")),
                    ("isEncrypted", .bool(target.isEncrypted)), ("isServing", .bool(isServing)),
                    ("asksForCredential", .bool(!caller.isOpen)),
                    ("may", .array(caller.scopes.map { .string($0) })),
                    ("app", caller.hasApp(target) ? .string("\(app?[1] ?? "")") : .null),
                ] + words.data
                    + plain.map { (key: $0[0].description, value: .string($0[1].description)) })
        }
        guard isServing else { throw Failure("the server takes no calls", .unreachable) }
        if let refusal = caller.refusal { throw Failure(refusal) }
    }
}

extension StatusCommand {
    /// Which calls the server keeps in an audit, and how long; nil if the caller may not know.
    private static func audit(_ client: Client, _ caller: CallerScopes) async -> PlainText? {
        guard caller.scopes.contains("admin") else { return nil }
        let request = ListAuditRecordsRequest.with {
            $0.pageSize = 1
            $0.ofServer = caller.scopes.contains("operator")
        }
        guard
            let answer = try? await client.call(MaintenanceMethods.listAuditRecords, request)
        else { return nil }
        guard answer.auditDays > 0 else { return "none" }
        let calls: PlainText = answer.recordsEveryCall ? "every call" : "writes"
        return "\(calls) of administrators and operators, for \(answer.auditDays) days"
    }
}

/// The words of the server about itself, on its admin endpoints.
private struct ServerWords {
    private let options: PagesOptions

    init(_ options: PagesOptions) {
        self.options = options
    }

    /// Something that the server tells about itself, or why it is not known.
    struct Known {
        let name: String
        let words: PlainText
        var isKnown = true

        var row: [PlainText] { ["\(name)", isKnown ? words : "not known: \(words)"] }

        /// It for programs: null if it is not known, and then the reason under a name of its own.
        var data: [(key: String, value: JSONValue)] {
            let text = JSONValue.string(words.description)
            return isKnown ? [(name, text)] : [(name, .null), (name + "Reason", text)]
        }
    }

    /// The version and the clock, or why they are not known.
    func found() async -> (rows: [[PlainText]], data: [(key: String, value: JSONValue)]) {
        let known = await known()
        return (known.map(\.row), known.flatMap(\.data))
    }

    private func known() async -> [Known] {
        do {
            var pages = try options.found(isOfServer: true)
            // The first reading looks whose endpoints they are, which takes a call.
            _ = try await pages.text(of: "/version")
            let before = SystemClock.wall.seconds
            let text = try await pages.text(of: "/metrics")
            let after = SystemClock.wall.seconds
            let samples = Samples(text, at: after)
            guard let labels = samples["relation_build_info"].first?.labels,
                let version = labels["version"]
            else {
                return Self.unknown("the endpoints are not those of relationd")
            }
            let words: PlainText = "\(version), contract \(labels["contract"] ?? "?")"
            let clock = clock(samples, before, after)
            return [
                Known(name: "relationd", words: words),
                Known(
                    name: "clock", words: "\(clock ?? "the endpoints do not say it")",
                    isKnown: clock != nil),
            ]
        } catch {
            return Self.unknown("\(error)")
        }
    }

    private static func unknown(_ reason: PlainText) -> [Known] {
        [Known(name: "relationd", words: reason, isKnown: false)]
    }

    /// The difference of the clocks; nil if the endpoints do not say it.
    ///
    /// A page may be half a second old, and took a time to come.
    private func clock(_ samples: Samples, _ before: Double, _ after: Double) -> String? {
        guard let start = samples.sum("process_start_time_seconds"),
            let uptime = samples.sum("relation_uptime_seconds")
        else { return nil }
        let server = start + uptime
        let ahead = server - after
        let behind = before - Limits.pageAgeSeconds - server
        guard ahead > 0 || behind > 0 else {
            return
                "the same, as far as the endpoints say: to \(Self.seconds(after - before + 0.5)) s"
        }
        let difference = Self.seconds(max(ahead, behind))
        return "the server's is \(difference) s \(ahead > 0 ? "ahead" : "behind"), or more"
    }

    private static func seconds(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded(.up))
        return "\(tenths / 10).\(tenths % 10)"
    }
}
