import GRPC
import GRPCWire
import Logging
import RelationAdmission
import RelationRuntime
import RelationService
import Release
import Synchronization
import Traces

/// The work of SIGHUP: it reads the settings again, and changes those that may change.
///
/// If anything is wrong, nothing is changed. The last line that a signal causes has its name, so
/// that a script can wait for it.
final class Reload: Sendable {
    private struct State {
        var settings: Configuration
        var server: RelationServer?
        var authenticator: Authenticator?
        var receivers: HookReceivers?
        /// The certificates of hooks that the last signal found; nil before the first signal.
        var hookTLS: HookTLS?
    }

    /// The log of calls of the server.
    let calls: CallLog
    /// The export of spans.
    let spans: SpanExporter
    private let sources: ConfigurationSources
    /// All that show the certificate: the server, and its admin endpoints.
    private let tls: [ServerTLS]
    private let logger: Logger
    private let state: Mutex<State>

    init(
        _ sources: ConfigurationSources, _ settings: Configuration, _ tls: [ServerTLS],
        _ logger: Logger
    ) throws {
        self.sources = sources
        self.tls = tls
        self.logger = logger
        calls = CallLog(settings.callLog) { level, message, metadata in
            LogOutput.standard.write(
                LogLine(
                    level: level, label: "relationd", source: "calls", message: "\(message)",
                    metadata: metadata))
        }
        spans = SpanExporter(
            service: settings.text(.traceService) ?? "relationd", version: Version.text,
            logger: logger)
        spans.setCollector(try settings.collector().map { RemoteCollector($0) })
        state = Mutex(State(settings: settings))
    }

    /// The settings that are in force.
    var settings: Configuration { state.withLock { $0.settings } }

    /// Names the server that changes reach; it began with the settings of the start.
    func serves(
        _ server: RelationServer, _ authenticator: Authenticator, _ receivers: HookReceivers?
    ) {
        state.withLock { state in
            state.server = server
            state.authenticator = authenticator
            state.receivers = receivers
            // A signal may have come while the server was made.
            apply(state)
        }
    }

    /// Reads the settings again.
    ///
    /// Call it on one thread: a second signal waits for the first.
    func run() {
        let old = settings
        let read: Configuration
        do throws(ConfigurationErrors) {
            read = try sources.read()
        } catch {
            return refuse(error.lines.joined(separator: "; "))
        }
        let differing = old.differences(to: read)
        let changing = differing.filter { mayChange($0, read) }
        let new = old.taking(changing, from: read)
        var renewals: [ServerTLS.Renewal] = []
        if let files = new.tlsFiles {
            do throws(TLSSetupError) {
                for shown in tls { renewals.append(try shown.renewal(files)) }
            } catch {
                return refuse("the certificate stays as it was: \(error)")
            }
        }
        let collector: CollectorOptions?
        let hookTLS: HookTLS
        do {
            collector = try new.collector()
            hookTLS = try new.hookTLS()
        } catch {
            return refuse("\(error)")
        }
        for (shown, renewal) in zip(tls, renewals) { shown.apply(renewal) }
        // Its files may have changed under their paths.
        spans.setCollector(collector.map { RemoteCollector($0) })
        state.withLock { state in
            state.settings = new
            state.hookTLS = hookTLS
            apply(state)
        }
        new.warnOfOpenSecrets(logger)
        report(changing, differing, old, read)
    }

    /// Whether the running server can take another value of `setting`.
    private func mayChange(_ setting: Setting, _ read: Configuration) -> Bool {
        guard setting.changesAtOnce else { return false }
        // A server does not begin with TLS, or end it, while it runs.
        let isOfTLS = [Setting.tlsCert, .tlsKey, .clientCA, .requireClientCert]
            .contains { $0.name == setting.name }
        return !isOfTLS || !tls.isEmpty && read.tlsFiles != nil
    }

    private func apply(_ state: State) {
        LogOutput.standard.apply(state.settings)
        calls.apply(state.settings.callLog)
        state.server?.observe(observer(state.settings))
        state.server?.apply(state.settings.changing)
        state.authenticator?.apply(state.settings.rates, state.settings.bounds)
        state.server?.apply(state.settings.rates, state.settings.bounds)
        if let tls = state.hookTLS { state.receivers?.apply(tls) }
    }

    /// The observer of calls; nil if none is needed.
    private func observer(_ settings: Configuration) -> (any CallObserver)? {
        guard settings.collectorURL == nil else {
            return CallTracer(
                settings.traceSampling, namingUsers: settings.isOn(.traceUsers), to: spans,
                before: calls)
        }
        return settings.callLog.isIdle ? nil : calls
    }

    private func refuse(_ why: String) {
        logger.error("SIGHUP: nothing is changed: \(why)")
    }

    private func report(
        _ changing: [Setting], _ differing: [Setting], _ old: Configuration, _ read: Configuration
    ) {
        for setting in differing {
            let value = Self.words(read.value(setting)?.text, setting)
            let before = Self.words(old.value(setting)?.text, setting)
            let origin =
                read.isSet(setting) ? " (\(read.origin(setting).location(of: setting)))" : ""
            if changing.contains(where: { $0.name == setting.name }) {
                logger.info("\(setting.name) is \(value) now\(origin); it was \(before)")
            } else {
                logger.warning(
                    "\(setting.name) stays \(before): \(value)\(origin) needs a restart")
            }
        }
        let certificates =
            tls.isEmpty ? "" : "; new connections get the certificate that is there now"
        logger.info(
            """
            SIGHUP: \(changing.count) settings changed, \(differing.count - changing.count) need a \
            restart\(certificates)
            """)
    }

    private static func words(_ text: String?, _ setting: Setting) -> String {
        guard let text else { return "not set" }
        return setting.isSecret ? "(secret)" : text
    }
}
