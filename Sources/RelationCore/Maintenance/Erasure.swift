import RelationModel
import Storage

/// The erasure of deleted users: what other users, the app's feed and its own rows still have of
/// them.
///
/// No index leads to these rows: a user may stand in the log of one with whom it has had no
/// relation for days. So an erasure walks through all accounts of the app, in bounded steps, and
/// reads their logs and kept answers. Users that are to be erased at the same time share a walk.
///
/// An event that names the user is not written again, because a reader that comes back must hear of
/// the end of each relation. The log is trimmed up to it instead: such a reader starts over, which
/// every client can do.
package enum Erasure {
    private static var partition: Partition { Jobs.partition }

    // MARK: The queue

    /// Begins the erasure of a user whose account was deleted before.
    ///
    /// - Returns: The number of the deletion that it counts as.
    static func begin(
        _ user: UserID, _ erasing: AccountDeletion.Erasing, in ledger: Ledger
    ) throws(StorageError) -> UInt64 {
        let number = try Jobs.newNumber(in: ledger.transaction)
        var deletion = DeletionRecord()
        deletion.userID = user.text
        deletion.state = .running
        deletion.startedMs = ledger.now.milliseconds
        (deletion.erases, deletion.digest) = (true, erasing.digest)
        try Tables.deletions.set(
            deletion, at: ledger.app.maintenance, number, in: ledger.transaction)
        try add(user, number, in: ledger)
        return number
    }

    /// Lets a deletion that runs go on with an erasure.
    ///
    /// - Returns: Whether it would not have done so without this.
    static func join(
        _ number: UInt64, _ erasing: AccountDeletion.Erasing, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let partition = ledger.app.maintenance
        var keys = KeyList()
        Tables.deletions.add(partition, number, to: &keys)
        try ledger.fetch(keys)
        guard
            var deletion = try Tables.deletions.record(
                partition, number, in: ledger.transaction),
            !deletion.erases
        else { return false }
        (deletion.erases, deletion.digest) = (true, erasing.digest)
        try Tables.deletions.set(deletion, at: partition, number, in: ledger.transaction)
        return true
    }

    /// Puts a user into the queue, of whose own rows only the departed record is left.
    static func add(_ user: UserID, _ number: UInt64, in ledger: Ledger) throws(StorageError) {
        var record = ErasureRecord()
        record.app = ledger.app.id
        record.userID = user.text
        try Tables.erasures.set(record, at: partition, number, in: ledger.transaction)
    }

    /// The erasure that is under way, or the one that comes next; nil if there is none.
    static func next(in transaction: any ReadTransaction) throws(StorageError) -> Jobs.Job? {
        var job = JobRecord()
        if let walk = try Tables.erasureWalk.record(partition, OnlyKey(), in: transaction) {
            job.app = walk.app
            job.userID = walk.users.first?.userID ?? ""
            return Jobs.Job(number: walk.users.first?.number ?? 0, record: job, erases: true)
        }
        guard let (number, record) = try first(1, in: transaction).first else { return nil }
        (job.app, job.userID) = (record.app, record.userID)
        return Jobs.Job(number: number, record: job, erases: true)
    }

    private static func first(
        _ limit: Int, in transaction: any ReadTransaction
    ) throws(StorageError) -> [(UInt64, ErasureRecord)] {
        let table = Tables.erasures
        var found: [(UInt64, ErasureRecord)] = []
        var isBroken = false
        try table.scan(table.all(of: partition), limit: limit, in: transaction) { number, bytes in
            guard let record = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            found.append((number, record))
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "an erasure does not decode") }
        return found
    }

    // MARK: Steps

    /// Does the next part of the walk through the app, or begins one.
    ///
    /// - Parameter limit: The most rows to read, and to write, roughly.
    /// - Returns: Whether the walk is done.
    static func step(
        in ledger: Ledger, limit: Int = Limits.rowsPerErasureStep
    ) throws(StorageError) -> Bool {
        let known = try Tables.erasureWalk.record(partition, OnlyKey(), in: ledger.transaction)
        var walk: ErasureWalkRecord
        if let known { walk = known } else { walk = try begin(in: ledger) }
        // An app that was made again under its number has other users under the same ids.
        var users: [ErasedUserRecord] = []
        for user in walk.users {
            let deletion = try Tables.deletions.record(
                ledger.app.maintenance, user.number, in: ledger.transaction)
            if deletion?.userID == user.userID, deletion?.state == .running { users.append(user) }
        }
        walk.users = users
        var step = ErasureStep(walk, limit: limit, in: ledger)
        var isDone = walk.users.isEmpty
        if !isDone { isDone = try step.run() }
        if isDone {
            Tables.erasureWalk.remove(partition, OnlyKey(), in: ledger.transaction)
        } else {
            try Tables.erasureWalk.set(
                step.walk, at: partition, OnlyKey(), in: ledger.transaction)
        }
        return isDone
    }

    /// Takes the first users of the queue that are of the ledger's app, for one walk.
    private static func begin(in ledger: Ledger) throws(StorageError) -> ErasureWalkRecord {
        var walk = ErasureWalkRecord()
        walk.app = ledger.app.id
        let found = try first(Limits.usersPerErasure, in: ledger.transaction)
        for (number, record) in found where record.app == walk.app {
            var user = ErasedUserRecord()
            (user.number, user.userID) = (number, record.userID)
            walk.users.append(user)
            Tables.erasures.remove(partition, number, in: ledger.transaction)
        }
        var kept = ErasureKept()
        let settings = ledger.settings
        let now = ledger.now.milliseconds
        if settings.erasure.keepsLogs { kept.logsUntilMs = now + settings.logLifetimeMs }
        if settings.erasure.keepsApplications {
            kept.applicationsUntilMs = now + Limits.handledApplicationMilliseconds
        }
        if settings.erasure.keepsAnswers {
            kept.answersUntilMs = now + Limits.requestIDMilliseconds
        }
        kept.sessionEnd = settings.erasure.keepsSessionEnds
        walk.kept = kept
        return walk
    }
}
