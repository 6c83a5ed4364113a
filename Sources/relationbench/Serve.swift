import ArgumentParser
@preconcurrency import Dispatch
import GRPC
import Glibc
import Logging
import RelationCore
import RelationService
import Storage
import StorageRocks

/// The server under test: the one that `relationd` starts, or the same over a store of fixed rows.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve on a free port until SIGTERM: the server that the other command measures.",
        shouldDisplay: false)

    @Flag(help: "Answer every read with the same row: the cost of all but the store.")
    var fixed = false

    @Option(help: "The data folder.")
    var data: String?

    func validate() throws {
        guard fixed != (data != nil) else {
            throw ValidationError("either --fixed or --data is needed")
        }
    }

    func run() async throws {
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        var logger = Logger(label: "relationbench")
        logger.logLevel = .warning
        let stop = StopSignal()
        let store: any Store = try data.map { try RocksStore(folder: $0) } ?? FixedStore()
        defer { store.close() }
        let server = try RelationServer(
            store: store, door: .open(to: [BenchData.app]),
            configuration: ServerConfiguration(), descriptors: Contract.descriptors,
            logger: logger)
        print("listening on \(try await server.start())")
        fflush(nil)
        await stop.wait()
        await server.stop()
    }
}

/// SIGTERM, as something to wait for.
private struct StopSignal {
    private let stream: AsyncStream<Void>
    private let source: any DispatchSourceSignal

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        self.stream = stream
        // The source sees the signal only if its usual effect, the end of the process, is off.
        signal(SIGTERM, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
        source.setEventHandler { continuation.finish() }
        source.resume()
    }

    func wait() async {
        for await _ in stream {}
    }
}
