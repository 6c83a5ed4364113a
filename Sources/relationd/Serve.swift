import AdminEndpoints
import ArgumentParser
import GRPC
import Glibc
import Logging
import RelationAdmission
import RelationCalls
import RelationCore
import RelationRuntime
import RelationService
import Release
import Storage
import Synchronization
import Traces

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve the data in a folder until SIGTERM or SIGINT.",
        discussion: """
            Prints one line, "listening on ADDRESS:PORT", when it is ready, and logs to standard \
            error. When it stops, it accepts no new calls, lets running calls finish within ten \
            seconds, ends streams with the place to go on from, and exits with status 0. A second \
            signal cuts off the calls that still run.
            """)

    @OptionGroup var flags: ServeFlags

    func run() async throws {
        try await Self.serve(from: ConfigurationSources(flags: flags.given))
    }

    /// Serves until a signal.
    ///
    /// - Parameter demo: The parts that a demo adds; nil for a server in production.
    static func serve(from sources: ConfigurationSources, as demo: DemoMode? = nil) async throws {
        let settings = try sources.readOrExit()
        FileModes.close()
        let logger = LogOutput.begin(settings)
        settings.warnOfOpenSecrets(logger)

        // This comes before all slow steps: until then a signal ends the process.
        let signals = try StopSignals()
        let descriptors = try Descriptors(limit: Descriptors.raise(), threads: settings.threads)
        let (tls, receivers) = (try settings.tls(), try settings.receivers())
        let health = ProcessHealth(notifying: Supervisor(logger))
        let listen = settings.address(of: .listen, settings.listen, "the server listens", logger)
        let shown = try await AdminServer.begin(
            settings, health, logger, and: demo?.endpoints ?? [])
        let reload = try Reload(sources, settings, [tls, shown?.tls].compactMap { $0 }, logger)
        health.exports(reload.spans)
        let reloads = try ReloadSignal { health.reloads { reload.run() } }
        try listen.probe()
        let fresh = FreshFolder(settings.data)
        var isServing = false
        defer { if !isServing { fresh.remove() } }
        let served = try ServedStore.opened(settings, descriptors, signals, logger)
        let store = served.store
        defer { store.close() }

        try demo?.begin(in: store, settings)
        let apps = try served.apps(in: settings.store)
        settings.beginAudit(of: apps)
        apps.counted.begin(atMost: settings.number(.metricsApps) ?? 0)
        let clock = demo?.clock.service ?? .system
        let authenticator = authenticator(to: apps, settings, clock, logger)
        let fleet = try FleetOffer.found(apps, settings, clock) { [reload] in reload.settings }
        let server = try RelationServer(
            store: store, authenticator: authenticator, clock: clock,
            memory: ReadCache(bytes: settings.keptBytes, isOnlyWriter: store.isLocal),
            configuration: settings.server(tls, descriptors, at: listen),
            backupMinutes: settings.number(.backupEvery) ?? 0,
            hooks: receivers?.offer, fleet: fleet, faults: demo?.faults,
            descriptors: Contract.descriptors,
            logger: logger)
        reload.serves(server, authenticator, receivers)
        served.failure?.whenFound { [calls = reload.calls, logger] in
            FailedStore.end(server, because: $0, health, calls, logger)
        }
        let address = try await begin(server, at: listen, settings, isFleet: fleet != nil)
        try await demo?.fill(server, at: address)
        isServing = true
        health.serves(server, at: "\(address)")
        let owner = OwnerSocket.begin(in: settings, logger) { server.answer($0) }
        announce(address, shown?.address, settings, demo, logger)
        // Not earlier: if the log is not read, this waits, and the start must not wait with it.
        descriptors.log(to: logger, hasEngine: store.isLocal)

        await stop(server, health, signals, reload, logger) { owner?.stop() }
        reloads.end()
        health.ends()
        await shown?.server.stop()
        reload.calls.close()
        await reload.spans.close()
        if served.failure?.found != nil { await FailedStore.awaitExit() }
        try served.writeOut()
        logger.info("stopped")
    }

    /// Begins to listen, and returns the address.
    private static func begin(
        _ server: RelationServer, at listen: ListenAddress, _ settings: Configuration,
        isFleet: Bool
    ) async throws -> ListeningAddress {
        do {
            return try await server.start { try FleetOffer.check(settings, isFleet: isFleet) }
        } catch let error as FatalError {
            throw error
        } catch let error as StorageError {
            throw FatalError("\(settings.shownStore) gives no lease: \(error.message)")
        } catch {
            throw FatalError("cannot listen on \(listen): \(error)")
        }
    }

    /// Prints where the server is, and logs what it serves.
    private static func announce(
        _ address: ListeningAddress, _ pages: String?, _ settings: Configuration,
        _ demo: DemoMode?, _ logger: Logger
    ) {
        print("listening on \(address)")
        if let pages { print("metrics on \(pages)/metrics") }
        if let demo { demo.announce(address, pages, hasConsole: settings.isConsoleShown) }
        // A reader that waits for the line gets it now, through a pipe too.
        fflush(nil)
        logger.info(
            """
            relationd \(Version.text): serving \(settings.shownStore) on \(address)\
            \(settings.isOpen ? ", without credentials" : "")
            """)
    }

    /// Waits for a signal, and stops the server; every further signal makes it go faster.
    private static func stop(
        _ server: RelationServer, _ health: ProcessHealth, _ signals: StopSignals,
        _ reload: Reload, _ logger: Logger, first: () -> Void
    ) async {
        guard let signal = await signals.next() else { return }
        let stopDelay = reload.settings.stopDelay
        health.stops(after: stopDelay)
        let delay = Task {
            guard stopDelay > 0 else { return }
            logger.info("\(signal): stopping in \(stopDelay) seconds")
            server.announceStop()
            // Cancelled by the next signal.
            try? await Task.sleep(for: .seconds(stopDelay))
        }
        let isDelayed = Mutex(stopDelay > 0)
        let further = Task {
            while let signal = await signals.next() {
                guard !isDelayed.withLock({ $0 }) else {
                    delay.cancel()
                    continue
                }
                logger.info("\(signal): cutting off what still runs")
                server.cancelRunningCalls()
            }
        }
        await delay.value
        isDelayed.withLock { $0 = false }
        logger.info("\(signal): stopping; running calls finish first")
        first()
        await server.stop()
        further.cancel()
    }

    private static func authenticator(
        to apps: Apps, _ settings: Configuration, _ clock: ServiceClock, _ logger: Logger
    ) -> Authenticator {
        guard !settings.isOpen else { return .open(to: apps) }
        if apps.hasNoCredentials {
            logger.warning(
                """
                no client can make a call: \(settings.shownStore) has no credential yet. Make the \
                operator's key, beside this server, with: relationd init \(settings.storeFlag)
                """)
        }
        return .guarded(
            apps, loops: settings.threads, limits: settings.rates, bounds: settings.bounds,
            clock: clock)
    }
}
