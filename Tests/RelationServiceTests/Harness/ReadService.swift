import Dispatch
import Logging
import Memory
import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import Synchronization

@testable import GRPC
@testable import GRPCClient
@testable import RelationAdmission
@testable import RelationCalls
@testable import RelationRuntime
@testable import RelationService

/// A server with one loop over a store that can be cold.
final class ReadService: Sendable {
    static let clientApp: ClientAppID = "client"

    let store: ColdStore
    private let server: Server
    private let channel: Channel
    let readers: ReaderPools

    /// - Parameters:
    ///   - holdsRows: Whether the store says that it holds its rows in memory.
    ///   - memory: The memory that answers reads; nil for that of a server.
    init(threads: Int = 2, holdsRows: Bool = false, memory: ReadCache? = nil) async throws {
        store = ColdStore(holdsRows: holdsRows)
        readers = ReaderPools(threads: threads)
        var settings = AppSettings.tim
        settings.clientApps = [ClientApp(id: Self.clientApp, name: "Client")]
        let app = App(id: Authenticator.defaultApp, settings: settings)
        try store.write(touching: []) { (transaction) throws(StorageError) in
            let ledger = Ledger(
                app: app, now: Timestamp(milliseconds: 1), origin: Origin(user: nil),
                transaction: transaction)
            let ann = UserID(stored: "ann".utf8)
            _ = try Accounts.create(ann, nick: "Ann", faceURL: "", in: ledger)
            try ledger.close()
        }
        let router = Router(
            store: store, committer: Committer(store: store, memory: memory), readers: readers,
            authenticator: .open(to: Apps([app])),
            clock: ServiceClock { Timestamp(milliseconds: 2) })
        RelationServer.registerCalls(in: router)
        var configuration = ServerConfiguration()
        configuration.loops = 1
        server = Server(
            configuration: configuration, dispatchers: [router], logger: Logger(label: "test"))
        let address = try await server.start()
        channel = Channel(ClientConfiguration(host: address.host, port: address.port))
    }

    func nick(of user: String = "ann") async throws -> String {
        var request = GetSelfProfileRequest()
        request.userID = user
        return try await call(ProfileMethods.getSelfProfile, request).profile?.nick ?? "none"
    }

    /// - Parameter padding: Bytes that follow the request, which a server without knowledge of
    ///   their field passes over.
    func call<Request: CodedMessage, Response: CodedMessage>(
        _ method: Protobuf.Method<Request, Response>, _ request: Request, padding: [UInt8] = []
    ) async throws -> Response {
        let answer = try await channel.unary(method.path, Self.bytes(method, request) + padding)
        return try Arena.temporary { (arena) throws(CodecError) in
            try method.responseCoder.message(answer, arena)
        }
    }

    /// The answer to encoded bytes, or the error.
    func answer(_ path: String, _ bytes: [UInt8]) async -> Result<[UInt8], RPCError> {
        do throws(RPCError) {
            return .success(try await channel.unary(path, bytes))
        } catch {
            return .failure(error)
        }
    }

    static func bytes<Request: CodedMessage, Response: CodedMessage>(
        _ method: Protobuf.Method<Request, Response>, _ request: Request
    ) throws(CodecError) -> [UInt8] {
        try Arena.temporary { (arena) throws(CodecError) in
            try method.requestCoder.bytes(request, arena)
        }
    }

    func stop() async {
        await channel.close()
        await server.shutDownGracefully { self.readers.close() }
    }
}

/// The model, whose rows can be as if they were only on disk, with a disk that can be held.
final class ColdStore: Store {
    let isCold = Atomic(false)
    let holdsDisk = Atomic(false)
    let gate = DispatchSemaphore(value: 0)
    let begun = Turnstile()
    /// Passed once for each read that was tried in memory.
    let tried = Turnstile()
    private let inner = MemoryStore()
    private let journal = Mutex<[Reach]>([])

    let holdsRows: Bool

    init(holdsRows: Bool) {
        self.holdsRows = holdsRows
    }

    var isLocal: Bool { true }
    var reads: [Reach] { journal.withLock { $0 } }

    func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        journal.withLock { $0.append(reach) }
        if reach == .memory { tried.signal() }
        if reach == .memory, isCold.load(ordering: .relaxed) {
            throw StorageError(.notInMemory, "on purpose")
        }
        if reach == .disk, holdsDisk.exchange(false, ordering: .relaxed) {
            begun.signal()
            gate.wait()
        }
        return try inner.read(reaching: reach, body)
    }

    func snapshot() throws(StorageError) -> any Snapshot { try inner.snapshot() }

    func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try inner.write(touching: partitions, body)
    }

    func close() { inner.close() }
}
