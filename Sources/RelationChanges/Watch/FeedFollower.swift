package import GRPC
package import Meters
import Protobuf
import RelationAdmission
package import RelationCore
import RelationModel
import RelationRuntime
package import Storage
import Synchronization

/// Tells the hub of the events that every server of a shared store commits, in the order of the
/// feed.
///
/// The events of this server take the same way as those of others: between two of them there may be
/// one of another server, and a token names a point of the feed. So the follower reads the feed of
/// each app that a stream follows, from the point that it has come to. It looks when this server
/// has committed, when another one tells of a commit, and now and then.
package final class FeedFollower: CommitListener, Sendable {
    private struct State {
        /// How far each app's feed was read, for the apps that streams follow.
        var reached: [UInt32: Int64] = [:]
        /// Whether a look waits for its turn.
        var isWoken = false
        var isStopped = false
    }

    private let store: any Store
    private let hub: ChangeHub
    private let thread = WorkThread("feed")
    private let state = Mutex(State())
    /// Its thread alone changes it.
    private let meter = MeterHistogram(.latency)

    package init(_ store: any Store, _ hub: ChangeHub) {
        self.store = store
        self.hub = hub
        hub.followApps { [weak self] app, position in self?.follow(app, from: position) }
    }

    /// Begins to look now and then.
    package func start() {
        thread.run(afterMilliseconds: WatchLimits.feedLookMilliseconds) { [weak self] in
            guard let self, !self.state.withLock({ $0.isStopped }) else { return }
            self.look()
            self.start()
        }
    }

    package func stop() {
        state.withLock { $0.isStopped = true }
        thread.wait()
    }

    /// How old the events were, by the clocks of both servers, when they were read.
    package var lags: HistogramReading { meter.reading }

    package func committed(_ events: [EventRow]) -> Bool { !events.isEmpty }

    package func deliver(with work: LoopWork) {
        var work = work
        work.post()
        wake()
    }

    /// Looks at the feeds soon.
    package func wake() {
        let isNew = state.withLock { state in
            guard !state.reached.isEmpty, !state.isWoken, !state.isStopped else { return false }
            state.isWoken = true
            return true
        }
        guard isNew else { return }
        thread.run { [weak self] in
            // Before the look: a later word leads to another one.
            self?.state.withLock { $0.isWoken = false }
            self?.look()
        }
    }

    /// - Parameter position: The point from which on events are told; nil if no stream follows the
    ///   app any more.
    private func follow(_ app: UInt32, from position: Int64?) {
        state.withLock { $0.reached[app] = position }
    }

    private func look() {
        for (app, position) in state.withLock({ $0.reached }) { look(app, position) }
    }

    private func look(_ app: UInt32, _ position: Int64) {
        var position = position
        while true {
            do throws(StorageError) {
                let part = try store.read { (transaction) throws(StorageError) in
                    try FeedPart(of: app, after: position, in: transaction)
                }
                guard part.last > position else { return }
                let now = hub.now.milliseconds
                for time in part.times {
                    meter.record(UInt64(clamping: now - time) * 1_000_000)
                }
                if hub.committed(part.rows) { hub.deliver(with: LoopWork()) }
                position = part.last
                let goesOn = state.withLock { state in
                    // The streams may have gone meanwhile, and others may have come.
                    guard let known = state.reached[app], known < position else { return false }
                    state.reached[app] = position
                    return part.hasMore && !state.isStopped
                }
                guard goesOn else { return }
            } catch {
                // The store is away; the next look reads the same events.
                return
            }
        }
    }
}

/// Events of an app's feed as the rows that a committer would have told of.
private struct FeedPart {
    private(set) var rows: [EventRow] = []
    /// The position of the last event.
    private(set) var last: Int64
    /// When the events of each row were made, in milliseconds.
    private(set) var times: [Int64] = []
    /// Whether there is more behind it.
    private(set) var hasMore = false

    /// Reads the next rows of the feed behind a position, and the events that they name.
    init(
        of app: UInt32, after position: Int64, in transaction: any ReadTransaction
    ) throws(StorageError) {
        last = position
        let table = Tables.feed
        let lane = App.lockPartition(of: app)
        var feed: [EventRow] = []
        var named: [FeedRecord] = []
        var isBroken = false
        try table.scan(
            table.rows(of: lane, after: UInt64(max(0, position))),
            limit: WatchLimits.feedRowsPerLook, in: transaction
        ) { end, bytes in
            guard let record = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            named.append(record)
            feed.append(EventRow(key: table.key(lane, end), value: Array(bytes)))
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "a row of the feed does not decode") }
        times = named.map(\.timeMs)
        hasMore = feed.count == WatchLimits.feedRowsPerLook
        if let key = feed.last?.key { last = key.number }
        var keys = KeyList()
        for record in named {
            for event in record.events where event.event == nil {
                let user = Partition(app: app, name: event.userID.utf8)
                Tables.changes.add(user, UInt64(event.sequence), to: &keys)
            }
        }
        var rows: [EventRow] = []
        // An event may be gone with its account, or with its time.
        try transaction.read(keys) { index, bytes in
            guard let bytes else { return }
            rows.append(EventRow(key: keys[index], value: Array(bytes)))
        }
        self.rows = rows + zip(feed, named).filter { $0.1.hasOwnEvents }.map(\.0)
    }
}
