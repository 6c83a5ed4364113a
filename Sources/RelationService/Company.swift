import GRPC
import Logging
import Protobuf
import RelationAPI
import RelationAdmission
import RelationCalls
import RelationChanges
import RelationRuntime
import Storage

/// The parts of a server that keep it in step with others of the same store.
final class Company: Sendable {
    let feed: FeedFollower
    private let shared: SharedApps
    private let presence: SharedPresence
    private let listener: PeerListener

    init(
        _ store: any Store, _ peers: any StorePeers, _ apps: Apps, _ changes: ChangeHub,
        _ board: PresenceBoard, _ clock: ServiceClock, _ health: Health, _ logger: Logger
    ) {
        let feed = FeedFollower(store, peers, changes)
        let presence = SharedPresence(board, peers, clock: clock)
        let shared = SharedApps(peers, apps) { state in
            let isServing = if case .serving = state { true } else { false }
            for service in Set(ServiceTable.all.map(\.service)).union([""]) {
                health.set(isServing ? .serving : .notServing, for: service)
            }
            switch state {
            case .serving: logger.notice("the store is back")
            case .lapsed: logger.error("the store is away: calls are refused until it is back")
            case .stalled(let reason):
                logger.error("health says NOT_SERVING until the store answers: \(reason)")
            case .wentBack(let fault): logger.critical("\(fault.message)")
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
        try shared.start { committer.stall() }
        listener.start()
        feed.start()
        presence.start()
    }

    func stop() {
        listener.stop()
        feed.stop()
        presence.stop()
        shared.stop()
    }
}
