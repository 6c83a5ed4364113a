package import RelationModel
package import Storage

/// The end of applications that were not answered in the time that the app gives them.
///
/// The moment of the end is not stored: it follows from the time of the application and the present
/// settings. Every rule ignores an application that has expired; a sweep ends it in the store, with
/// history and events. An index of the app has one row for each user with applications, at the time
/// of the oldest one or earlier. So a sweep finds the users that are due, and an application seldom
/// costs another row.
package enum ApplicationExpiry {
    /// The number of partitions over which the index is spread.
    package static let lanes: UInt8 = 16

    /// The users that may have applications that expired; in each lane, those with the oldest ones
    /// come first.
    package static func due(
        _ app: App, at now: Timestamp, limit: Int, in transaction: any ReadTransaction
    ) throws(StorageError) -> [TimedUser] {
        guard app.settings.applicationLifetimeMs != nil else { return [] }
        let table = Tables.expiries
        let cutoff = app.settings.expiryCutoffMs(at: now)
        var due: [TimedUser] = []
        for lane in 0..<lanes where due.count < limit {
            let range = table.rows(of: app.partition(ofExpiryLane: lane), through: cutoff)
            try table.scan(range, limit: limit - due.count, in: transaction) { key, _ in
                due.append(key)
                return .more
            }
        }
        return due
    }

    /// The time of the next expiry in `app`, or a little earlier; nil if no application that waits
    /// there has an end.
    package static func nextDueMs(
        _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int64? {
        guard let lifetime = app.settings.applicationLifetimeMs else { return nil }
        let table = Tables.expiries
        var oldest: Int64?
        for lane in 0..<lanes {
            let range = table.all(of: app.partition(ofExpiryLane: lane))
            try table.scan(range, limit: 1, in: transaction) { key, _ in
                oldest = min(oldest ?? key.timeMs, key.timeMs)
                return .stop
            }
        }
        return oldest.map { $0 + lifetime }
    }

    /// Ends up to `limit` applications that have expired, to and from the user of `due`, on both
    /// sides.
    ///
    /// If there are more, the user is due again.
    ///
    /// - Returns: The number of applications that ended.
    package static func sweep(
        _ due: TimedUser, limit: Int, in ledger: Ledger
    ) throws(StorageError) -> Int {
        let user = due.user
        guard try ledger.head(of: user)?.oldestPendencyMs == due.timeMs else {
            // The row does not hold for the user any more: another call was faster.
            Tables.expiries.remove(
                ledger.app.partition(ofExpiryLaneOf: user), due, in: ledger.transaction)
            return 0
        }
        let cutoff = ledger.expiryCutoffMs
        let table = Tables.pendenciesByTime
        var expired: [PendencyKey] = []
        var next: Int64 = 0
        try table.scan(
            table.all(of: ledger.partition(of: user)), limit: limit + 1, in: ledger.transaction
        ) { row, _ in
            guard row.timeMs <= cutoff, expired.count < limit else {
                next = row.timeMs
                return .stop
            }
            expired.append(row.key)
            return .more
        }
        for key in expired {
            let (applicant, asked) =
                key.type == .sendOut ? (user, key.user) : (key.user, user)
            try Applications.end(from: applicant, to: asked, .expired, in: ledger)
        }
        try setOldest(of: user, to: next, in: ledger)
        return expired.count
    }

    /// Ends up to `limit` applications of the app that have expired: one step of the maintenance.
    ///
    /// It acts as a call without a user.
    ///
    /// - Returns: Whether there may be more.
    package static func step(
        _ app: App, at now: Timestamp, limit: Int, in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        let users = try due(app, at: now, limit: limit, in: transaction)
        guard !users.isEmpty else { return false }
        let ledger = Ledger(
            app: app, now: now, origin: Origin(user: nil), transaction: transaction)
        var ended = 0
        for user in users where ended < limit {
            ended += try sweep(user, limit: limit - ended, in: ledger)
        }
        try ledger.close()
        return true
    }

    // MARK: The index

    /// Notes that `user` has an application of the time `timeMs`, which is newer than all its
    /// others.
    static func noteNewest(
        _ timeMs: Int64, of user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        if let lifetime = ledger.settings.applicationLifetimeMs {
            ledger.noteEnd(at: timeMs + lifetime)
        }
        guard try ledger.head(of: user)?.oldestPendencyMs == 0 else { return }
        try setOldest(of: user, to: timeMs, in: ledger)
    }

    /// Moves the user's row of the index to `timeMs`; 0 removes it.
    static func setOldest(
        of user: UserID, to timeMs: Int64, in ledger: Ledger
    ) throws(StorageError) {
        guard let old = try ledger.head(of: user)?.oldestPendencyMs, old != timeMs else { return }
        let lane = ledger.app.partition(ofExpiryLaneOf: user)
        let table = Tables.expiries
        if old != 0 {
            table.remove(lane, TimedUser(timeMs: old, user: user), in: ledger.transaction)
        }
        if timeMs != 0 {
            try table.set(
                Nothing(), at: lane, TimedUser(timeMs: timeMs, user: user),
                in: ledger.transaction)
        }
        try ledger.changeHead(of: user) { $0.oldestPendencyMs = timeMs }
    }
}

extension AppSettings {
    /// Applications of this time or earlier have expired at `now`.
    package func expiryCutoffMs(at now: Timestamp) -> Int64 {
        applicationLifetimeMs.map { now.milliseconds - $0 } ?? .min
    }
}

extension Ledger {
    /// Applications of this time or earlier have expired.
    var expiryCutoffMs: Int64 { settings.expiryCutoffMs(at: now) }
}

extension App {
    /// A part of the index of users by the times of their oldest applications.
    package func partition(ofExpiryLane lane: UInt8) -> Partition {
        Partition(app: id, name: [0x07, 0x40 + lane % ApplicationExpiry.lanes])
    }

    package func partition(ofExpiryLaneOf user: UserID) -> Partition {
        partition(ofExpiryLane: Lane.of(user))
    }
}
