package import RelationCore
package import RelationModel
import Storage
package import StorageSuite

extension World {
    /// Makes the two users friends of each other, whatever their relations are.
    package func makeFriends(_ one: UserID, _ other: UserID) {
        do throws(StorageError) {
            let outcome = try importFriend(other, of: one, bothWays: true)
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

    /// Starts the deletion of an account; ``runJobs()`` removes its rows.
    package func deleteAccount(_ user: UserID) throws(StorageError) {
        let start = try call(by: nil) { (ledger) throws(StorageError) in
            try AccountDeletion.start(user, in: ledger)
        }
        guard case .started = start else { preconditionFailure("\(user): \(start)") }
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

    // MARK: The maintenance

    package func nextJob() throws(StorageError) -> Jobs.Job? {
        try read { (transaction) throws(StorageError) in try Jobs.next(in: transaction) }
    }

    /// Does one step of the oldest job.
    ///
    /// - Returns: Whether the job is finished, or there was none.
    package func stepJob() throws(StorageError) -> Bool {
        try commit { (transaction) throws(StorageError) in
            guard let job = try Jobs.next(in: transaction) else { return true }
            return try JobSteps.step(job, settings: settings, now: now, in: transaction)
        }
    }

    package func runJobs() throws(StorageError) {
        while try nextJob() != nil { _ = try stepJob() }
    }

    /// Does the next step of the maintenance.
    ///
    /// - Returns: Whether there may be more to do.
    package func maintenance() throws(StorageError) -> Bool {
        try commit { (transaction) throws(StorageError) in
            guard let job = try Jobs.next(in: transaction) else {
                var last: ImportKey?
                return try Sweeps.step(app, at: now, lastImport: &last, in: transaction)
            }
            _ = try JobSteps.step(job, settings: settings, now: now, in: transaction)
            return true
        }
    }

    /// The errors that a check of integrity finds in all rows, in words.
    package func integrity() throws(StorageError) -> [String] {
        try read { (transaction) throws(StorageError) in
            let users = try Integrity.users(of: app, after: nil, limit: 1_000, in: transaction)
            var findings: [String] = []
            for user in users {
                findings += try Integrity.findings(of: user, app: app, in: transaction).map {
                    "\(user): \($0.fault) \($0.subject) \($0.other?.text ?? "")"
                }
            }
            var sums = FeedState()
            try Integrity.count(users, into: &sums, app: app, in: transaction)
            if let finding = try Integrity.feedFinding(of: app, in: transaction) {
                findings.append("\(finding.fault) \(finding.subject)")
            }
            if let finding = try Integrity.suspensionFinding(of: app, in: transaction) {
                findings.append("\(finding.fault) \(finding.subject)")
            }
            if let finding = try Integrity.reportFinding(of: app, in: transaction) {
                findings.append("\(finding.fault) \(finding.subject)")
            }
            if let finding = try Integrity.reviewFinding(of: app, in: transaction) {
                findings.append("\(finding.fault) \(finding.subject)")
            }
            if let finding = try Integrity.hookFinding(of: app, in: transaction) {
                findings.append("\(finding.fault) \(finding.subject)")
            }
            var history = HistoryCheck(app)
            while !history.isDone {
                for finding in try history.next(in: transaction).findings {
                    findings.append("\(finding.fault) \(finding.subject)")
                }
            }
            if let missing = try Integrity.missing(from: sums, app: app, in: transaction) {
                findings.append("the counts lack \(missing)")
            }
            return findings
        }
    }

    /// All rows of the app and of the registry, as bytes.
    package func everything() throws(StorageError) -> [[Row]] {
        [try store.rows(KeyRange(app: app.id)), try store.rows(KeyRange(app: App.registry.id))]
    }

    /// The kinds of the rows in the partition of `user`.
    package func kinds(of user: UserID) throws(StorageError) -> [UInt8] {
        try store.rows(KeyRange(all: app.partition(of: user))).map { $0.suffix[0] }
    }
}
