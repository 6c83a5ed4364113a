import ArgumentParser
import GRPC
import Glibc
import Protobuf
import RelationAPI
import RelationClient
import Release

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tell where the server is, whether it serves, and what the caller may do there.",
        discussion: """
            The version and the clock of the server come from its pages for operators: --pages, \
            RELATION_PAGES or the profile's say where they are. To learn what the caller may do, \
            the command makes one empty call for each scope, which changes nothing.
            """)

    @OptionGroup var connection: Connection

    @Option(help: "The server's pages for operators, such as 127.0.0.1:7451.")
    var pages: String?

    func validate() throws {
        guard let pages else { return }
        do {
            _ = try PagesOptions.address(pages, "--pages")
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func run() async throws {
        let place = try connection.place()
        var rows = [
            ["server", "\(place.server)\(place.isEncrypted ? ", encrypted" : ", not encrypted")"],
            ["relationctl", Version.text],
        ]
        rows += try await ServerPages(pages, connection).rows()
        let (isServing, caller) = try await connection.calling { client in
            let isServing = try await Self.isServing(client)
            return (isServing, try await CallerScopes(client))
        }
        rows.append(["health", isServing ? Paint.good("serving") : Paint.bad("not serving")])
        rows += caller.rows(place)
        let table = PlainTable(rows: rows.map { [Paint.heading($0[0]), $0[1]] })
        guard try StandardOutput.print(table.text, terminator: "") else { return }
        guard isServing else { throw Failure("the server takes no calls", .unreachable) }
        if let refusal = caller.refusal { throw Failure(refusal) }
    }

    private static func isServing(_ client: Client) async throws -> Bool {
        let method = Method<HealthCheckRequest, HealthCheckResponse>(
            "grpc.health.v1.Health", "Check", .open, for: .services)
        return try await client.call(method, HealthCheckRequest()).status == .serving
    }
}

/// The words of the server about itself, on its pages for operators.
private struct ServerPages {
    private let reader: PageReader

    init(_ pages: String?, _ connection: Connection) throws {
        var options = PagesOptions()
        options.pages = pages
        options.named = connection.named
        options.security = connection.security
        reader = try options.reader
    }

    /// The version and the clock; if the pages cannot be read, the words that say so.
    func rows() async -> [[String]] {
        do {
            let before = Self.now
            let text = try await reader.text(of: "/metrics")
            let after = Self.now
            let samples = Samples(text, at: after)
            guard let labels = samples["relation_build_info"].first?.labels,
                let version = labels["version"]
            else { return [["relationd", "not known: the pages are no pages of relationd"]] }
            let words = PlainTable.plain("\(version), contract \(labels["contract"] ?? "?")")
            return [["relationd", words], ["clock", clock(samples, before, after)]]
        } catch {
            return [["relationd", PlainTable.plain("not known: \(error)")]]
        }
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The difference of the clocks.
    ///
    /// A page may be half a second old, and took a time to come.
    private func clock(_ samples: Samples, _ before: Double, _ after: Double) -> String {
        guard let start = samples.sum("process_start_time_seconds"),
            let uptime = samples.sum("relation_uptime_seconds")
        else { return "not known: the pages do not tell it" }
        let server = start + uptime
        let ahead = server - after
        let behind = before - Limits.pageAgeSeconds - server
        guard ahead > 0 || behind > 0 else {
            return "the same, as far as the pages tell: to \(Self.seconds(after - before + 0.5)) s"
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
    private var scopes: [String] = []
    private var app: AppDescription?
    /// The error of a credential that the server does not accept; nil if it accepts it.
    private(set) var refusal: CallError?

    /// Makes a call for each scope.
    ///
    /// An empty request breaks a rule of each of them but the last two, which only read.
    init(_ client: Client) async throws {
        for (scope, name) in Self.probes where refusal == nil {
            if try await mayCall(try CallName.method(name), client) { scopes.append(scope) }
        }
        guard scopes.contains("admin") else { return }
        do {
            app = try await client.call(AppMethods.getApp, GetAppRequest()).app
        } catch let error as CallError where error.code == .invalidArgument {
            // The key of an operator may be shown without an app.
        }
    }

    private static let probes = [
        ("read", "CheckFriends"), ("write", "AddFriends"), ("watch", "Watch"),
        ("admin", "GetStats"), ("operator", "ListOperatorKeys"),
    ]

    private mutating func mayCall(_ method: AnyMethod, _ client: Client) async throws -> Bool {
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
            case .permissionDenied where error.reason == "SCOPE_MISSING": break
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

    func rows(_ place: Place) -> [[String]] {
        var rows: [[String]] = []
        if let app {
            let name = app.name.isEmpty ? "" : ", \(PlainTable.plain(app.name))"
            rows.append(["app", "\(app.appID)\(name)"])
        } else {
            rows.append(["app", place.appID.map { "\($0)" } ?? "none is named"])
        }
        rows.append(["credential", Self.words(of: place.credential)])
        let may = scopes.isEmpty ? "nothing" : scopes.joined(separator: ", ")
        return rows + [["may", refusal == nil ? may : Paint.bad("nothing")]]
    }

    private static func words(of credential: ClientCredential?) -> String {
        switch credential {
        case .userSig: return "the signature of a user"
        case .apiKey(let text):
            guard let key = KeyText(text) else { return "a key of no known form" }
            let name = PlainTable.plain(key.name)
            return key.appID == 0
                ? "the operator's key \(name)" : "the key \(name) of app \(key.appID)"
        case .provided, nil: return "none"
        }
    }
}
