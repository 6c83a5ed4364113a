import AdminEndpoints
import GRPC
import Logging
import Meters
import RPC
import RelationConsole
import RelationService
import Release
import StorageRocks
import Synchronization
import Traces

/// The health of the process: whether it lives, whether it is ready, and what it has counted.
///
/// The admin endpoints ask on their own thread.
final class ProcessHealth: Sendable {
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
    /// The process that started this one, if it wants to know the health of this one.
    private let supervisor: Supervisor?
    /// The counters of the last ten minutes, for the plots of the console.
    private let history = MetricHistory()

    init(notifying supervisor: Supervisor?) {
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
        if isServing { supervisor?.notify(.ready(address)) }
    }

    /// The server stops, after `delay` seconds in which it serves as before.
    func stops(after delay: Int) {
        let hasFailed = state.withLock { state in
            if case .failed = state.phase { return true }
            state.phase = .stopping
            return false
        }
        if !hasFailed { supervisor?.notify(.stopping("stopping", after: delay)) }
    }

    func fails(_ cause: String) {
        state.withLock { $0.phase = .failed(cause) }
    }

    /// Notifies the supervisor that the store has failed; this may take a while.
    func reportFailure() {
        guard case .failed(let cause) = state.withLock({ $0.phase }) else { return }
        supervisor?.notify(.stopping("the store has failed: \(cause)", after: 0))
    }

    /// Reads the settings again by `body`, and says before and after it that it does.
    func reloads(_ body: () -> Void) {
        guard state.withLock({ $0.phase.reason }) == nil else { return body() }
        supervisor?.notify(.reloading)
        body()
        // A stop may have begun meanwhile: then it has been announced, and stays.
        if state.withLock({ $0.phase.reason }) == nil { supervisor?.notify(.ready(nil)) }
    }

    /// The server will have ended: nothing asks it any more.
    func ends() {
        state.withLock { $0.server = nil }
    }

    private var server: RelationServer? { state.withLock { $0.server } }

    /// A socket to the server, for a call that came to the console; nil if it takes none.
    func openInsideSocket() -> CInt? { server?.connectInside() }

    // MARK: Pages

    var endpoints: [AdminEndpoint] {
        [
            AdminEndpoint("/metrics", isKept: true) { AdminAnswer(.metrics, self.metrics().text) },
            AdminEndpoint("/livez", isProbe: true) { self.liveness() },
            AdminEndpoint("/readyz", isProbe: true) { self.readiness() },
            AdminEndpoint("/version") { AdminAnswer(.json, Self.version) },
            AdminEndpoint("/slow") {
                guard let server = self.server else { return Self.notServing }
                return AdminAnswer(.table, server.slowCallTable())
            },
            AdminEndpoint.later("/connections") { answer in
                guard let server = self.server else { return answer(Self.notServing) }
                server.connectionTable { answer(AdminAnswer(.table, $0)) }
            },
        ]
    }

    /// Where programs make their calls, for the code that the console shows.
    func addressOfCalls(isEncrypted: Bool) -> AdminAnswer {
        let address = state.withLock { $0.address }
        guard !address.isEmpty else { return Self.notServing }
        return AdminAnswer(
            .json,
            "{\"address\":\(LogJSON.quoted(address)),\"encrypted\":\(isEncrypted)}\n")
    }

    private static let version = """
        {"name":"relationd","version":"\(Version.text)","contract":"\(Version.contract)"}

        """

    private static let notServing = AdminAnswer(status: 503, "the server takes no calls\n")

    /// Adds the present counters to the history.
    func recordCounters() {
        guard let sums = metrics(.summing()).sums else { return }
        history.add(sums, at: Deadline.clock)
    }

    /// The counters of the last ten minutes.
    func pastCounters() -> AdminAnswer {
        AdminAnswer(.json, history.json(at: Deadline.clock))
    }

    private func metrics(_ begun: MetricText = MetricText()) -> MetricText {
        var text = begun
        text.family("relation_build_info", .gauge, "The build that runs; its value is always 1.")
        text.sample(1, ["version": Version.text, "contract": Version.contract])
        text.family("relation_ready", .gauge, "1 while the server takes calls.")
        text.sample(unreadiness == nil ? 1 : 0)
        text.addProcess()
        if let spans = state.withLock({ $0.spans }) { text.addSpans(spans.reading()) }
        server?.add(to: &text)
        return text
    }

    private func liveness() -> AdminAnswer {
        guard let hang = server?.hang() else { return AdminAnswer("live\n") }
        return AdminAnswer(status: 503, "not live: \(hang)\n")
    }

    /// Why the server takes no calls; nil if it does.
    private var unreadiness: String? {
        state.withLock { $0.phase.reason } ?? server?.storeError()
    }

    private func readiness() -> AdminAnswer {
        let reason = unreadiness ?? server?.hang()
        if let reason { return AdminAnswer(status: 503, "not ready: \(reason)\n") }
        // Reads go on then, so a balancer must still send calls here.
        if let away = server?.awayDatabases() {
            return AdminAnswer("ready, but databases are away: \(away)\n")
        }
        guard let refusal = server?.writeRefusal() else { return AdminAnswer("ready\n") }
        return AdminAnswer("ready, but writes are refused: \(refusal)\n")
    }
}

extension AdminServer {
    /// Serves the admin endpoints of `health`, before anything slow begins.
    ///
    /// - Parameter others: Endpoints that not every server has.
    /// - Returns: Nil if they are switched off.
    /// - Throws: ``FatalError``, which says what to do.
    static func begin(
        _ settings: relationd.Configuration, _ health: ProcessHealth, _ logger: Logger,
        and others: [AdminEndpoint] = []
    ) async throws -> (server: AdminServer, address: String, tls: ServerTLS?)? {
        guard let asked = settings.adminAddress else { return nil }
        let address = settings.address(of: .metricsListen, asked, "the metrics are", logger)
        guard case .port(let port, let host) = address else { return nil }
        let tls = settings.areAdminEndpointsEncrypted ? try settings.tls(for: ["http/1.1"]) : nil
        var configuration = Configuration(host: host, port: port, tls: tls)
        configuration.rules = settings.pageRules
        var endpoints = health.endpoints + others
        if settings.isConsoleShown {
            endpoints += ConsoleFiles.endpoints
            let isEncrypted = settings.isSet(.tlsCert)
            endpoints.append(
                AdminEndpoint(ConsoleFiles.folder + "calls.json", isListed: false) {
                    health.addressOfCalls(isEncrypted: isEncrypted)
                })
            endpoints.append(
                AdminEndpoint(ConsoleFiles.folder + "history.json", isKept: true, isListed: false) {
                    health.pastCounters()
                })
            configuration.pulse = (Int64(MeterLimits.historySeconds), { health.recordCounters() })
            configuration.wayToCalls = { health.openInsideSocket() }
        }
        let server = try await AdminServer(configuration, endpoints)
        do {
            let scheme = tls == nil ? "http" : "https"
            return (server, "\(scheme)://\(try await server.start())", tls)
        } catch {
            throw FatalError(
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
