package import Storage

/// The queue of work that is done beside the calls: one for all apps, oldest first.
///
/// A job is a row until it is finished, so a restart loses no job. It is done in steps, each a
/// transaction of few rows, so no call waits long for it.
package enum Jobs {
    package static let partition = App(id: 0, settings: .tim).maintenance

    /// A walk in the background that is stored, so that it goes on after a restart.
    package struct Job {
        package let number: UInt64
        package let record: JobRecord
        /// Whether it is the walk that erases deleted users of the app.
        package var erases = false
    }

    /// The oldest job that is not finished; if there is none, the erasure that comes next.
    ///
    /// An erasure reads the whole app, and serves all users that wait for one. So deletions go
    /// before it, but for every other step: they may come without an end, in any app.
    ///
    /// - Parameter erasesNext: Whether it is the turn of an erasure.
    package static func next(
        erasesNext: Bool = false, in transaction: any ReadTransaction
    ) throws(StorageError) -> Job? {
        let table = Tables.jobs
        var found: (UInt64, JobRecord?)?
        try table.scan(table.all(of: partition), limit: 1, in: transaction) { number, bytes in
            found = (number, table.decode(bytes, in: transaction.arena))
            return .stop
        }
        guard let (number, record) = found else { return try Erasure.next(in: transaction) }
        guard let record else { throw StorageError(.corrupted, "a job does not decode") }
        if erasesNext, let erasure = try Erasure.next(in: transaction) { return erasure }
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

    /// Adds the row that putting a job into the queue reads.
    static func keys(into keys: inout KeyList) {
        keys.addPossible { keys in Tables.jobNumbers.add(partition, OnlyKey(), to: &keys) }
    }

    static func add(
        _ record: JobRecord, in transaction: any WriteTransaction
    ) throws(StorageError) -> UInt64 {
        let number = try newNumber(in: transaction)
        try Tables.jobs.set(record, at: partition, number, in: transaction)
        return number
    }

    /// A number that no job has had.
    static func newNumber(in transaction: any WriteTransaction) throws(StorageError) -> UInt64 {
        var numbers =
            try Tables.jobNumbers.record(partition, OnlyKey(), in: transaction)
            ?? JobNumberRecord()
        numbers.last += 1
        try Tables.jobNumbers.set(numbers, at: partition, OnlyKey(), in: transaction)
        return numbers.last
    }
}
