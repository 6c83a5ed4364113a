import RelationCore
import RelationModel
import Storage

extension World {
    /// So few ends that a history drops some, whose moments then hold for all users.
    static let sessionEnds = 3

    /// The outcome of a step that ends the sessions of `user`.
    static func endSessions(
        of user: UserID, before timeMs: Int64, in ledger: Ledger
    ) throws(StorageError) -> StepOutcome {
        StepOutcome(
            try SessionRules.end(user, before: timeMs, in: ledger, limit: sessionEnds))
    }

    /// Adds the ends of sessions to `view`, those of users without an account too.
    func addSessions(to view: inout Oracle.View) throws(StorageError) {
        for (user, record) in try rows(of: Tables.sessionEnds, in: app.partition) {
            view.sessionEnds[user] = record.beforeMs
        }
        view.sessionFloorMs = try read { (transaction) throws(StorageError) in
            try SessionRules.summary(of: app, in: transaction).floorMs
        }
    }
}

extension StepOutcome {
    init(_ end: SessionRules.End) {
        answer = Oracle.Answer(0, "before \(end.beforeMs)")
        changed = end.changed
    }
}

extension Oracle {
    /// Ends the sessions of `user`, unless they ended later already.
    ///
    /// The user whose sessions ended longest ago leaves the list if it has become too long.
    mutating func endSessions(of user: UserID, before timeMs: Int64) -> Answer {
        let present = max(view.sessionEnds[user] ?? 0, view.sessionFloorMs)
        guard timeMs > present else { return Answer(0, "before \(present)") }
        sessionOrder.removeAll { $0 == user }
        sessionOrder.append(user)
        view.sessionEnds[user] = timeMs
        if sessionOrder.count > World.sessionEnds {
            let dropped = view.sessionEnds.removeValue(forKey: sessionOrder.removeFirst()) ?? 0
            view.sessionFloorMs = max(view.sessionFloorMs, dropped)
        }
        return Answer(0, "before \(timeMs)")
    }
}
