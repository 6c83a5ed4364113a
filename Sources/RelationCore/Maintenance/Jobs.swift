package import RelationModel
package import Storage

/// The queue of work that is done beside the calls: one for all apps, oldest first.
///
/// A job is a row until it is finished, so a restart loses no job. It is done in steps, each a
/// transaction of few rows, so no call waits long behind it.
package enum Jobs {
    package static let partition = App(id: 0, settings: .tim).maintenance

    package struct Job {
        package let number: UInt64
        package let record: JobRecord
    }

    /// The oldest job that is not finished.
    package static func next(in transaction: any ReadTransaction) throws(StorageError) -> Job? {
        let table = Tables.jobs
        var found: (UInt64, JobRecord?)?
        try table.scan(table.all(of: partition), limit: 1, in: transaction) { number, bytes in
            found = (number, table.decode(bytes, in: transaction.arena))
            return .stop
        }
        guard let (number, record) = found else { return nil }
        guard let record else { throw StorageError(.corrupted, "a job does not decode") }
        return Job(number: number, record: record)
    }

    /// Puts the removal of every row of the app `id` into the queue.
    ///
    /// - Precondition: No call is let into the app any more.
    package static func deleteApp(
        _ id: UInt32, in transaction: any WriteTransaction
    ) throws(StorageError) {
        var record = JobRecord()
        record.app = id
        _ = try add(record, in: transaction)
    }

    static func add(
        _ record: JobRecord, in transaction: any WriteTransaction
    ) throws(StorageError) -> UInt64 {
        var numbers =
            try Tables.jobNumbers.record(partition, OnlyKey(), in: transaction)
            ?? JobNumberRecord()
        numbers.last += 1
        try Tables.jobNumbers.set(numbers, at: partition, OnlyKey(), in: transaction)
        try Tables.jobs.set(record, at: partition, numbers.last, in: transaction)
        return numbers.last
    }

    /// Does the next part of `job`, in a transaction of its own.
    ///
    /// - Parameter settings: The settings of the job's app.
    /// - Returns: Whether the job is finished, and out of the queue.
    package static func step(
        _ job: Job, settings: AppSettings, now: Timestamp, in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        let app = App(id: job.record.app, settings: settings)
        let isFinished: Bool
        if job.record.userID.isEmpty {
            isFinished = try AppDeletion.step(app, now, in: transaction)
        } else {
            let ledger = Ledger(
                app: app, now: now, origin: Origin(user: nil), transaction: transaction)
            isFinished = try AccountDeletion.step(
                UserID(stored: job.record.userID.utf8), job.number, in: ledger)
            try ledger.close()
        }
        if isFinished { Tables.jobs.remove(partition, job.number, in: transaction) }
        return isFinished
    }
}

/// The removal of an app.
package enum AppDeletion {
    /// Removes the next rows of `app`; with the last of them, also its rows in the registry.
    ///
    /// - Returns: Whether no row is left.
    static func step(
        _ app: App, _ now: Timestamp, in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        let rows = try transaction.removeRows(
            of: KeyRange(app: app.id), limit: Limits.rowsPerMaintenanceStep)
        let isLast = rows < Limits.rowsPerMaintenanceStep
        let ledger = Ledger(
            app: .registry, now: now, origin: Origin(user: nil), transaction: transaction)
        try AppRules.removed(rows, of: app.id, isLast: isLast, in: ledger)
        try ledger.close()
        return isLast
    }
}

extension WriteTransaction {
    /// Removes the first rows of `range`, at most `limit`.
    ///
    /// - Returns: The number of rows removed.
    func removeRows(of range: KeyRange, limit: Int) throws(StorageError) -> Int {
        var keys: [Key] = []
        var isBroken = false
        try scan(range, .ascending, limit: limit) { bytes, _ in
            // The range of an app has many partitions, and each key says itself which one is its
            // own.
            guard let key = Key(scanned: bytes) else {
                isBroken = true
                return .stop
            }
            keys.append(key)
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "a row has no partition") }
        for key in keys { remove(key) }
        return keys.count
    }
}
