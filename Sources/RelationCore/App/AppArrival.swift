package import RelationModel
import Storage

/// Rules over an app that comes from another database, in the database to which it comes.
package enum AppArrival {
    /// Prepares the database for rows of the app, or for those that are still to come.
    ///
    /// - Parameters:
    ///   - move: The move as the source has it.
    ///   - source: The database from which the app comes.
    /// - Returns: The move as the target has it. Its state is `arrived` if the target serves the
    ///   app already.
    /// - Throws: ``StorageError`` with the code `foreign`: both are one database, or there is an
    ///   app of that number, or another move of it, or rows of one, or there are too many apps.
    package static func receive(
        _ app: UInt32, _ move: AppMoveRecord, from source: String,
        in transaction: any WriteTransaction
    ) throws(StorageError) -> AppMoveRecord {
        try transaction.lock([App.registry.partition])
        let known = try MovedApps.record(of: app, in: transaction)
        if var known, known.id == move.id {
            switch known.state {
            case .arrived: return known
            case .arriving:
                guard known.run < move.run else { throw taken }
                known.run = move.run
                try AppMoves.set(known, of: app, in: transaction)
                return known
            default: throw AppMoves.refusal("the target is the database that has the app")
            }
        }
        switch known?.state {
        case .arriving:
            throw AppMoves.refusal(
                "another move of app \(app) has not ended there: cancel it with --cancel first")
        case .leaving, .closed:
            throw AppMoves.refusal("app \(app) lives there, and is on its way elsewhere")
        case .left, .arrived, nil: break
        }
        guard try AppRules.record(of: app, in: transaction) == nil else {
            throw AppMoves.refusal("there is another app \(app)")
        }
        guard try AppRules.count(in: transaction) < Limits.apps else {
            throw AppMoves.refusal("it has \(Limits.apps) apps, which is as many as it may have")
        }
        var isEmpty = true
        try transaction.scan(KeyRange(app: app), .ascending, limit: 1) { _, _ in
            isEmpty = false
            return .stop
        }
        guard isEmpty else {
            throw AppMoves.refusal(
                known?.state == .left
                    ? "rows of app \(app) are left there: run the move that took it away to its end"
                    : "it has rows of an app \(app), which the registry does not list")
        }
        var record = AppMoveRecord()
        (record.id, record.run, record.other) = (move.id, move.run, source)
        record.startedMs = move.startedMs
        record.state = .arriving
        try AppMoves.set(record, of: app, in: transaction)
        // Its servers say from now on that the app is on its way.
        _ = try AppRules.renew(in: transaction)
        return record
    }

    /// Checks that rows may come from this mover, and notes how far it has come.
    ///
    /// - Parameter change: Changes what is noted.
    /// - Throws: ``StorageError`` with the code `locked` if another mover has the move.
    package static func check(
        _ mover: AppMoves.Mover, in transaction: any WriteTransaction,
        _ change: ((inout AppMoveRecord) -> Void)? = nil
    ) throws(StorageError) {
        var record = try AppMoves.checkedTarget(mover, in: transaction)
        guard let change else { return }
        change(&record)
        try AppMoves.set(record, of: mover.app, in: transaction)
    }

    /// Serves the app from now on.
    ///
    /// - Parameters:
    ///   - app: Its definition.
    ///   - move: The move as the source has it, with the work that waits.
    ///   - answers: The answers about the app that the registry of the source has.
    /// - Returns: The version of the registry that has the app.
    /// - Throws: ``StorageError`` with the code `locked` if another mover has the move; `conflict`
    ///   if work of another app has the number of work that comes.
    package static func activate(
        _ mover: AppMoves.Mover, _ app: AppRecord, _ move: AppMoveRecord,
        _ answers: [MovedAnswers.Answer] = [], at now: Timestamp,
        in transaction: any WriteTransaction
    ) throws(StorageError) -> Int64 {
        try transaction.lock([App.registry.partition])
        var record = try AppMoves.checkedTarget(mover, in: transaction)
        try Jobs.raise(to: move.lastJob, in: transaction)
        try Jobs.give(move.jobs, to: mover.app, in: transaction)
        try Losses.acknowledgeAll(for: mover.app, in: transaction)
        try AppMoves.set(app, of: mover.app, in: transaction)
        try AppRules.changeCount(by: 1, in: transaction)
        try MovedAnswers.store(answers, at: now, in: transaction)
        record.state = .arrived
        (record.last, record.isCopied) = ([], false)
        try AppMoves.set(record, of: mover.app, in: transaction)
        return try AppRules.renew(in: transaction)
    }

    /// Removes the next rows that have come by a move that does not come to its end, and with the
    /// last of them the move.
    ///
    /// - Parameter run: The run that takes the move over; nil if the source has no such move.
    /// - Returns: Whether no row is left.
    /// - Throws: ``StorageError`` with the code `foreign` if the app is active.
    package static func abandon(
        _ app: UInt32, id: UInt64, run: UInt64?, limit: Int,
        in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        guard var record = try MovedApps.record(of: app, in: transaction), record.id == id else {
            return true
        }
        guard record.state == .arriving else {
            throw AppMoves.refusal("the move is over: the target serves app \(app)")
        }
        guard record.run <= run ?? .max else { throw taken }
        // Rows of an earlier attempt are no part of a copy: it starts over.
        record.run = run ?? record.run + 1
        (record.rows, record.last, record.isCopied) = (0, [], false)
        let rows = try transaction.removeRows(of: KeyRange(app: app), limit: limit)
        guard rows < limit else {
            try AppMoves.set(record, of: app, in: transaction)
            return false
        }
        Tables.appMoves.remove(App.registry.partition, AppNumber(app), in: transaction)
        _ = try AppRules.renew(in: transaction)
        return true
    }

    private static let taken = StorageError(
        .locked, "another mover has taken over the move, or has ended it")
}

