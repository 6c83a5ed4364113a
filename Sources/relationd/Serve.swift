import ArgumentParser
import GRPC
import Glibc
import Logging
import OperatorPages
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel
import RelationService
import Storage
import StorageRocks
import Synchronization

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve the data in a folder until SIGTERM or SIGINT.",
        discussion: """
            Prints one line, "listening on ADDRESS:PORT", when it is ready, and logs to standard \
            error. When it stops, it accepts no new calls, lets running calls finish within ten \
            seconds, ends streams with the place to go on from, and exits with status 0. A second \
            signal cuts off the calls that still run.
            """)

    @Option(
        help: """
            The address and port to listen on; port 0 picks a free one. Or unix:PATH for a socket \
            in the file system.
            """)
    var listen = ListenAddress.port(7450, host: "127.0.0.1")

    @Option(help: "The folder that holds the data; it is made if it is missing.")
    var data: String

    @Flag(
        help: """
            Let every caller on this machine do everything, on a loopback address or a socket. \
            The metadata x-app-id gives the app; it is 1 if this is absent. The metadata x-scopes \
            gives the scopes (read, write, watch, admin, operator); the caller has all if this is \
            absent. The metadata x-user-id makes the caller that one user. Without --insecure \
            every call but health needs a credential.
            """)
    var insecure = false

    @OptionGroup var security: SecurityOptions

    @OptionGroup var callers: CallerOptions

    @OptionGroup var pages: PagesOptions

    @Flag(
        help: ArgumentHelp(
            "Start although writes that were answered are missing from the data.",
            discussion: """
                Use it for one start. Without it, a server that finds such a loss tells how much \
                is missing and since when, changes nothing and ends. With it, the log tells this, \
                and CheckIntegrity tells every app until the app acknowledges the loss.
                """))
    var acceptLoss = false

    @Option(
        help: ArgumentHelp(
            "Threads that serve connections; without it, one for each processor.",
            discussion: """
                Only those processors count that the process may use. Each connection stays with \
                one thread, and new ones go to the threads in turn.
                """))
    var threads: Int?

    private var loops: Int {
        threads ?? min(ServerConfiguration.processorCount, Self.mostThreads)
    }

    private static let mostThreads = 64

    @Option(
        help: ArgumentHelp(
            "Ask clients to make a new connection after so many seconds; 0 is never.",
            discussion: "Running calls may go on for ten seconds more.", valueName: "seconds"))
    var connectionAge: Int64 = 0

    @Option(
        help: ArgumentHelp(
            "Ask clients that made no call for so many seconds to disconnect; 0 is never.",
            discussion: "An open stream is a call.", valueName: "seconds"))
    var connectionIdle = CallLimits.connectionIdleSeconds

    @Option(
        help: ArgumentHelp(
            "Wait so many seconds after a signal before the stop.",
            discussion: """
                Meanwhile health is NOT_SERVING, and calls are accepted as before. This is for \
                balancers that ask for health only now and then, and would send calls to a server \
                that has stopped.
                """, valueName: "seconds"))
    var stopDelay: Int64 = 0

    @OptionGroup var memory: MemoryOptions

    @Option(help: "The lowest level of messages to log.")
    var logLevel = LogLevel.info

    @Flag(
        help: ArgumentHelp(
            "Do not wait for the disk when a write is committed: a power cut loses writes.",
            visibility: .hidden))
    var noSync = false

    private var isOpen: Bool { insecure || security.allowAnonymous }

    func validate() throws {
        guard !insecure || listen.isLocal else {
            throw ValidationError(
                "--insecure needs a loopback address or a socket, and \(listen) is neither")
        }
        guard !insecure || !security.isEncrypted else {
            throw ValidationError("--insecure and --tls-cert cannot be used together")
        }
        try security.check(for: listen)
        try pages.check(security)
        guard !data.isEmpty else { throw ValidationError("--data takes the path of a folder") }
        guard (1...Self.mostThreads).contains(loops) else {
            throw ValidationError("--threads takes a number from 1 to \(Self.mostThreads)")
        }
        guard (0...2_592_000).contains(connectionAge) else {
            throw ValidationError("--connection-age takes a number of seconds up to 2592000")
        }
        guard (0...2_592_000).contains(connectionIdle) else {
            throw ValidationError("--connection-idle takes a number of seconds up to 2592000")
        }
        guard (0...600).contains(stopDelay) else {
            throw ValidationError("--stop-delay takes a number of seconds up to 600")
        }
    }

    func run() async throws {
        let socketMode = FileModes.close()
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        var logger = Logger(label: "relationd")
        logger.logLevel = logLevel.level

        // This comes before all slow steps: until then a signal ends the process.
        let signals = try StopSignals()
        let descriptors = try Descriptors(limit: Descriptors.raise(), threads: loops)
        let tls = try security.tls()
        let standing = Standing()
        let shown = try await PageServer.begin(pages, beside: listen, security, standing)
        let reloads = try ReloadSignal { [security, logger] in
            security.reload(tls, logger)
            security.reload(shown?.tls, logger)
        }
        var options = RocksOptions()
        options.sync = !noSync
        options.openFiles = descriptors.engineFiles
        options.acceptsLoss = acceptLoss
        options.blockCacheBytes = memory.blockBytes
        let store = try RocksStore.opened(data, options, logger)
        defer { store.close() }

        let apps: Apps
        do throws(StorageError) {
            apps = try Apps(of: store, at: ServiceClock.system.now())
        } catch {
            throw Failure("the apps of \(data) cannot be read: \(error.message)")
        }
        let server = try RelationServer(
            store: store, door: door(to: apps, logger),
            memory: ExactMemory(bytes: memory.keptBytes),
            configuration: configuration(tls, descriptors, socketMode: socketMode),
            descriptors: Contract.descriptors, logger: logger)
        store.fault.whenFound { [logger] in FailedStore.end(server, because: $0, standing, logger) }
        let address: ListeningAddress
        do {
            address = try await server.start()
        } catch {
            throw Failure("cannot listen on \(listen): \(error)")
        }
        standing.serves(server)
        print("listening on \(address)")
        if let shown { print("metrics on \(shown.address)/metrics") }
        // A reader that waits for the line gets it now, through a pipe too.
        fflush(nil)
        logger.info("serving \(data) on \(address)\(isOpen ? ", without credentials" : "")")
        // Not earlier: if the log is not read, this waits, and the start must not wait with it.
        descriptors.log(to: logger)

        await stop(server, standing, signals, logger)
        reloads.end()
        standing.ends()
        await shown?.server.stop()
        if store.fault.found != nil { FailedStore.exit(logger) }
        try store.writeOut()
        logger.info("stopped")
    }

    /// Waits for a signal, and stops the server; every further signal makes it go faster.
    private func stop(
        _ server: RelationServer, _ standing: Standing, _ signals: StopSignals, _ logger: Logger
    ) async {
        guard let signal = await signals.next() else { return }
        standing.stops()
        let delay = Task { [stopDelay] in
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
                server.hurry()
            }
        }
        await delay.value
        isDelayed.withLock { $0 = false }
        logger.info("\(signal): stopping; running calls finish first")
        await server.stop()
        further.cancel()
    }

    private func configuration(
        _ tls: ServerTLS?, _ descriptors: Descriptors, socketMode: UInt32
    ) -> ServerConfiguration {
        var configuration = ServerConfiguration(loops: loops)
        switch listen {
        case .port(let port, let host): (configuration.host, configuration.port) = (host, port)
        case .socket(let path): configuration.socketPath = path
        }
        configuration.socketMode = socketMode
        configuration.tls = tls
        configuration.maxConnections = descriptors.connections
        configuration.maxConnectionsPerAddress = callers.addressBound
        configuration.maxConnectionsPerSecondOfAddress = callers.addressRateBound
        configuration.maxHeldBytes = callers.memoryBytes
        if connectionAge > 0 { configuration.connectionAgeSeconds = connectionAge }
        configuration.connectionIdleSeconds = connectionIdle > 0 ? connectionIdle : nil
        return configuration
    }

    private func door(to apps: Apps, _ logger: Logger) -> Door {
        guard !isOpen else { return .open(to: apps) }
        if apps.hasNoCredentials {
            logger.warning(
                """
                no client can make a call: \(data) has no credential yet. Stop the server and make \
                the operator's key with: relationd init --data \(data)
                """)
        }
        return .guarded(apps, loops: loops, limits: callers.rates, bounds: callers.bounds)
    }
}

/// The levels of the log, by their names.
enum LogLevel: String, CaseIterable, ExpressibleByArgument {
    case trace, debug, info, notice, warning, error, critical

    var level: Logger.Level {
        // The names are those of the package.
        Logger.Level(rawValue: rawValue) ?? .info
    }
}
