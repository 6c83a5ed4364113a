package import RelationModel
import Storage

/// The end of applications that were not answered in the time that the app gives them.
///
/// The time of the end is not stored: it follows from the time of the application and the present
/// settings. Every rule ignores an application that has expired; a sweep ends it in the store, with
/// history and events. It finds the users that are due by ``EndIndex/applications``.
package enum ApplicationExpiry {
    private static let index = EndIndex.applications

    /// The users that may have applications that expired; in each bucket, those with the oldest
    /// ones come first.
    package static func due(
        _ app: App, at now: Timestamp, limit: Int, in transaction: any ReadTransaction
    ) throws(StorageError) -> [TimedUser] {
        guard app.settings.applicationLifetimeMs != nil else { return [] }
        return try index.rows(
            of: app, through: app.settings.expiryCutoffMs(at: now), limit: limit, in: transaction)
    }

    /// The time of the next expiry in `app`, or a little earlier; nil if no application that waits
    /// there has an end.
    package static func nextDueMs(
        _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int64? {
        guard let lifetime = app.settings.applicationLifetimeMs else { return nil }
        return try index.firstMs(of: app, in: transaction).map { $0 + lifetime }
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
        try index.end(due, limit: limit, in: ledger, endExpired)
    }

    /// Ends up to `limit` applications to and from `user` that have expired.
    private static func endExpired(
        of user: UserID, limit: Int, in ledger: Ledger
    ) throws(StorageError) -> Int {
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
        try index.move(user, to: next, in: ledger)
        return expired.count
    }

    /// Ends up to `limit` applications of the app that have expired: one step of the maintenance.
    ///
    /// - Returns: Whether there may be more.
    package static func step(
        _ app: App, at now: Timestamp, limit: Int, in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        let users = try due(app, at: now, limit: limit, in: transaction)
        return try index.step(
            users, of: app, at: now, limit: limit, in: transaction, end: endExpired)
    }

    // MARK: The index

    /// Notes that `user` has an application of the time `timeMs`.
    static func note(
        _ timeMs: Int64, of user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        if let lifetime = ledger.settings.applicationLifetimeMs {
            ledger.noteEnd(at: timeMs + lifetime)
        }
        try index.bringForward(user, to: timeMs, in: ledger)
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
