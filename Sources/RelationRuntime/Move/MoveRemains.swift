package import RelationCore
package import Storage

/// Clears a database of what moves that ended have left of an app that does not live there.
///
/// Such remains are rows that came by a move which was given up without this database. Others are
/// rows that were not removed before the app moved on, and triggers. The last one is the note that
/// keeps the app's number from being given out. It goes only if no database has the app any more.
package final class MoveRemains {
    /// The other databases.
    package struct Others {
        /// The parts of the app that a database has, by its name; nil if there is no such database
        /// any more.
        package let traces: (String) throws(StorageError) -> AppTraces?
        /// The databases where the app may live, as far as anything beside the notes says so.
        package let places: () throws(StorageError) -> [String]

        package init(
            traces: @escaping (String) throws(StorageError) -> AppTraces?,
            places: @escaping () throws(StorageError) -> [String]
        ) {
            (self.traces, self.places) = (traces, places)
        }
    }

    private let app: UInt32
    private let name: String
    private let store: any Store
    private let log: any MoveLog
    private let others: Others
    private let clock: MoveClock
    private let notify: (MoveNote) -> Void
    private var pace: MovePace

    /// - Parameters:
    ///   - name: The name of the database, by which others note it.
    ///   - log: The one of moves that leave the database.
    ///   - rate: The most rows that are removed in a second.
    package init(
        of app: UInt32, in name: String, _ store: any Store, log: any MoveLog, others: Others,
        rate: Int = MoveLimits.rowsPerSecond, clock: MoveClock,
        notify: @escaping (MoveNote) -> Void = { _ in }
    ) {
        (self.app, self.name, self.store, self.log) = (app, name, store, log)
        (self.others, self.clock, self.notify) = (others, clock, notify)
        pace = MovePace(rate: rate, at: clock.milliseconds())
    }

    /// - Parameter force: Whether it takes over from a mover that was there just now.
    /// - Throws: ``StorageError``: `foreign` if the app lives there or is on its way there, or if
    ///   nothing of it is left. `locked` if a mover is there. `unavailable` if a database is away
    ///   that has to be asked.
    package func clear(takingOver force: Bool = false) throws(StorageError) {
        let found = try traces()
        guard !found.isThere else { throw refusal("app \(app) lives there") }
        guard found.move != nil || found.hasRows else {
            throw refusal("nothing of app \(app) is left there")
        }
        let ended = try endedMove(found)
        try log.take(force: force)
        try log.end()
        var rows: Int64 = 0
        while true {
            let limit = pace.rows
            let removed = try write { [app] (transaction) throws(StorageError) in
                try AppRemains.removeRows(of: app, ended: ended, limit: limit, in: transaction)
            }
            rows += Int64(removed)
            guard removed == limit else { break }
            let wait = pace.handled(removed, at: clock.milliseconds())
            if wait > 0 { clock.pause(wait) }
            try log.beat()
        }
        notify(.removing(rows: rows))
        let isFree = try isGone(try traces().move)
        if isFree {
            try write { [app] (transaction) throws(StorageError) in
                try AppRemains.forget(app, in: transaction)
            }
        }
        try log.leave()
        notify(.cleared(isFree: isFree))
    }

    /// The move by which rows have come, if it has certainly ended; nil if the database notes none
    /// by which rows come.
    private func endedMove(_ found: AppTraces) throws(StorageError) -> UInt64? {
        guard let move = found.move, move.state == .arriving else { return nil }
        let origin = try others.traces(move.other)?.move
        guard let origin, origin.id == move.id else { return move.id }
        throw refusal(
            "app \(app) comes there from \(move.other), which knows of the move: cancel it, or run "
                + "it to its end")
    }

    /// Whether no other database has the app.
    private func isGone(_ move: AppMoveRecord?) throws(StorageError) -> Bool {
        var seen: Set<String> = [name]
        var next = try others.places() + [move?.other].compactMap { $0 }
        while let other = next.popLast() {
            guard seen.insert(other).inserted, let found = try others.traces(other) else {
                continue
            }
            guard !found.isThere, !found.hasRows, found.move?.state != .arriving else {
                return false
            }
            if let move = found.move, move.state == .left { next.append(move.other) }
        }
        return true
    }

    private func traces() throws(StorageError) -> AppTraces {
        try store.read { [app] (transaction) throws(StorageError) in
            try AppTraces(of: app, in: transaction)
        }
    }

    private func write<Result>(
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try store.write(touching: [App.lockPartition(of: app)], body)
    }

    private func refusal(_ words: String) -> StorageError { StorageError(.foreign, words) }
}
