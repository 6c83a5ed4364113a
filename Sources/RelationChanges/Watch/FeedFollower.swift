package import GRPC
package import Meters
import Protobuf
import RelationAdmission
package import RelationCore
import RelationModel
package import RelationRuntime
package import Storage
import Synchronization

/// Reports to the hub the events that every server of a shared store commits, in the order of the
/// feed.
///
/// The events of this server take the same way as those of others: between two of them there may be
/// one of another server, and a token names a position of the feed. So the follower reads the feed
/// of each app that a stream follows, from the position that it has come to. It polls when this
/// server has committed, when another one reports a commit, and from time to time.
///
/// Each poll also reads again the last row that was sent. If that is another row now, or the feed
/// ends before it, the store has gone back to an earlier state.
package final class FeedFollower: CommitListener, Sendable {
    private struct State {
        /// How far each app's feed was read, for the apps that streams follow.
        var reached: [UInt32: Reached] = [:]
        /// Whether a poll is queued.
        var isWoken = false
        var isStopped = false
    }

    /// A position in a feed, and the row there as it was read; nil if it was not read.
    fileprivate struct Reached {
        var position: Int64
        var row: [UInt8]?
    }

    private let store: any Store
    private let peers: any StorePeers
    private let hub: ChangeHub
    private let thread: WorkThread
    private let state = Mutex(State())
    /// Its thread alone changes it.
    private let meter = MeterHistogram(.latency)

    package init(
        _ store: any Store, _ peers: any StorePeers, _ hub: ChangeHub,
        threads: ThreadSource = .system
    ) {
        thread = threads.make("feed")
        self.store = store
        self.peers = peers
        self.hub = hub
        hub.followApps { [weak self] app, position in self?.follow(app, from: position) }
    }

    /// Begins to poll from time to time.
    package func start() {
        thread.run(afterMilliseconds: WatchLimits.feedPollMilliseconds) { [weak self] in
            guard let self, !self.state.withLock({ $0.isStopped }) else { return }
            self.poll()
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

    /// Polls the feeds soon.
    package func wake() {
        let isNew = state.withLock { state in
            guard !state.reached.isEmpty, !state.isWoken, !state.isStopped else { return false }
            state.isWoken = true
            return true
        }
        guard isNew else { return }
        thread.run { [weak self] in
            // Before the poll: a later wake-up leads to another one.
            self?.state.withLock { $0.isWoken = false }
            self?.poll()
        }
    }

    /// - Parameter position: The position after which events are sent; nil if no stream follows the
    ///   app any more.
    private func follow(_ app: UInt32, from position: Int64?) {
        state.withLock { $0.reached[app] = position.map { Reached(position: $0) } }
    }

    /// Polls the feeds now, on the follower's thread or in a test.
    func poll() {
        for (app, reached) in state.withLock({ $0.reached }) { poll(app, reached) }
    }

    private func poll(_ app: UInt32, _ reached: Reached) {
        var reached = reached
        while true {
            do throws(StorageError) {
                let part = try store.read { (transaction) throws(StorageError) in
                    try FeedPart(of: app, after: reached, in: transaction)
                }
                guard !part.hasLostData else { return peers.noteRollback() }
                guard part.last.position > reached.position else {
                    return noteRow(part.last, of: app, at: reached.position)
                }
                let now = hub.now.milliseconds
                for time in part.times {
                    meter.record(UInt64(clamping: now - time) * 1_000_000)
                }
                if hub.committed(part.rows) { hub.deliver(with: LoopWork()) }
                reached = part.last
                let goesOn = state.withLock { state in
                    // The streams may have gone meanwhile, and others may have come.
                    guard let known = state.reached[app], known.position < reached.position else {
                        return false
                    }
                    state.reached[app] = reached
                    return part.hasMore && !state.isStopped
                }
                guard goesOn else { return }
            } catch {
                // The store is away; the next poll reads the same events.
                return
            }
        }
    }
}

extension FeedFollower {
    /// Keeps the row of a position at which streams began.
    private func noteRow(_ found: Reached, of app: UInt32, at position: Int64) {
        state.withLock { state in
            guard let known = state.reached[app], known.position == position, known.row == nil
            else { return }
            state.reached[app]?.row = found.row
        }
    }
}

/// Events of an app's feed as the rows that a committer would have reported.
private struct FeedPart {
    private(set) var rows: [EventRow] = []
    /// The position of the last event, and its row.
    private(set) var last: FeedFollower.Reached
    /// Whether the rows that were sent are gone.
    private(set) var hasLostData = false
    /// When the events of each row were made, in milliseconds.
    private(set) var times: [Int64] = []
    /// Whether there is more after it.
    private(set) var hasMore = false

    /// Reads the next rows of the feed after those that were sent, and the events that they name.
    init(
        of app: UInt32, after reached: FeedFollower.Reached, in transaction: any ReadTransaction
    ) throws(StorageError) {
        last = reached
        let table = Tables.feed
        let partition = App.feed(of: app)
        let range = table.rows(of: partition, after: UInt64(max(0, reached.position)))
        transaction.expect(range, .ascending, limit: WatchLimits.feedRowsPerRead)
        hasLostData = try isLost(reached, of: app, in: transaction)
        guard !hasLostData else { return }
        var feed: [EventRow] = []
        var named: [FeedRecord] = []
        var isBroken = false
        try table.scan(range, limit: WatchLimits.feedRowsPerRead, in: transaction) { end, bytes in
            guard let record = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            named.append(record)
            feed.append(EventRow(key: table.key(partition, end), value: Array(bytes)))
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "a row of the feed does not decode") }
        times = named.map(\.timeMs)
        hasMore = feed.count == WatchLimits.feedRowsPerRead
        if let row = feed.last { last = .init(position: row.key.number, row: row.value) }
        var keys = KeyList()
        for record in named {
            for event in record.events where event.event == nil && !event.isErased {
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

    /// Whether the store lacks the row that was sent last; takes the row of that position if it was
    /// not known.
    private mutating func isLost(
        _ reached: FeedFollower.Reached, of app: UInt32, in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        let partition = App.feed(of: app)
        var keys = KeyList()
        Tables.feedStates.add(partition, OnlyKey(), to: &keys)
        Tables.feed.add(partition, UInt64(max(0, reached.position)), to: &keys)
        var found: [[UInt8]?] = []
        try transaction.read(keys) { _, bytes in found.append(bytes.map { Array($0) }) }
        guard let bytes = found[0] else {
            // The rows of an app go with it.
            guard reached.position > 0 else { return false }
            return try AppRules.active(in: transaction)?.contains { $0.id == app } ?? false
        }
        let state = bytes.withUnsafeBytes { Tables.feedStates.decode($0, in: transaction.arena) }
        guard let state else {
            throw StorageError(.corrupted, "the state of the feed does not decode")
        }
        if state.position < reached.position { return true }
        guard let row = found[1] else {
            // Old rows are removed from the beginning on.
            return reached.row != nil && state.feedFloor < reached.position
        }
        guard let sent = reached.row, sent != row else {
            last.row = row
            return false
        }
        // An erasure takes events out of a row, and leaves it where it is.
        last.row = row
        let records = [sent, row].map { bytes in
            bytes.withUnsafeBytes { Tables.feed.decode($0, in: transaction.arena) }
        }
        guard let old = records[0], let new = records[1] else { return true }
        return !new.isLeft(of: old)
    }
}
