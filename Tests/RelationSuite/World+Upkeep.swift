package import RelationCore
package import RelationModel
package import Storage
import StorageSuite

extension World {
    /// Makes the two friends of each other, whatever they are to each other.
    package func makeFriends(_ one: UserID, _ other: UserID) {
        do throws(StorageError) {
            let outcome = try importFriend(other, of: one) { $0.bothWays = true }
            precondition(outcome == .success, "\(one) and \(other): \(outcome)")
        } catch {
            preconditionFailure("\(error)")
        }
    }

    package func make(_ user: UserID) throws(StorageError) -> Accounts.Creation {
        try call(by: nil) { (ledger) throws(StorageError) in
            try Accounts.create(user, nick: "", faceURL: "", in: ledger)
        }
    }

    package func directory(
        after user: UserID? = nil, limit: Int = 1000
    ) throws(StorageError) -> [UserID] {
        try read { (transaction) throws(StorageError) in
            try Directory.page(of: app, after: user, limit: limit, in: transaction)
        }
    }

    package func deletion(_ number: UInt64) throws(StorageError) -> DeletionRecord? {
        try read { (transaction) throws(StorageError) in
            try AccountDeletion.record(number, of: app, in: transaction)
        }
    }

    // MARK: The work behind the calls

    package func nextJob() throws(StorageError) -> Jobs.Job? {
        try read { (transaction) throws(StorageError) in try Jobs.next(in: transaction) }
    }

    /// Does one step of the oldest job.
    ///
    /// - Returns: Whether the job is finished, or there was none.
    package func stepJob() throws(StorageError) -> Bool {
        try store.write(touching: []) { (transaction) throws(StorageError) in
            guard let job = try Jobs.next(in: transaction) else { return true }
            return try Jobs.step(job, settings: settings, now: now, in: transaction)
        }
    }

    package func runJobs() throws(StorageError) {
        while try nextJob() != nil { _ = try stepJob() }
    }

    /// The kinds of the rows in the partition of `user`.
    package func kinds(of user: UserID) throws(StorageError) -> [UInt8] {
        try store.rows(KeyRange(all: app.partition(of: user))).map { $0.place[0] }
    }
}
