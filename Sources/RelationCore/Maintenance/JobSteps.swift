package import RelationModel
import Storage

/// The steps in which the jobs of the queue are done.
package enum JobSteps {
    /// Does the next part of `job`, in a transaction of its own.
    ///
    /// - Parameter settings: The settings of the job's app.
    /// - Returns: Whether the job is finished, and out of the queue.
    package static func step(
        _ job: Jobs.Job, settings: AppSettings, now: Timestamp, in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        let app = App(id: job.record.app, settings: settings)
        let isFinished: Bool
        if job.erases {
            let ledger = Ledger(
                app: app, now: now, origin: Origin(user: nil), transaction: transaction)
            isFinished = try Erasure.step(in: ledger)
            try ledger.close()
            return isFinished
        }
        if job.record.userID.isEmpty {
            isFinished = try AppDeletion.step(app, now, in: transaction)
        } else {
            let ledger = Ledger(
                app: app, now: now, origin: Origin(user: nil), transaction: transaction)
            isFinished = try AccountDeletion.step(
                UserID(stored: job.record.userID), job.number, in: ledger)
            try ledger.close()
        }
        if isFinished { Tables.jobs.remove(Jobs.partition, job.number, in: transaction) }
        return isFinished
    }
}
