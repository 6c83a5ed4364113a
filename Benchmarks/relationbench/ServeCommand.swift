import ArgumentParser
import GRPC
import Glibc
import Logging
import RelationAdmission
import RelationCore
import RelationRuntime
import RelationService
import Storage
import StorageRocks

/// The server under test: the one that `relationd` starts, or the same one over a store of fixed
/// rows.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve on a free port until SIGTERM: the server that the other command measures.",
        shouldDisplay: false)

    @Flag(help: "Answer every read with the same row, to measure the cost without the store.")
    var fixed = false

    @Flag(help: "Require a credential, like a server that other machines can reach.")
    var guarded = false

    @Option(help: "Threads that serve connections.")
    var threads = 1

    @Option(help: "The data folder.")
    var data: String?

    func validate() throws {
        guard fixed != (data != nil) else {
            throw ValidationError("either --fixed or --data is needed")
        }
    }

    func run() throws {
        // The signal is blocked before there are other threads, so that all inherit this and the
        // signal waits.
        var stop = sigset_t()
        sigemptyset(&stop)
        sigaddset(&stop, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &stop, nil)

        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        var logger = Logger(label: "relationbench")
        logger.logLevel = .warning
        // The same shares of memory as those of relationd.
        let half = ProcessMemory.cacheBytes / 2
        var options = RocksOptions()
        options.blockCacheBytes = half
        let store: any Store = try data.map { try RocksStore(folder: $0, options) } ?? FixedStore()
        defer { store.close() }
        let apps = Apps([BenchData.app, BenchData.lightApp])
        let server = try RelationServer(
            store: store,
            authenticator: guarded ? BenchKey.authenticator(loops: threads) : .open(to: apps),
            // Fixed rows are the same for every key, which no adjacency list is.
            memory: data == nil ? ReadCache(hasAdjacency: false) : ReadCache(bytes: half),
            configuration: ServerConfiguration(loops: threads), descriptors: Contract.descriptors,
            logger: logger)
        let address = try Blocking.wait { [fixed] in try await server.start(hasMaintenance: !fixed)
        }
        print("listening on \(address)")
        fflush(nil)
        var signal: Int32 = 0
        sigwait(&stop, &signal)
        try Blocking.wait { await server.stop() }
    }
}
