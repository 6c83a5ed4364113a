package import RelationModel
import Storage

/// Rules over apps that move from one database to another.
///
/// A move is a row in the registries of both. Each step is one transaction of one of them, and a
/// step that was taken may be taken again. A mover has a number, its run; a later one takes the
/// move up under the next number, first in the source and then in the target. From then on each
/// step of the earlier one is refused. So a mover that was stopped, and wakes later, does nothing.
///
/// Each transaction here has the lock of the app, which ``App/lockPartition(of:)`` names.
package enum AppMoves {
    /// One mover of one app.
    package struct Mover: Equatable, Sendable {
        package let app: UInt32
        /// The number of the move.
        package let id: UInt64
        package let run: UInt64

        package init(app: UInt32, id: UInt64, run: UInt64) {
            (self.app, self.id, self.run) = (app, id, run)
        }

        package init(_ app: UInt32, _ record: AppMoveRecord) {
            self.init(app: app, id: record.id, run: record.run)
        }
    }

    // MARK: The source

    /// Begins the move of an app, or takes up one that was begun.
    ///
    /// - Parameters:
    ///   - other: The database to which it goes.
    ///   - id: The number of the move, if it is a new one.
    /// - Returns: The move under the number of the caller's run.
    /// - Throws: ``StorageError`` with the code `foreign`: the app is not there, is being deleted,
    ///   comes from elsewhere, or goes or went somewhere else.
    package static func take(
        _ app: UInt32, to other: String, id: UInt64, at now: Timestamp,
        in transaction: any WriteTransaction
    ) throws(StorageError) -> AppMoveRecord {
        var record = try MovedApps.record(of: app, in: transaction) ?? AppMoveRecord()
        switch record.state {
        case .leaving, .closed, .left:
            guard record.other == other else {
                let verb = record.state == .left ? "lives in" : "is on its way to"
                throw refusal("app \(app) \(verb) \(record.other)")
            }
        case .arriving:
            throw refusal("app \(app) is only just coming, from \(record.other)")
        case .arrived, nil:
            let state = try AppRules.record(of: app, in: transaction)?.state
            guard let state else { throw refusal("there is no app \(app)") }
            guard state == .active else { throw refusal("app \(app) is being deleted") }
            record = AppMoveRecord()
            (record.id, record.other, record.state) = (id, other, .leaving)
            record.startedMs = now.milliseconds
        }
        record.run += 1
        try set(record, of: app, in: transaction)
        return record
    }

    /// Closes the app: from the next version of the registry on no server serves it.
    ///
    /// - Returns: That version.
    /// - Throws: ``StorageError`` with the code `locked` if another mover has the move; `foreign`
    ///   if the app is being deleted.
    package static func close(
        _ mover: Mover, in transaction: any WriteTransaction
    ) throws(StorageError) -> Int64 {
        try transaction.lock([App.registry.partition])
        var record = try checked(mover, .leaving, .closed, in: transaction)
        guard var app = try AppRules.record(of: mover.app, in: transaction),
            app.state == .active || app.state == .moving
        else { throw refusal("app \(mover.app) is being deleted") }
        if record.state == .leaving {
            (record.jobs, record.lastJob) = try Jobs.take(of: mover.app, in: transaction)
            record.state = .closed
            app.state = .moving
            try set(app, of: mover.app, in: transaction)
            try set(record, of: mover.app, in: transaction)
        }
        return try AppRules.renew(in: transaction)
    }

    /// Opens the app again, which the target has not taken and will not take.
    ///
    /// - Precondition: The target has no mover with this run any more, or this mover has not asked
    ///   it to take the app.
    /// - Throws: ``StorageError`` with the code `locked` if another mover has the move.
    package static func reopen(
        _ mover: Mover, in transaction: any WriteTransaction
    ) throws(StorageError) {
        try transaction.lock([App.registry.partition])
        var record = try checked(mover, .leaving, .closed, in: transaction)
        guard record.state == .closed else { return }
        if var app = try AppRules.record(of: mover.app, in: transaction) {
            app.state = .active
            try set(app, of: mover.app, in: transaction)
        }
        try Jobs.give(record.jobs, to: mover.app, in: transaction)
        record.state = .leaving
        record.jobs = []
        try set(record, of: mover.app, in: transaction)
        _ = try AppRules.renew(in: transaction)
    }

    /// The definition of the closed app as the target is to have it, and its work that waits.
    ///
    /// - Throws: ``StorageError`` with the code `locked` if another mover has the move.
    package static func content(
        _ mover: Mover, in transaction: any ReadTransaction
    ) throws(StorageError) -> (app: AppRecord, move: AppMoveRecord) {
        let record = try checked(mover, .closed, in: transaction)
        guard var app = try AppRules.record(of: mover.app, in: transaction), app.state == .moving
        else { throw StorageError(.corrupted, "app \(mover.app) is closed and has no definition") }
        app.state = .active
        return (app, record)
    }

    /// Notes that the target serves the app.
    ///
    /// - Throws: ``StorageError`` with the code `locked` if another mover has the move.
    package static func leave(
        _ mover: Mover, in transaction: any WriteTransaction
    ) throws(StorageError) {
        try transaction.lock([App.registry.partition])
        var record = try checked(mover, .closed, .left, in: transaction)
        guard record.state == .closed else { return }
        Tables.apps.remove(App.registry.partition, AppNumber(mover.app), in: transaction)
        try AppRules.changeCount(by: -1, in: transaction)
        record.state = .left
        record.jobs = []
        try set(record, of: mover.app, in: transaction)
        _ = try AppRules.renew(in: transaction)
    }

    /// Removes the next rows of an app that has left.
    ///
    /// - Returns: How many it has removed; less than `limit` if no row is left.
    /// - Throws: ``StorageError`` with the code `locked` if another mover has the move.
    package static func removeLeft(
        _ mover: Mover, limit: Int, in transaction: any WriteTransaction
    ) throws(StorageError) -> Int {
        var record = try checked(mover, .left, in: transaction)
        let rows = try transaction.removeRows(of: KeyRange(app: mover.app), limit: limit)
        if rows < limit, !record.isEmptied {
            record.isEmptied = true
            try set(record, of: mover.app, in: transaction)
        }
        return rows
    }

    /// Forgets a move that did not come to its end: the source serves the app as before.
    ///
    /// - Throws: ``StorageError`` with the code `locked` if another mover has the move.
    package static func cancel(
        _ mover: Mover, in transaction: any WriteTransaction
    ) throws(StorageError) {
        try reopen(mover, in: transaction)
        Tables.appMoves.remove(App.registry.partition, AppNumber(mover.app), in: transaction)
    }

    // MARK: Both

    private static func checked(
        _ mover: Mover, _ states: AppMoveRecord.State..., in transaction: any ReadTransaction
    ) throws(StorageError) -> AppMoveRecord {
        guard let record = try MovedApps.record(of: mover.app, in: transaction),
            record.id == mover.id, record.run == mover.run
        else {
            throw StorageError(.locked, "another mover has taken over the move, or has ended it")
        }
        guard let state = record.state, states.contains(state) else {
            throw StorageError(
                .failed, "the move is in the state \(record.state.map { "\($0)" } ?? "unknown")")
        }
        return record
    }

    static func checkedTarget(
        _ mover: Mover, in transaction: any ReadTransaction
    ) throws(StorageError) -> AppMoveRecord {
        try checked(mover, .arriving, in: transaction)
    }

    static func set(
        _ record: AppMoveRecord, of app: UInt32, in transaction: any WriteTransaction
    ) throws(StorageError) {
        try Tables.appMoves.set(
            record, at: App.registry.partition, AppNumber(app), in: transaction)
    }

    static func set(
        _ app: AppRecord, of id: UInt32, in transaction: any WriteTransaction
    ) throws(StorageError) {
        try Tables.apps.set(app, at: App.registry.partition, AppNumber(id), in: transaction)
    }

    static func refusal(_ words: String) -> StorageError { StorageError(.foreign, words) }
}
