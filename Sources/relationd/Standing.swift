import GRPC
import Logging
import Meters
import OperatorPages
import RelationConsole
import RelationService
import Release
import StorageRocks
import Synchronization
import Traces

/// How the process stands: whether it lives, whether it is ready, and what it has counted.
///
/// The pages ask on their own thread.
final class Standing: Sendable {
    private enum Phase {
        case starting
        case serving
        case stopping
        case failed(String)

        /// Why the server is not ready; nil if it is.
        var reason: String? {
            switch self {
            case .starting: "starting: the store is being opened"
            case .serving: nil
            case .stopping: "stopping: running calls finish, and new ones go elsewhere"
            case .failed(let cause): "the store has failed: \(cause)"
            }
        }
    }

    private struct State {
        var phase = Phase.starting
        var server: RelationServer?
        /// Where the server takes calls.
        var address = ""
        var spans: SpanExporter?
    }

    private let state = Mutex(State())
    /// The process that started this one, if it wants to know how it stands.
    private let supervisor: Supervisor?

    init(telling supervisor: Supervisor?) {
        self.supervisor = supervisor
    }

    /// Spans are exported by `spans`, whose counts the metrics have from now on.
    func exports(_ spans: SpanExporter) {
        state.withLock { $0.spans = spans }
    }

    /// The server takes calls, at `address`.
    func serves(_ server: RelationServer, at address: String) {
        let isServing = state.withLock { state in
            if case .starting = state.phase { state.phase = .serving }
            state.server = server
            state.address = address
            return state.phase.reason == nil
        }
        if isServing { supervisor?.tell(.ready(address)) }
    }

    /// The server stops, after `delay` seconds in which it serves as before.
    func stops(after delay: Int) {
        let hasFailed = state.withLock { state in
            if case .failed = state.phase { return true }
            state.phase = .stopping
            return false
        }
        if !hasFailed { supervisor?.tell(.stopping("stopping", after: delay)) }
    }

    func fails(_ cause: String) {
        state.withLock { $0.phase = .failed(cause) }
    }

    /// Tells the supervisor that the store has failed; this may take a moment.
    func tellsFailure() {
        guard case .failed(let cause) = state.withLock({ $0.phase }) else { return }
        supervisor?.tell(.stopping("the store has failed: \(cause)", after: 0))
    }

    /// Reads the settings again by `body`, and says before and after it that it does.
    func reloads(_ body: () -> Void) {
        guard state.withLock({ $0.phase.reason }) == nil else { return body() }
        supervisor?.tell(.reloading)
        body()
        // A stop may have begun meanwhile: then it has been told, and stays.
        if state.withLock({ $0.phase.reason }) == nil { supervisor?.tell(.ready(nil)) }
    }

    /// The server will have ended: nothing asks it any more.
    func ends() {
        state.withLock { $0.server = nil }
    }

    private var server: RelationServer? { state.withLock { $0.server } }

    /// A socket to the server, for a call that came to the pages; nil if it takes none.
    func wayToCalls() -> CInt? { server?.connectInside() }

    // MARK: Pages

    var pages: [Page] {
        [
            Page("/metrics", isKept: true) { PageAnswer(.metrics, self.metrics().text) },
            Page("/livez", isProbe: true) { self.liveness() },
            Page("/readyz", isProbe: true) { self.readiness() },
            Page("/version") { PageAnswer(.json, Self.version) },
            Page("/slow") {
                guard let server = self.server else { return Self.notServing }
                return PageAnswer(.table, server.slowCallTable())
            },
            Page.later("/connections") { answer in
                guard let server = self.server else { return answer(Self.notServing) }
                server.connectionTable { answer(PageAnswer(.table, $0)) }
            },
        ]
    }

    /// Where programs make their calls, for the code that the console shows.
    func placeOfCalls(isEncrypted: Bool) -> PageAnswer {
        let address = state.withLock { $0.address }
        guard !address.isEmpty else { return Self.notServing }
        return PageAnswer(
            .json,
            "{\"address\":\(JSONText.quoted(address)),\"encrypted\":\(isEncrypted)}\n")
    }

