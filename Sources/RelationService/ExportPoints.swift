import GRPC
import RelationCore
import RelationModel
import Storage
import Synchronization

/// The moments that exports show: each is kept while it is read, and for a while afterwards.
package final class ExportPoints: Sendable {
    /// One moment of one app.
    ///
    /// `@unchecked Sendable`: the registry's lock guards what changes.
    final class Point: @unchecked Sendable {
        let id: UInt64
        let app: UInt32
        let time: Timestamp
        let snapshot: any Snapshot
        /// Streams that have not ended.
        fileprivate var streams = 0
        /// Reads under way, which keep the snapshot open.
        fileprivate var reads = 0
        fileprivate var lastUseMs: Int64
        /// Whether all of it was sent once.
        fileprivate var isComplete = false
        fileprivate var isGone = false

        fileprivate init(id: UInt64, app: UInt32, time: Timestamp, snapshot: any Snapshot) {
            self.id = id
            self.app = app
            self.time = time
            self.snapshot = snapshot
            lastUseMs = time.milliseconds
        }
    }

    fileprivate struct State {
        var points: [UInt64: Point] = [:]
        /// Begins at random, so that a token of before a restart names no moment of now.
        var lastID = UInt64.random(in: 1...(1 << 62))
        var isStopped = false
    }

    private let state = Mutex(State())

    package init() {}

    /// How many moments are kept.
    package var count: Int { state.withLock { $0.points.count } }

    // MARK: Streams

    /// Keeps the present moment of `app` for a new export.
    func begin(_ app: App, _ store: any Store, at now: Timestamp) throws(RPCError) -> Point {
        forget(at: now)
        let point: Point? = try state.withLock { (state) throws(RPCError) in
            guard !state.isStopped else { throw .stopping }
            if state.points.count >= Limits.openExports { state.dropComplete() }
            guard state.points.count < Limits.openExports else { return nil }
            state.lastID += 1
            let snapshot: any Snapshot
            do throws(StorageError) {
                snapshot = try store.snapshot()
            } catch {
                throw RPCError(error)
            }
            let point = Point(id: state.lastID, app: app.id, time: now, snapshot: snapshot)
            point.streams = 1
            state.points[point.id] = point
            return point
        }
        guard let point else { throw .exportsFull }
        return point
    }

    /// The moment of that number, for another stream of its export.
    func resume(_ id: UInt64, _ app: App, at now: Timestamp) throws(RPCError) -> Point {
        forget(at: now)
        let point: Point? = try state.withLock { (state) throws(RPCError) in
            guard !state.isStopped else { throw .stopping }
            guard let point = state.points[id], point.app == app.id else { return nil }
            point.streams += 1
            return point
        }
        guard let point else { throw .pointGone }
        return point
    }

    /// A stream has ended.
    func end(_ point: Point, isComplete: Bool, at now: Timestamp) {
        state.withLock { _ in
            point.streams -= 1
            point.isComplete = point.isComplete || isComplete
            point.lastUseMs = max(point.lastUseMs, now.milliseconds)
        }
    }

    /// The only stream of a moment has ended, and nobody has a token for it.
    func discard(_ point: Point) {
        state.withLock { $0.drop(point) }
    }

    func read<Result>(
        _ point: Point, at now: Timestamp,
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(RPCError) -> Result {
        let begins = state.withLock { _ in
            guard !point.isGone else { return false }
            point.reads += 1
            point.lastUseMs = max(point.lastUseMs, now.milliseconds)
            return true
        }
        guard begins else { throw .stopping }
        defer {
            state.withLock { _ in
                point.reads -= 1
                point.closeIfIdle()
            }
        }
        do throws(StorageError) {
            return try point.snapshot.read(body)
        } catch {
            throw RPCError(error)
        }
    }

    // MARK: The end

    /// Lets go of the moments that nobody has read for too long.
    func forget(at now: Timestamp) {
        let horizon = now.milliseconds - Limits.exportMilliseconds
        state.withLock { state in
            for point in state.points.values
            where point.streams == 0 && point.lastUseMs < horizon {
                state.drop(point)
            }
        }
    }

    /// Lets go of all: streams that go on fail, and so do new ones.
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

    /// Makes room: an export that came to its end is needed by nobody but one who lost the end.
    fileprivate mutating func dropComplete() {
        let complete = points.values.filter { $0.isComplete && $0.streams == 0 }
        if let oldest = complete.min(by: { $0.lastUseMs < $1.lastUseMs }) { drop(oldest) }
    }
}

extension ExportPoints.Point {
    fileprivate func closeIfIdle() {
        if isGone, reads == 0 { snapshot.close() }
    }
}

extension RPCError {
    fileprivate static var exportsFull: RPCError {
        fault(
            .resourceExhausted, .exportsFull,
            "\(Limits.openExports) exports are open; try again when one has ended",
            .retryAfter(milliseconds: 60_000))
    }

    static var pointGone: RPCError {
        fault(
            .failedPrecondition, .pointGone,
            "token: the moment that the export shows is not kept any more; begin it anew")
    }
}
