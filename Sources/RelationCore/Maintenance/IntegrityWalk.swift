package import RelationModel
package import Storage

/// A walk through every row of one app, which looks for errors, part by part.
///
/// All parts look at one moment of the store, which the caller keeps.
package struct IntegrityWalk {
    /// The result of one part.
    package enum Part {
        /// So many users are known to come next.
        case users(Int)
        /// One user, with its errors.
        case user(UserID, [Integrity.Finding])
        /// The counts of the app, after every user; what they lack, by the lane.
        case counts(missing: [UInt8: LaneRecord])
        /// Rows of the index of unique identifiers that no profile has.
        case uniqueIDs(strays: [Integrity.IndexedID])
        /// One lane of the feed.
        case lane(UInt8, Integrity.Finding?)
    }

    private enum Stage { case users, uniqueIDs, lanes }

    package let app: App
    private var stage = Stage.users
    /// The users that were listed and not checked yet, the next one last.
    private var open: [UserID] = []
    private var areAllListed = false
    private var last: UserID?
    private var lastID: UniqueID?
    /// The next lane of the feed.
    private var lane: UInt8 = 0
    private var sums: [UInt8: LaneRecord] = [:]

    package init(_ app: App) {
        self.app = app
    }

    /// Whether the next part begins with other users, or with something else than users.
    package var isBetweenUsers: Bool { open.isEmpty }

    package var isComplete: Bool { stage == .lanes && lane == Lane.count }

    /// The amounts that the users have, once every user has been listed.
    package var counts: LaneRecord {
        sums.values.reduce(into: LaneRecord()) { $0.add($1) }
    }

    /// Looks at the next part; nil at the end.
    package mutating func next(
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Part? {
        switch stage {
        case .users:
            if let user = open.popLast() {
                return .user(user, try Integrity.findings(of: user, app: app, in: transaction))
            }
            if !areAllListed { return try list(in: transaction) }
            stage = .uniqueIDs
            return .counts(missing: try Integrity.missing(from: sums, app: app, in: transaction))
        case .uniqueIDs:
            let limit = Limits.checkedUniqueIDs
            let ids = try Integrity.uniqueIDs(
                of: app, after: lastID, limit: limit, in: transaction)
            lastID = ids.last?.id ?? lastID
            if ids.count < limit { stage = .lanes }
            return .uniqueIDs(strays: ids.filter(\.isStray))
        case .lanes:
            guard lane < Lane.count else { return nil }
            defer { lane += 1 }
            return .lane(lane, try Integrity.fault(ofLane: lane, app: app, in: transaction))
        }
    }

    private mutating func list(in transaction: any ReadTransaction) throws(StorageError) -> Part {
        let limit = Limits.checkedUsers
        let users = try Integrity.users(of: app, after: last, limit: limit, in: transaction)
        try Integrity.count(users, into: &sums, app: app, in: transaction)
        last = users.last ?? last
        areAllListed = users.count < limit
        open = users.reversed()
        return .users(users.count)
    }
}
