import GRPC
import Logging
import Protobuf
import RelationAPI
import RelationAdmission
import RelationCalls
import RelationChanges
import RelationRuntime
import Storage
import Synchronization

/// The parts of a server that keep it in step with others of the same store.
final class Company: Sendable {
    let feed: FeedFollower
    private let shared: SharedApps
    private let presence: SharedPresence
    private let listener: PeerListener
    private let tables: TableWatch

    init(
        _ store: any Store, _ peers: any StorePeers, _ apps: Apps, _ changes: ChangeHub,
        _ board: PresenceBoard, _ clock: StoreClock, _ health: Health, _ logger: Logger
    ) {
        let feed = FeedFollower(store, peers, changes)
        let presence = SharedPresence(board, peers, clock: clock.service)
        let condition = Condition(health)
        let shared = SharedApps(peers, apps) { state in
            let isServing = if case .serving = state { true } else { false }
            condition.set { $0.isAway = !isServing }
            switch state {
            case .serving: logger.notice("the store is back")
            case .lapsed: logger.error("the store is away: calls are refused until it is back")
            case .stalled(let reason):
                logger.error("health says NOT_SERVING until the store answers: \(reason)")
            case .wentBack(let fault): logger.critical("\(fault.message)")
            }
        }
        tables = TableWatch(peers, clock) { fault in
            condition.set { $0.isBroken = fault != nil }
            if let fault {
                logger.error("the tables of the store cannot be used: \(fault.message)")
            } else {
                logger.notice("the tables of the store can be used again")
            }
        }
        self.feed = feed
        self.shared = shared
        self.presence = presence
        listener = PeerListener(peers) { news in
            // Words that were lost may have been about anything.
            if news.isEmpty || news.contains(.registry) { shared.wake() }
            if news.isEmpty || news.contains(.feed) { feed.wake() }
            if news.isEmpty || news.contains(.notes) { presence.wake() }
        }
    }

    /// Takes the lease, without which no caller is let in.
    func start(_ committer: Committer) throws {
        // Before any other time is taken.
        try tables.start()
        try shared.start { committer.stall() }
        listener.start()
        feed.start()
        presence.start()
    }

    func stop() {
        listener.stop()
        feed.stop()
        presence.stop()
        tables.stop()
        shared.stop()
    }
}

/// The causes that keep a server from taking calls, told to those who ask for its health.
private final class Condition: Sendable {
    struct Causes {
        /// There is no lease, or no transaction comes to its end.
        var isAway = false
        /// A table is gone or locked.
        var isBroken = false
    }

    private let health: Health
    private let causes = Mutex(Causes())

    init(_ health: Health) {
        self.health = health
    }

    func set(_ change: (inout Causes) -> Void) {
        causes.withLock { causes in
            change(&causes)
            let isServing = !causes.isAway && !causes.isBroken
            for service in Set(ServiceTable.all.map(\.service)).union([""]) {
                health.set(isServing ? .serving : .notServing, for: service)
            }
        }
    }
}
