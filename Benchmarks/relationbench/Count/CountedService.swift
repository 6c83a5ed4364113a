import GRPC
import Logging
import Memory
import NIOCore
import NIOEmbedded
import Protobuf
import RelationAdmission
import RelationCalls
import RelationChanges
import RelationCore
import RelationModel
import RelationRuntime
import RelationService
import Storage
import Synchronization

/// The service on one thread, without sockets and without a clock: the same calls cost the same
/// instructions.
///
/// All that other threads do in a server runs in ``settle()``. The time stands still, so no turn,
/// no batch and no call ends by it.
final class CountedService {
    /// The time of all calls and rows.
    static let now = Timestamp(milliseconds: 1_790_000_000_000)
    static let app = BenchData.app

    let store: any Store
    let eventLoop = EmbeddedEventLoop()
    let delivery: CountedDelivery
    private let loop: ServerLoop
    private let committer: Committer
    private let commits = WorkThread("committer", isDriven: true)
    private let pools: [Readers]
    private let pieces = WaitingPieces()
    private let arena = Arena()
    /// The headers with which calls come.
    let headers: CountedHeaders

    /// - Parameters:
    ///   - memory: The memory that answers reads; nil for that of a server.
    ///   - app: The app of the calls.
    ///   - observer: The observer that is notified of each call.
    ///   - headers: The headers with which calls come.
    ///   - isAdministrator: Whether the caller has the scope `admin`.
    init(
        _ store: any Store, memory: ReadCache? = nil, app: App = CountedService.app,
        observer: (any CallObserver)? = nil, headers: CountedHeaders = .repeated,
        isAdministrator: Bool = false
    ) {
        (self.store, self.headers) = (store, headers)
        eventLoop.advanceTime(to: .uptimeNanoseconds(CountLimits.loopNanoseconds))
        let clock = ServiceClock { Self.now }
        let readers = ReaderPools(threads: 0)
        pools = [readers.scans, readers.long, readers.misses]
        let presence = PresenceBoard()
        // No time passes in which a caller earns further calls.
        let authenticator = BenchKey.authenticator(
            for: app, loops: 1,
            scopes: [.read, .write, .watch] + (isAdministrator ? [.admin] : []),
            rate: Rate(perSecond: 1, burst: CountLimits.allowedCalls), clock: clock)
        // As a server does by itself.
        authenticator.apps.counted.begin(atMost: CountLimits.countedApps)
        let changes = ChangeHub(
            store: store, apps: authenticator.apps, clock: clock,
            readers: WatchReaders(readers.scans),
            presence: presence, run: { [pieces] in pieces.add($0) })
        delivery = CountedDelivery(changes)
        committer = Committer(
            store: store, apps: authenticator.apps, listener: delivery, memory: memory,
            clock: { CountLimits.loopNanoseconds }, workClock: { 0 }, thread: commits)
        let router = Router(
            store: store, committer: committer, readers: readers, changes: changes,
            authenticator: authenticator,
            clock: clock, presence: presence)
        RelationServer.registerCalls(in: router)
        var logger = Logger(label: "relationbench")
        logger.logLevel = .warning
        var configuration = ServerConfiguration()
        configuration.observer = observer
        configuration.callGroups = authenticator.apps.counted.groupCount
        loop = ServerLoop([router], on: eventLoop, configuration: configuration, logger: logger)
    }

    deinit { arena.free() }

    /// Serves the connection of a channel of ``eventLoop``.
    func serve(_ channel: EmbeddedChannel) throws { try loop.serve(channel) }

    /// Does all the work that waits, and all that follows from it.
    func settle() {
        repeat {
            // The writes that came since the last time make one batch, for the clocks stand still.
            commits.wait()
            for pool in pools { pool.runWaiting(in: arena) }
            eventLoop.run()
        } while delivery.part(deliver) || pools.contains { $0.waitingCount > 0 }
    }

    /// - Returns: Whether the streams had anything to be sent, or to do.
    private func deliver() -> Bool {
        guard pieces.run() else { return false }
        eventLoop.run()
        return true
    }

    func close() {
        loop.closeAll()
        loop.cancelTimers()
        settle()
    }
}

/// Work that the hub of changes hands to a thread of its own in a server.
private final class WaitingPieces: Sendable {
    typealias Piece = @Sendable () -> Void

    private let pieces = Mutex<[Piece]>([])

    func add(_ piece: @escaping Piece) { pieces.withLock { $0.append(piece) } }

    /// Runs what waits.
    ///
    /// - Returns: Whether anything waited.
    func run() -> Bool {
        let waiting = pieces.withLock { pieces in
            defer { pieces = [] }
            return pieces
        }
        for piece in waiting { piece() }
        return !waiting.isEmpty
    }
}
