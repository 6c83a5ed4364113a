import ArgumentParser
import Dispatch
import GRPC
import Glibc
import Logging
import RelationAdmission
import RelationCore
import RelationService
import Storage
import StorageRocks
import Synchronization

/// The server under test: the one that `relationd` starts, or the same one over a store of fixed
/// rows.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve on a free port until SIGTERM: the server that the other command measures.",
        shouldDisplay: false)

    @Flag(help: "Answer every read with the same row, to measure the cost without the store.")
    var fixed = false

    @Flag(help: "Require a credential, like a server that other machines can reach.")
    var guarded = false

    @Option(help: "The records that writes leave of their changes: all, logs, nothing.")
    var recording: ChangeRecording = .all

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
        let store: any Store = try data.map { try RocksStore(folder: $0) } ?? FixedStore()
        defer { store.close() }
        var apps = [BenchData.app, BenchData.lightApp]
        for index in apps.indices { apps[index].settings.recording = recording }
        let server = try RelationServer(
            store: store, door: guarded ? BenchKey.door : .open(to: Apps(apps)),
            configuration: ServerConfiguration(), descriptors: Contract.descriptors,
            logger: logger)
        let address = try Self.wait { [fixed] in try await server.start(hasMaintenance: !fixed) }
        print("listening on \(address)")
        fflush(nil)
        var signal: Int32 = 0
        sigwait(&stop, &signal)
        try Self.wait { await server.stop() }
    }

    /// Holds the main thread until `body` has ended.
    private static func wait<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let result = ResultBox<Value>()
        Task {
            do {
                result.set(.success(try await body()))
            } catch {
                result.set(.failure(error))
            }
        }
        return try result.wait().get()
    }
}

extension ChangeRecording: ExpressibleByArgument {}

/// Carries a result from a task to a thread that waits for it.
private final class ResultBox<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let isSet = DispatchSemaphore(value: 0)

    func set(_ value: Result<Value, any Error>) {
        result.withLock { $0 = value }
        isSet.signal()
    }

    func wait() -> Result<Value, any Error> {
        isSet.wait()
        // The result was set before the signal for which this waited.
        return result.withLock { $0 }!
    }
}
