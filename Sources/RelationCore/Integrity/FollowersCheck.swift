package import RelationModel
import Storage

/// A check of the followers of one user, part by part: a user may have millions.
///
/// Each part is bounded, and so is its repair. The counter is compared at the end, with the rows of
/// all parts, and repaired by the difference: meanwhile the user may get followers and lose some.
package struct FollowersCheck {
    /// The errors of one part.
    package struct Part {
        /// Followers in the index that do not follow the user since the time given there.
        package fileprivate(set) var strays: [ListedFollow] = []
        /// How many followers the counter lacks; negative if it has too many.
        package fileprivate(set) var missing: Int64 = 0
        /// These errors as findings.
        package fileprivate(set) var findings: [Integrity.Finding] = []
    }

    package let user: UserID
    package private(set) var isDone = false
    /// Whether some followers were looked at.
    var hasBegun: Bool { last != nil }
    private let app: App
    private var last: ListedFollow?
    private var rows: Int64 = 0
    /// The counter when the check began.
    private var counted: Int64?
    private let limit: Int

    package init(_ user: UserID, _ app: App, limit: Int = CoreLimits.followersPerCheck) {
        self.user = user
        self.app = app
        self.limit = limit
    }

    /// Checks that the next users in the index of followers follow the user since the time given
    /// there.
    package mutating func next(in transaction: any ReadTransaction) throws(StorageError) -> Part {
        let partition = app.partition(of: user)
        let known: Int64
        if let counted {
            known = counted
        } else {
            // The rows of an account that is being deleted are its deletion's.
            isDone = try !Tables.userRecords.contains(partition, OnlyKey(), in: transaction)
            if isDone { return Part() }
            let counts = try Tables.followCounts.record(partition, OnlyKey(), in: transaction)
            known = Int64(counts?.followers ?? 0)
            counted = known
        }
        let table = Tables.followsByTime
        var listed: [ListedFollow] = []
        try table.scan(
            table.rows(of: partition, .followers, after: last), limit: limit, in: transaction
        ) { key, _ in
            listed.append(key)
            return .more
        }
        var part = Part()
        let times = try Follows.times(
            ofFollowsOf: user, by: listed.map(\.user), app: app, in: transaction)
        for (follow, timeMs) in zip(listed, times) where timeMs != follow.timeMs {
            part.strays.append(follow)
            part.findings.append(
                Integrity.Finding(
                    user: user, fault: .indexWithoutRow, subject: "followers_by_time",
                    other: follow.user))
        }
        rows += Int64(listed.count)
        last = listed.last ?? last
        isDone = listed.count < limit
        if isDone, rows != known {
            part.missing = rows - known
            part.findings.append(
                Integrity.Finding(user: user, fault: .wrongCounter, subject: "follow_count"))
        }
        return part
    }

    /// Repairs the errors of a part.
    ///
    /// - Returns: The errors that it repaired.
    package static func repair(
        _ part: Part, of user: UserID, in ledger: Ledger
    ) throws(StorageError) -> [Integrity.Finding] {
        let partition = ledger.partition(of: user)
        let times = try Follows.times(
            ofFollowsOf: user, by: part.strays.map(\.user), app: ledger.app,
            in: ledger.transaction)
        var change = part.missing
        var gone: Set<UserID> = []
        for (stray, timeMs) in zip(part.strays, times) {
            // The user may have followed since, at another time.
            guard timeMs != stray.timeMs,
                try Tables.followsByTime.contains(partition, stray, in: ledger.transaction)
            else { continue }
            Tables.followsByTime.remove(partition, stray, in: ledger.transaction)
            change -= 1
            gone.insert(stray.user)
        }
        if change != 0 {
            try Follows.changeCounts(of: user, in: ledger) { counts in
                counts.followers = UInt32(clamping: Int64(counts.followers) + change)
            }
        }
        return part.findings.filter { finding in finding.other.map(gone.contains) ?? true }
    }
}

extension Follows {
    /// The time at which each of `users` began to follow `user`; nil if it does not.
    static func times(
        ofFollowsOf user: UserID, by users: [UserID], app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [Int64?] {
        var keys = KeyList()
        for follower in users { Tables.follows.add(app.partition(of: follower), user, to: &keys) }
        guard keys.count > 0 else { return [] }
        return try Tables.follows.records(keys, in: transaction).map { $0?.followTimeMs }
    }
}
