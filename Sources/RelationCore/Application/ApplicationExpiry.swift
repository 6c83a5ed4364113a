package import RelationModel
package import Storage

/// The end of applications that nobody answered in the time that the app gives them.
///
/// Nothing is stored of that moment: it follows from when an application was made and what the
/// settings are now. Every rule passes over what has expired; a sweep ends it in the store, with
/// history and events. An index of the app has one row for each user with applications, at the time
/// of the oldest one or earlier, so that a sweep finds who is due and an application seldom costs
/// another row.
package enum ApplicationExpiry {
    /// Partitions that the index is spread over.
    package static let lanes: UInt8 = 16

    /// The users who may have applications that expired, those with the oldest ones first in each
    /// lane.
    package static func due(
        _ app: App, at now: Timestamp, limit: Int, in transaction: any ReadTransaction
    ) throws(StorageError) -> [TimedUser] {
        guard app.settings.applicationLifetimeMs != nil else { return [] }
        let table = Tables.expiries
        let cutoff = app.settings.expiryCutoffMs(at: now)
        var due: [TimedUser] = []
        for lane in 0..<lanes where due.count < limit {
            let range = table.rows(of: app.partition(ofExpiryLane: lane), through: cutoff)
            try table.scan(range, limit: limit - due.count, in: transaction) { place, _ in
                due.append(place)
                return .more
            }
        }
        return due
    }

    /// When there is something to do again in `app`, or a little earlier; nil if nothing that waits
    /// there has an end.
    package static func nextDueMs(
        _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int64? {
        guard let lifetime = app.settings.applicationLifetimeMs else { return nil }
        let table = Tables.expiries
        var oldest: Int64?
        for lane in 0..<lanes {
            let range = table.all(of: app.partition(ofExpiryLane: lane))
            try table.scan(range, limit: 1, in: transaction) { place, _ in
                oldest = min(oldest ?? place.timeMs, place.timeMs)
                return .stop
            }
        }
        return oldest.map { $0 + lifetime }
    }

    /// Ends up to `limit` applications that have expired, to and from the user of `due`, on both
    /// sides.
    ///
    /// The user is due again if there are more.
    ///
    /// - Returns: How many ended.
    package static func sweep(
        _ due: TimedUser, limit: Int, in ledger: Ledger
    ) throws(StorageError) -> Int {
        let user = due.user
        guard try ledger.head(of: user)?.oldestPendencyMs == due.timeMs else {
            // The row is not the user's any more: another call was faster.
            Tables.expiries.remove(
                ledger.app.partition(ofExpiryLaneOf: user), due, in: ledger.transaction)
            return 0
        }
        let cutoff = ledger.expiryCutoffMs
        let table = Tables.pendenciesByTime
        var expired: [PendencyPlace] = []
        var next: Int64 = 0
        try table.scan(
            table.all(of: ledger.partition(of: user)), limit: limit + 1, in: ledger.transaction
        ) { row, _ in
            guard row.timeMs <= cutoff, expired.count < limit else {
                next = row.timeMs
                return .stop
            }
            expired.append(row.place)
            return .more
        }
        for place in expired {
            let (applicant, asked) =
                place.type == .sendOut ? (user, place.user) : (place.user, user)
            try Applications.end(from: applicant, to: asked, .expired, in: ledger)
        }
        try setOldest(of: user, to: next, in: ledger)
        return expired.count
    }

    /// Ends up to `limit` applications of the app that have expired, as one call that nobody made:
    /// a step of what goes on behind the calls.
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

    /// Notes that `user` has an application of that time, newer than all others.
    static func noteNewest(
        _ timeMs: Int64, of user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        if let lifetime = ledger.settings.applicationLifetimeMs {
            ledger.noteEnd(at: timeMs + lifetime)
        }
        guard try ledger.head(of: user)?.oldestPendencyMs == 0 else { return }
        try setOldest(of: user, to: timeMs, in: ledger)
    }

    /// Moves the user's row of the index; 0 takes it away.
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
    /// A part of the index of applications by the time of their users' oldest ones.
    package func partition(ofExpiryLane lane: UInt8) -> Partition {
        Partition(app: id, name: [0x07, 0x40 + lane % ApplicationExpiry.lanes])
    }

    package func partition(ofExpiryLaneOf user: UserID) -> Partition {
        partition(ofExpiryLane: Lane.of(user))
    }
}
