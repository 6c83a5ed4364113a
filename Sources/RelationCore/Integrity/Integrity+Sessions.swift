import RelationModel
import Storage

// The ends of users' sessions have an index by their numbers, and a count.

extension Integrity {
    /// The error of the ends of users' sessions; nil if they have none.
    package static func sessionFinding(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Finding? {
        let (ends, index) = try sessionRows(of: app, in: transaction)
        let summary = try SessionRules.summary(of: app, in: transaction)
        let isRight =
            ends.count == index.count && Set(ends) == Set(index)
            && summary.count == Int64(ends.count) && ends.allSatisfy { $0.sequence <= summary.last }
        return isRight ? nil : Finding(user: nil, fault: .wrongCounter, subject: "session_ends")
    }

    /// Makes the index and the count of the ends of sessions again, from their rows.
    ///
    /// - Returns: Whether they had an error.
    package static func repairSessions(in ledger: Ledger) throws(StorageError) -> Bool {
        let (app, transaction) = (ledger.app, ledger.transaction)
        guard try sessionFinding(of: app, in: transaction) != nil else { return false }
        let (ends, index) = try sessionRows(of: app, in: transaction)
        for key in Set(index).subtracting(ends) {
            Tables.sessionEndsByNumber.remove(app.partition, key, in: transaction)
        }
        for key in Set(ends).subtracting(index) {
            try Tables.sessionEndsByNumber.set(
                EmptyRecord(), at: app.partition, key, in: transaction)
        }
        var summary = try SessionRules.summary(of: app, in: transaction)
        summary.count = Int64(ends.count)
        summary.last = ends.reduce(summary.last) { max($0, $1.sequence) }
        try Tables.sessions.set(summary, at: app.partition, OnlyKey(), in: transaction)
        return true
    }

    /// The positions that the ends of sessions say they have, and those that the index has.
    private static func sessionRows(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> (ends: [SequencedUser], index: [SequencedUser]) {
        let table = Tables.sessionEnds
        var ends: [SequencedUser] = []
        var isBroken = false
        try table.scan(table.all(of: app.partition), limit: .max, in: transaction) { user, bytes in
            guard let record = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            ends.append(SequencedUser(sequence: record.number, user: user))
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "an end of sessions does not decode") }
        var index: [SequencedUser] = []
        let rows = Tables.sessionEndsByNumber.all(of: app.partition)
        try Tables.sessionEndsByNumber.scan(rows, limit: .max, in: transaction) { key, _ in
            index.append(key)
            return .more
        }
        return (ends, index)
    }
}
