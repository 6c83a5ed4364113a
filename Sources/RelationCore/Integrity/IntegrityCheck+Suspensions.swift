import RelationModel
import Storage

// The suspension of a user stands in its row, in its user record, and in two indexes of the app,
// which also counts all of them.

extension IntegrityCheck {
    /// Compares the user's suspension with the user record and the indexes.
    mutating func checkSuspension() throws(StorageError) {
        let user = user
        let row = try Suspensions.record(of: user, app: app, in: transaction)
        let (level, endMs) = (row?.level ?? .unspecified, row?.endTimeMs ?? 0)
        var isIndexed = true
        if endMs != 0 {
            isIndexed = try Tables.suspensionEnds.contains(
                app.suspensionEnds, TimedUser(timeMs: endMs, user: user), in: transaction)
        }
        if userRecord.suspensionLevel != level || userRecord.suspensionEndMs != endMs || !isIndexed
        {
            note(.wrongCounter, "suspension") { (ledger) throws(StorageError) in
                // A row at another time goes by the sweep, which compares it with the user record.
                try ledger.changeUserRecord(of: user) {
                    $0.suspensionLevel = level
                    $0.suspensionEndMs = 0
                }
                try EndIndex.suspensions.move(user, to: endMs, in: ledger)
            }
        }
        let isListed = try Tables.suspendedUsers.contains(app.suspensions, user, in: transaction)
        switch (row != nil, isListed) {
        case (true, false):
            noteMissing(in: Tables.suspendedUsers, "suspensions", user, at: app.suspensions)
        case (false, true):
            noteStray(in: Tables.suspendedUsers, "suspensions", user, at: app.suspensions)
        default: break
        }
    }
}

extension Integrity {
    /// The error of the app's list of suspensions: a wrong count, or users without a suspension;
    /// nil if it has none.
    package static func suspensionFinding(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Finding? {
        let (users, strays) = try suspendedUsers(of: app, in: transaction)
        let count = try Suspensions.count(of: app, in: transaction)
        guard strays.isEmpty, count == Int64(users) else {
            return Finding(user: nil, fault: .wrongCounter, subject: "suspensions")
        }
        return nil
    }

    /// Drops users without a suspension from the app's list of suspensions, and counts it again.
    ///
    /// - Returns: Whether it had an error.
    package static func repairSuspensions(in ledger: Ledger) throws(StorageError) -> Bool {
        let (app, transaction) = (ledger.app, ledger.transaction)
        guard try suspensionFinding(of: app, in: transaction) != nil else { return false }
        let (users, strays) = try suspendedUsers(of: app, in: transaction)
        for user in strays {
            Tables.suspendedUsers.remove(app.suspensions, user, in: transaction)
        }
        var summary = SuspensionsRecord()
        summary.count = Int64(users - strays.count)
        try Tables.suspensionCounts.set(summary, at: app.suspensions, OnlyKey(), in: transaction)
        return true
    }

    /// The number of users in the app's list, and those among them that have no suspension.
    private static func suspendedUsers(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> (count: Int, strays: [UserID]) {
        let table = Tables.suspendedUsers
        var (count, strays): (Int, [UserID]) = (0, [])
        var last: UserID?
        while true {
            var part: [UserID] = []
            let range =
                last.map { table.rows(of: app.suspensions, after: $0) }
                ?? table.all(of: app.suspensions)
            try table.scan(range, limit: CoreLimits.keysPerRead, in: transaction) { user, _ in
                part.append(user)
                return .more
            }
            guard let end = part.last else { return (count, strays) }
            last = end
            count += part.count
            var keys = KeyList()
            for user in part {
                Tables.suspensions.add(app.partition(of: user), OnlyKey(), to: &keys)
            }
            for (user, isFound) in zip(part, try keys.found(in: transaction)) where !isFound {
                strays.append(user)
            }
        }
    }
}
