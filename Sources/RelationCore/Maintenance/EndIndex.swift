package import RelationModel
package import Storage

/// An index of an app's users by a time from which the next end of something of theirs follows.
///
/// A user has one row, at the time that its user record notes, and no row if that is 0. The row may
/// be earlier than the time of what the user has, and is never later. So a sweep finds the users
/// that are due, and what a user gets or loses seldom costs another row.
package enum EndIndex {
    /// By the time of the oldest application that waits.
    case applications
    /// By the end of the first subscription.
    case subscriptions
    /// By the time at which the first invitation leaves the list.
    case invitations
    /// By the end of the suspension.
    case suspensions

    /// The number of partitions over which the index of applications is spread.
    package static let applicationBuckets: UInt8 = 16

    private var table: Table<TimedUser, EmptyRecord> {
        switch self {
        case .applications: Tables.expiries
        case .subscriptions: Tables.subscriptionEnds
        case .invitations: Tables.invitationEnds
        case .suspensions: Tables.suspensionEnds
        }
    }

    private func partitions(of app: App) -> [Partition] {
        switch self {
        case .applications: (0..<Self.applicationBuckets).map(app.partition(ofExpiryBucket:))
        case .subscriptions: [app.subscriptionEnds]
        case .invitations: [app.invitationEnds]
        case .suspensions: [app.suspensionEnds]
        }
    }

    private func partition(of user: UserID, _ app: App) -> Partition {
        switch self {
        case .applications: app.partition(ofExpiryBucketOf: user)
        case .subscriptions: app.subscriptionEnds
        case .invitations: app.invitationEnds
        case .suspensions: app.suspensionEnds
        }
    }

    /// The time of the user's row; 0 if there is none.
    private func timeMs(in userRecord: UserRecord) -> Int64 {
        switch self {
        case .applications: userRecord.oldestPendencyMs
        case .subscriptions: userRecord.nextSubscriptionEndMs
        case .invitations: userRecord.nextInvitationEndMs
        case .suspensions: userRecord.suspensionEndMs
        }
    }

    private func note(_ timeMs: Int64, in userRecord: inout UserRecord) {
        switch self {
        case .applications: userRecord.oldestPendencyMs = timeMs
        case .subscriptions: userRecord.nextSubscriptionEndMs = timeMs
        case .invitations: userRecord.nextInvitationEndMs = timeMs
        case .suspensions: userRecord.suspensionEndMs = timeMs
        }
    }

    /// The users with rows of `cutoffMs` or earlier; in each partition, the earliest come first.
    func rows(
        of app: App, through cutoffMs: Int64, limit: Int, in transaction: any ReadTransaction
    ) throws(StorageError) -> [TimedUser] {
        var rows: [TimedUser] = []
        for partition in partitions(of: app) where rows.count < limit {
            let range = table.rows(of: partition, through: cutoffMs)
            try table.scan(range, limit: limit - rows.count, in: transaction) { row, _ in
                rows.append(row)
                return .more
            }
        }
        return rows
    }

    /// The time of the earliest row of `app`; nil if there is no row.
    func firstMs(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int64? {
        var first: Int64?
        for partition in partitions(of: app) {
            try table.scan(table.all(of: partition), limit: 1, in: transaction) { row, _ in
                first = min(first ?? row.timeMs, row.timeMs)
                return .stop
            }
        }
        return first
    }

    /// Whether `row` is the present row of its user.
    func isCurrent(_ row: TimedUser, in ledger: Ledger) throws(StorageError) -> Bool {
        try ledger.userRecord(of: row.user).map(timeMs(in:)) == row.timeMs
    }

    func remove(_ row: TimedUser, in ledger: Ledger) {
        table.remove(partition(of: row.user, ledger.app), row, in: ledger.transaction)
    }

    /// Moves the user's row to `timeMs`; 0 removes it.
    func move(_ user: UserID, to timeMs: Int64, in ledger: Ledger) throws(StorageError) {
        guard let old = try ledger.userRecord(of: user).map(self.timeMs(in:)), old != timeMs else {
            return
        }
        if old != 0 { remove(TimedUser(timeMs: old, user: user), in: ledger) }
        if timeMs != 0 {
            try table.set(
                EmptyRecord(), at: partition(of: user, ledger.app),
                TimedUser(timeMs: timeMs, user: user), in: ledger.transaction)
        }
        try ledger.changeUserRecord(of: user) { note(timeMs, in: &$0) }
    }

    /// Moves the user's row to `timeMs` if that is earlier, or if the user has no row.
    func bringForward(
        _ user: UserID, to timeMs: Int64, in ledger: Ledger
    ) throws(StorageError) {
        guard let known = try ledger.userRecord(of: user).map(self.timeMs(in:)),
            known == 0 || timeMs < known
        else { return }
        try move(user, to: timeMs, in: ledger)
    }

    /// Ends up to `limit` things of the users of `due`: one step of the maintenance.
    ///
    /// It acts as a call without a user.
    ///
    /// - Parameter end: Ends at most so many things of a user, and returns their number.
    /// - Returns: Whether there may be more.
    func step(
        _ due: [TimedUser], of app: App, at now: Timestamp, limit: Int,
        in transaction: any WriteTransaction,
        end: (UserID, _ limit: Int, Ledger) throws(StorageError) -> Int
    ) throws(StorageError) -> Bool {
        guard !due.isEmpty else { return false }
        let ledger = Ledger(
            app: app, now: now, origin: Origin(user: nil), transaction: transaction)
        var ended = 0
        for row in due where ended < limit {
            ended += try self.end(row, limit: limit - ended, in: ledger, end)
        }
        try ledger.close()
        return true
    }

    /// Ends what the user of `due` has, or removes the row if it is not the user's present one:
    /// then another call was faster.
    func end(
        _ due: TimedUser, limit: Int, in ledger: Ledger,
        _ end: (UserID, _ limit: Int, Ledger) throws(StorageError) -> Int
    ) throws(StorageError) -> Int {
        guard try isCurrent(due, in: ledger) else {
            remove(due, in: ledger)
            return 0
        }
        return try end(due.user, limit, ledger)
    }
}

extension App {
    /// A part of the index of users by the times of their oldest applications.
    package func partition(ofExpiryBucket bucket: UInt8) -> Partition {
        Partition(app: id, name: [0x07, 0x40 + bucket % EndIndex.applicationBuckets])
    }

    package func partition(ofExpiryBucketOf user: UserID) -> Partition {
        partition(ofExpiryBucket: UserBuckets.of(user))
    }
}