    private static let version = """
        {"name":"relationd","version":"\(Version.text)","contract":"\(Version.contract)"}

        """

    private static let notServing = PageAnswer(status: 503, "the server takes no calls\n")

    private func metrics() -> MetricText {
        var text = MetricText()
        text.family("relation_build_info", .gauge, "The build that runs; its value is always 1.")
        text.sample(1, ["version": Version.text, "contract": Version.contract])
        text.family("relation_ready", .gauge, "1 while the server takes calls.")
        text.sample(unreadiness == nil ? 1 : 0)
        text.addProcess()
        if let spans = state.withLock({ $0.spans }) { text.addSpans(spans.reading()) }
        server?.add(to: &text)
        return text
    }

    private func liveness() -> PageAnswer {
        guard let hang = server?.hang() else { return PageAnswer("live\n") }
        return PageAnswer(status: 503, "not live: \(hang)\n")
    }

    /// Why the server takes no calls; nil if it does.
    private var unreadiness: String? {
        state.withLock { $0.phase.reason } ?? server?.trouble()
    }

    private func readiness() -> PageAnswer {
        let reason = unreadiness ?? server?.hang()
        if let reason { return PageAnswer(status: 503, "not ready: \(reason)\n") }
        // Reads go on then, so a balancer must still send calls here.
        guard let refusal = server?.writeRefusal() else { return PageAnswer("ready\n") }
        return PageAnswer("ready, but writes are refused: \(refusal)\n")
    }
}

extension PageServer {
    /// Shows the pages of `standing`, before anything slow begins.
    ///
    /// - Returns: Nil if they are switched off.
    /// - Throws: ``Failure``, which says what to do.
    static func begin(
        _ settings: relationd.Configuration, _ standing: Standing, _ logger: Logger
    ) async throws -> (server: PageServer, address: String, tls: ServerTLS?)? {
        guard let asked = settings.pages else { return nil }
        let address = settings.address(of: .metricsListen, asked, "the metrics are", logger)
        guard case .port(let port, let host) = address else { return nil }
        let tls = settings.arePagesEncrypted ? try settings.tls(for: ["http/1.1"]) : nil
        var configuration = Configuration(host: host, port: port, tls: tls)
        configuration.rules = settings.pageRules
        var pages = standing.pages
        if settings.isConsoleShown {
            pages += ConsoleFiles.pages
            let isEncrypted = settings.isSet(.tlsCert)
            pages.append(
                Page(ConsoleFiles.folder + "calls.json", isListed: false) {
                    standing.placeOfCalls(isEncrypted: isEncrypted)
                })
            configuration.wayToCalls = { standing.wayToCalls() }
        }
        let server = try await PageServer(configuration, pages)
        do {
            let scheme = tls == nil ? "http" : "https"
            return (server, "\(scheme)://\(try await server.start())", tls)
        } catch {
            throw Failure(
                """
                cannot listen on \(address) for the metrics: \(error). Another address, or off, \
                can be given with --metrics-listen
                """)
        }
    }
}

extension MetricText {
    /// Adds where spans of calls have gone.
    fileprivate mutating func addSpans(_ counts: SpanCounts) {
        family(
            "relation_trace_spans_total", .counter,
            "Spans of calls that the collector took, that were dropped unsent, or that failed.")
        sample(counts.exported, ["outcome": "exported"])
        sample(counts.dropped, ["outcome": "dropped"])
        sample(counts.failed, ["outcome": "failed"])
        family(
            "relation_trace_waiting_calls", .gauge, "Calls whose spans wait for the collector.")
        sample(counts.waitingCalls)
        family(
            "relation_trace_waiting_calls_max", .gauge,
            "Calls whose spans may wait; beyond this they are dropped.")
        sample(TraceLimits.waitingCalls)
    }
}