extension Losses {
    /// Notes for an app that comes from elsewhere that it has lost nothing by losses of this store.
    fileprivate static func acknowledgeAll(
        for app: UInt32, in transaction: any WriteTransaction
    ) throws(StorageError) {
        var newest: Int64 = -1
        let table = Tables.losses
        try table.scan(
            table.all(of: App.registry.partition), .descending, limit: 1, in: transaction
        ) { foundMs, _ in
            newest = Int64(clamping: foundMs)
            return .stop
        }
        let partition = App(id: app, settings: .tim).maintenance
        let known = try Tables.knownLosses.record(partition, OnlyKey(), in: transaction)
        guard newest > known?.foundMs ?? -1 else { return }
        var record = KnownLossRecord()
        record.foundMs = newest
        try Tables.knownLosses.set(record, at: partition, OnlyKey(), in: transaction)
    }
}

extension Jobs {
    /// Takes the work of an app out of the queue.
    ///
    /// - Returns: The work, and the number of the newest work of all apps.
    static func take(
        of app: UInt32, in transaction: any WriteTransaction
    ) throws(StorageError) -> (jobs: [MovedJobRecord], last: UInt64) {
        var taken: [MovedJobRecord] = []
        var isBroken = false
        func add(_ number: UInt64, _ userID: String, erases: Bool) {
            var job = MovedJobRecord()
            (job.number, job.userID, job.erases) = (number, userID, erases)
            taken.append(job)
        }
        try Tables.jobs.scan(Tables.jobs.all(of: partition), limit: .max, in: transaction) {
            number, bytes in
            guard let job = Tables.jobs.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            if job.app == app { add(number, job.userID, erases: false) }
            return .more
        }
        try Tables.erasures.scan(Tables.erasures.all(of: partition), limit: .max, in: transaction) {
            number, bytes in
            guard let job = Tables.erasures.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            if job.app == app { add(number, job.userID, erases: true) }
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "a job does not decode") }
        // A walk that is under way starts over at the other database.
        let walk = try Tables.erasureWalk.record(partition, OnlyKey(), in: transaction)
        if let walk, walk.app == app {
            for user in walk.users { add(user.number, user.userID, erases: true) }
            Tables.erasureWalk.remove(partition, OnlyKey(), in: transaction)
        }
        for job in taken {
            if job.erases {
                Tables.erasures.remove(partition, job.number, in: transaction)
            } else {
                Tables.jobs.remove(partition, job.number, in: transaction)
            }
        }
        let numbers = try Tables.jobNumbers.record(partition, OnlyKey(), in: transaction)
        return (taken, numbers?.last ?? 0)
    }

    /// Puts work into the queue that has numbers already.
    ///
    /// - Throws: ``StorageError`` with the code `conflict` if other work has one of the numbers.
    static func give(
        _ jobs: [MovedJobRecord], to app: UInt32, in transaction: any WriteTransaction
    ) throws(StorageError) {
        for job in jobs {
            guard try !Tables.jobs.contains(partition, job.number, in: transaction),
                try !Tables.erasures.contains(partition, job.number, in: transaction)
            else {
                throw StorageError(
                    .conflict, "work of another app that waits has the number \(job.number) too")
            }
            if job.erases {
                var record = ErasureRecord()
                (record.app, record.userID) = (app, job.userID)
                try Tables.erasures.set(record, at: partition, job.number, in: transaction)
            } else {
                var record = JobRecord()
                (record.app, record.userID) = (app, job.userID)
                try Tables.jobs.set(record, at: partition, job.number, in: transaction)
            }
        }
    }

    /// Gives out no number up to `last` any more.
    static func raise(to last: UInt64, in transaction: any WriteTransaction) throws(StorageError) {
        var numbers =
            try Tables.jobNumbers.record(partition, OnlyKey(), in: transaction)
            ?? JobNumberRecord()
        guard numbers.last < last else { return }
        numbers.last = last
        try Tables.jobNumbers.set(numbers, at: partition, OnlyKey(), in: transaction)
    }
}
