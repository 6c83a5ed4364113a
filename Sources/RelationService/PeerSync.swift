package import GRPC
import GRPCWire
package import Logging
import Protobuf
import RelationAPI
package import RelationAdmission
package import RelationChanges
package import RelationRuntime
package import Storage
import Synchronization

/// The parts of a server that keep it in step with others of the same store.
package final class PeerSync: Sendable {
    package let feed: FeedFollower
    private let shared: SharedApps
    private let presence: SharedPresence
    private let listener: PeerListener
    private let tables: TableWatch
    private let condition: Condition
    /// Learns that the directory of a fleet may have changed.
    private let directory: DirectoryNote

    package init(
        _ store: any Store, _ peers: any StorePeers, _ apps: Apps, _ changes: ChangeHub,
        _ board: PresenceBoard, _ clock: StoreClock, _ health: Health, _ logger: Logger,
        threads: ThreadSource = .system
    ) {
        let feed = FeedFollower(store, peers, changes, threads: threads)
        let presence = SharedPresence(board, peers, clock: clock.service, threads: threads)
        let condition = Condition(health)
        self.condition = condition
        let directory = DirectoryNote()
        self.directory = directory
        let shared = SharedApps(peers, apps, threads: threads) { state in
            let cause: String?
            switch state {
            case .serving:
                cause = nil
                logger.notice("the store is back")
            case .lapsed:
                let words = "the store is away: calls are refused until it is back"
                cause = words
                logger.error("\(words)")
            case .stalled(let reason):
                cause = "the store does not answer: \(reason)"
                logger.error("health says NOT_SERVING until the store answers: \(reason)")
            case .lostData(let error):
                cause = error.message
                logger.critical("\(error.message)")
            }
            condition.set { $0.away = cause }
        }
        tables = TableWatch(peers, clock, threads: threads) { error in
            let cause = error.map { "the tables of the store cannot be used: \($0.message)" }
            condition.set { $0.broken = cause }
            if let cause {
                logger.error("\(cause)")
            } else {
                logger.notice("the tables of the store can be used again")
            }
        }
        self.feed = feed
        self.shared = shared
        self.presence = presence
        listener = PeerListener(peers, threads: threads) { news in
            // Words that were lost may have been about anything.
            if news.isEmpty || news.contains(.registry) { shared.wake() }
            if news.isEmpty || news.contains(.feed) { feed.wake() }
            if news.isEmpty || news.contains(.notes) { presence.wake() }
            if news.isEmpty || news.contains(.directory) { directory.wake() }
        }
    }

    /// Why this server is to get no calls; nil if it may.
    package var trouble: String? { condition.trouble }

    /// Has `body` called when the directory of the fleet may have changed.
    package func whenDirectoryChanges(_ body: @escaping @Sendable () -> Void) {
        directory.body.withLock { $0 = body }
    }

    /// Takes the lease, without which no caller is admitted.
    package func start(_ committer: Committer) throws {
        // Before any other time is taken.
        try tables.start()
        try shared.start { committer.stall() }
        listener.start()
        feed.start()
        presence.start()
    }

    package func stop() {
        listener.stop()
        feed.stop()
        presence.stop()
        tables.stop()
        shared.stop()
    }
}

/// The one that waits for changes of a directory; nil if the store has none.
private final class DirectoryNote: Sendable {
    let body = Mutex<(@Sendable () -> Void)?>(nil)

    func wake() { body.withLock { $0 }?() }
}

/// The causes that keep a server from taking calls, reported to those who ask for its health.
private final class Condition: Sendable {
    struct Causes {
        /// There is no lease, or no transaction comes to its end.
        var away: String?
        /// A table is gone or locked.
        var broken: String?

        /// Without a lease it is not known how the tables are.
        var first: String? { away ?? broken }
    }

    private let health: Health
    private let causes = Mutex(Causes())

    init(_ health: Health) {
        self.health = health
    }

    var trouble: String? { causes.withLock { $0.first } }

    func set(_ change: (inout Causes) -> Void) {
        causes.withLock { causes in
            change(&causes)
            for service in Set(ServiceTable.all.map(\.service)).union([""]) {
                health.set(causes.first == nil ? .serving : .notServing, for: service)
            }
        }
    }
}
