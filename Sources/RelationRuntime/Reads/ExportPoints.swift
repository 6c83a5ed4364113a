import GRPC
package import RPC
package import RelationCalls
package import RelationCore
package import RelationModel
package import Storage
import Synchronization

/// The snapshots of the store that exports read: each is kept while it is read, and for a while
/// afterwards.
///
/// Each app has a few of its own. A new snapshot evicts the oldest one that no stream reads. If
/// streams read all of them, the new one is refused. A store that has a bound for snapshots has one
/// for those of all apps together, by the same rule. Only an operator then gets one more, which is
/// kept in reserve and passes both bounds.
package final class ExportPoints: Sendable {
    /// One snapshot of one app.
    ///
    /// `@unchecked Sendable`: the registry's lock guards all variables.
    package final class Point: @unchecked Sendable {
        package let id: UInt64
        let app: UInt32
        /// The history of the app that it shows.
        let history: UInt64
        package let time: Timestamp
        /// Nil until it is taken, and after its release; a lock of its own guards it.
        private let snapshot: Mutex<(any Snapshot)?>
        /// Whether it uses the reserve for operators.
        fileprivate let isReserved: Bool
        /// Streams that have not ended.
        fileprivate var streams = 0
        /// Reads under way, which keep the snapshot open.
        fileprivate var reads = 0
        fileprivate var lastUseMs: Int64
        fileprivate var isGone = false

        fileprivate init(
            id: UInt64, app: App, time: Timestamp, snapshot: (any Snapshot)?, isReserved: Bool
        ) {
            self.id = id
            self.app = app.id
            history = app.history.id
            self.time = time
            self.snapshot = Mutex(snapshot)
            self.isReserved = isReserved
            lastUseMs = time.milliseconds
        }

        /// The snapshot of the store, taken now if there is none yet.
        ///
        /// No read of the point is answered before there is one, so all see the same.
        fileprivate func taken(from store: any Store) throws(StorageError) -> any Snapshot {
            try snapshot.withLock { (known) throws(StorageError) in
                if let known { return known }
                let made = try store.longSnapshot()
                known = made
                return made
            }
        }

        /// Whether the store has lost the snapshot.
        fileprivate var isLost: Bool { snapshot.withLock { $0?.isLost ?? false } }

        fileprivate func release() {
            snapshot.withLock { known in
                known?.close()
                known = nil
            }
        }
    }

    fileprivate struct State {
        var points: [UInt64: Point] = [:]
        /// Begins at random, so that a token from before a restart names no snapshot of this
        /// process.
        var lastID = UInt64.random(in: 1...(1 << 62))
        var isStopped = false
    }

    private let store: any Store
    /// The snapshots of all apps that may be kept.
    private let most: Int
    private let state = Mutex(State())

    /// - Parameter mostSnapshots: How many snapshots the store may have; nil for the store's own
    ///   number.
    package init(of store: any Store, mostSnapshots: Int? = nil) {
        self.store = store
        let bound = mostSnapshots ?? store.mostSnapshots
        most = bound.map { max(1, $0 / RuntimeLimits.partOfSnapshots) } ?? .max
    }

    /// The number of snapshots that are kept.
    package var count: Int { state.withLock { $0.points.count } }

    // MARK: Streams

    /// Keeps a snapshot of the store as it is now for a new export of the app of `call`.
    ///
    /// A store over a network is asked for it by the first read, which no loop waits for.
    package func begin(_ call: Call) throws(RPCError) -> Point {
        let (app, now) = (call.app.id, call.now)
        forget(at: now)
        return try state.withLock { (state) throws(RPCError) in
            guard !state.isStopped else { throw .stopping }
            let hasOwn = state.makeRoom(for: Limits.openExportsPerApp) {
                $0.app == app && !$0.isReserved
            }
            let hasRoom = hasOwn && state.makeRoom(for: most) { !$0.isReserved }
            if !hasRoom {
                guard call.isOperator,
                    state.makeRoom(for: Limits.openExportsInReserve, among: \.isReserved)
                else { throw hasOwn ? .tooManyExportsOfAll : .tooManyExports }
            }
            state.lastID += 1
            let snapshot: (any Snapshot)?
            do throws(StorageError) {
                snapshot = store.isLocal ? try store.longSnapshot() : nil
            } catch {
                throw RPCError(error)
            }
            let point = Point(
                id: state.lastID, app: call.app, time: now, snapshot: snapshot,
                isReserved: !hasRoom)
            point.streams = 1
            state.points[point.id] = point
            return point
        }
    }

    /// Returns the snapshot of that number, for another stream of its export.
    package func resume(_ id: UInt64, _ app: App, at now: Timestamp) throws(RPCError) -> Point {
        forget(at: now)
        let point: Point? = try state.withLock { (state) throws(RPCError) in
            guard !state.isStopped else { throw .stopping }
            guard let point = state.points[id], point.app == app.id,
                point.history == app.history.id
            else { return nil }
            point.streams += 1
            return point
        }
        guard let point else { throw .pointGone }
        return point
    }

    /// A stream has ended.
    package func end(_ point: Point, at now: Timestamp) {
        state.withLock { _ in
            point.streams -= 1
            point.lastUseMs = max(point.lastUseMs, now.milliseconds)
        }
    }

    /// Drops a snapshot whose only stream has ended, and of which no client has a token.
    package func discard(_ point: Point) {
        state.withLock { $0.drop(point) }
    }

    /// - Parameter gone: The error to throw if the snapshot is no longer kept.
    package func read<Result>(
        _ point: Point, at now: Timestamp, gone: RPCError = .pointGone,
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(RPCError) -> Result {
        try state.withLock { (state) throws(RPCError) in
            guard !point.isGone else { throw state.isStopped ? .stopping : gone }
            point.reads += 1
            point.lastUseMs = max(point.lastUseMs, now.milliseconds)
        }
        defer {
            state.withLock { _ in
                point.reads -= 1
                point.closeIfIdle()
            }
        }
        do throws(StorageError) {
            return try point.taken(from: store).read(body)
        } catch {
            // Its tokens are good no more: the export begins again.
            if point.isLost { state.withLock { $0.drop(point) } }
            throw RPCError(error)
        }
    }

    /// Runs `body` on the store as it is now.
    package func readNow<Result>(
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(RPCError) -> Result {
        do throws(StorageError) {
            return try store.read(body)
        } catch {
            throw RPCError(error)
        }
    }

    // MARK: The end

    /// Drops the snapshots that no stream has read for too long, and those that are too old.
    package func forget(at now: Timestamp) {
        let horizon = now.milliseconds - Limits.exportMilliseconds
        let oldest = now.milliseconds - Limits.exportLifeMilliseconds
        state.withLock { state in
            for point in state.points.values
            where point.time.milliseconds < oldest
                || point.streams == 0 && point.lastUseMs < horizon
            {
                state.drop(point)
            }
        }
    }

    /// Drops all snapshots: streams under way fail, and so do new ones.
    package func stop() {
        state.withLock { state in
            state.isStopped = true
            for point in state.points.values { state.drop(point) }
        }
    }
}

extension ExportPoints.State {
    fileprivate mutating func drop(_ point: ExportPoints.Point) {
        points[point.id] = nil
        point.isGone = true
        point.closeIfIdle()
    }

    /// Makes room for one more of some snapshots, of which `limit` may be kept.
    ///
    /// - Returns: Whether there is room; if not, streams are reading all of them.
    fileprivate mutating func makeRoom(
        for limit: Int, among isOne: (ExportPoints.Point) -> Bool
    ) -> Bool {
        let kept = points.values.filter(isOne)
        guard kept.count >= limit else { return true }
        let idle = kept.filter { $0.streams == 0 }
        guard let oldest = idle.min(by: { $0.id < $1.id }) else { return false }
        drop(oldest)
        return true
    }
}

extension ExportPoints.Point {
    fileprivate func closeIfIdle() {
        if isGone, reads == 0 { release() }
    }
}

extension RPCError {
    /// Streams are reading as many snapshots as the caller may have.
    fileprivate static var tooManyExports: RPCError {
        let limit = Limits.openExportsPerApp
        return RPCError(
            .resourceExhausted, .tooManyExports,
            "\(limit) exports or checks of the app are under way; try again when one has ended",
            metadata: ["limit": "\(limit)", "actual": "\(limit)"],
            .retryAfter(milliseconds: 60_000))
    }

    /// Streams are reading as many snapshots of all apps as may be kept.
    fileprivate static var tooManyExportsOfAll: RPCError {
        RPCError(
            .resourceExhausted, .overloaded,
            "exports and checks of other apps take all snapshots; try again when one has ended",
            .retryAfter(milliseconds: 60_000))
    }

    package static var pointGone: RPCError {
        RPCError(
            .failedPrecondition, .pointGone,
            "resume_token: the server no longer keeps the snapshot of this export; begin it again")
    }
}
