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

/// The scopes of the credential, as the server answers to them.
struct CallerScopes {
    private(set) var scopes: [String] = []
    private var app: AppDescription?
    /// The error of a credential that the server does not accept; nil if it accepts it.
    private(set) var refusal: CallError?
    /// Whether the server asks for no credential: then it has not looked at the caller's.
    private(set) var isOpen = false

    /// Asks the server by calls that only read, as far as their answers show the scopes.
    ///
    /// - Parameter asksBare: Whether it also asks without a credential, whatever the caller has. A
    ///   server that looks at credentials counts and records that call as refused.
    init(_ client: Client, _ target: CallTarget, asksBare: Bool = false) async throws {
        switch target.credential {
        case .apiKey(let text)? where KeyText(text).map { $0.appID != 0 } ?? false:
            try await findScopes(ofKey: KeyText(text)?.name ?? "", client)
        case .userSig?:
            // Each signature of a user has the same, and this call says whether it is accepted.
            _ = try await mayCall("GetStats", client)
            if refusal == nil { scopes = ["read", "write", "watch"] }
        default:
            if try await mayCall("ListOperatorKeys", client) {
                scopes = ["read", "write", "watch", "admin", "operator"]
            } else if refusal == nil, scopes.isEmpty {
                try await findScopes(ofKey: "", client)
            }
        }
        isOpen = await isOpen(target, asksBare)
        guard scopes.contains("admin") else { return }
        do {
            app = try await client.call(AppMethods.getApp, GetAppRequest()).app
        } catch let error as CallError where error.code == .invalidArgument {
            // The key of an operator may be shown without an app.
        } catch let error as CallError where error.reason == "APP_NOT_FOUND" {
            refusal = error
        }
    }

    /// Whether the server lets a caller without any credential do what only operators may.
    private func isOpen(_ target: CallTarget, _ asksBare: Bool) async -> Bool {
        guard refusal == nil, !target.hasCertificate else { return false }
        guard let credential = target.credential else { return scopes.contains("operator") }
        // A server that looks at credentials accepts no word that is not a key.
        var isWord = false
        if case .apiKey(let text) = credential { isWord = KeyText(text) == nil }
        guard asksBare || isWord else { return false }
        guard let bare = try? target.withoutCredential.client(isCompressing: false) else {
            return false
        }
        let options = CallOptions(timeout: .seconds(Limits.probeSeconds), retries: false)
        let answer = try? await bare.call(
            AppMethods.listOperatorKeys, ListOperatorKeysRequest(), options: options)
        await bare.close()
        return answer != nil
    }

    /// Finds the scopes of a key of an app.
    ///
    /// A key with the scope admin may read what it is; another one gets it with the refusal. An
    /// older server says nothing with it: then an empty request is made of a call for each scope,
    /// whose rules it breaks.
    private mutating func findScopes(ofKey name: String, _ client: Client) async throws {
        let isAdmin = try await mayCall("GetStats", client)
        guard refusal == nil, scopes.isEmpty else { return }
        if isAdmin {
            let list = try await client.call(AppMethods.listCredentials, ListCredentialsRequest())
            if let own = list.credentials.first(where: { $0.credentialID == name }) {
                let words = Set(own.scopes.map(\.word))
                scopes = ["read", "write", "watch", "admin"].filter { words.contains($0) }
                return
            }
        }
        for (scope, call) in [
            ("read", "CheckFriends"), ("write", "AddFriends"), ("watch", "Watch"),
        ]
        where refusal == nil {
            if try await mayCall(call, client) { scopes.append(scope) }
        }
        if isAdmin { scopes.append("admin") }
    }

    private mutating func mayCall(_ name: String, _ client: Client) async throws -> Bool {
        let method = try CallName.method(name)
        let options = CallOptions(timeout: .seconds(Limits.probeSeconds), retries: false)
        do {
            if method.shape == .unary {
                _ = try await client.call(method, [], options: options)
            } else {
                try await client.exchange(method, [[]], options: options) { _ in throw Answered() }
            }
        } catch let error as CallError {
            switch error.code {
            case .unauthenticated: refusal = error
            case .notFound where error.reason == "APP_NOT_FOUND": refusal = error
            case .permissionDenied where error.reason == "SCOPE_MISSING":
                if let names = error.metadata["scopes"] {
                    scopes = names.split(separator: ",").map(String.init)
                }
            case .unavailable, .deadlineExceeded, .internalError, .unimplemented: throw error
            default: return true
            }
            return false
        } catch is Answered {
            return true
        }
        return true
    }

    /// An error: a stream that was opened only to be tried has answered.
    private struct Answered: Error {}

    /// The caller and its scopes, in words.
    func words(_ target: CallTarget) -> PlainText {
        let may = scopes.isEmpty ? "nothing" : scopes.joined(separator: ", ")
        guard !isOpen else {
            let unread: PlainText =
                target.credential == nil ? "" : ", and has not looked at the key"
            return "the server asks for no credential\(unread); a caller may: \(may)"
        }
        guard target.credential != nil else { return "without a key it may make calls: \(may)" }
        return "the server accepts \(Self.words(of: target.credential)), which may: \(may)"
    }

    /// Whether calls are made in an app.
    func hasApp(_ target: CallTarget) -> Bool { app != nil || target.appID != nil }

    func rows(_ target: CallTarget) -> [[PlainText]] {
        var rows: [[PlainText]] = []
        if let app {
            let name = app.name.isEmpty ? "" : ", \(app.name)"
            rows.append(["app", "\(app.appID)\(name)"])
        } else {
            rows.append(["app", "\(target.appID.map { "\($0)" } ?? "none is named")"])
        }
        let unasked: PlainText = isOpen ? "; the server asks for none" : ""
        rows.append(["credential", Self.words(of: target.credential) + unasked])
        let may: PlainText = "\(scopes.isEmpty ? "nothing" : scopes.joined(separator: ", "))"
        return rows + [["may", refusal == nil ? may : Paint.bad("nothing")]]
    }

    private static func words(of credential: ClientCredential?) -> PlainText {
        switch credential {
        case .userSig: return "the signature of a user"
        case .apiKey(let text):
            guard let key = KeyText(text) else { return "a key of no known form" }
            return key.appID == 0
                ? "the operator's key \(key.name)" : "the key \(key.name) of app \(key.appID)"
        case .provided, nil: return "none"
        }
    }
}
