import RelationCore
import RelationModel

extension Oracle {
    mutating func suspend(
        _ user: UserID, _ level: SuspensionLevel, seconds: Int64, _ nowMs: Int64
    ) -> Answer {
        guard accounts.contains(user) else { return Answer(30003) }
        let old = view.suspensions[user].flatMap { holds($0, nowMs) ? $0 : nil }
        var record = SuspensionRecord()
        record.level = level
        record.startTimeMs = old?.startTimeMs ?? nowMs
        record.endTimeMs = seconds == 0 ? 0 : nowMs + seconds * 1_000
        view.suspensions[user] = record
        return Answer(0)
    }

    mutating func reinstate(_ user: UserID, _ nowMs: Int64) -> Answer {
        guard accounts.contains(user) else { return Answer(30003) }
        // The row of one that has ended is left to the sweep.
        if let record = view.suspensions[user], holds(record, nowMs) {
            view.suspensions[user] = nil
        }
        return Answer(0)
    }

    mutating func report(_ other: UserID, by user: UserID, _ nowMs: Int64) -> Answer {
        guard user != other else { return Answer(30001, "Err_UserReport_Self") }
        guard accounts.contains(other) else { return Answer(30003) }
        let window = nowMs / reportsWindowMs
        let made = reportsMade[user].flatMap { $0.window == window ? $0.count : nil } ?? 0
        guard made < RelationStep.reportBounds.perWindow else {
            return Answer(30001, "Err_UserReport_Too_Frequent")
        }
        reportsMade[user] = (window, made + 1)
        view.reports[Pair(user, other), default: 0] += 1
        view.closedReports.remove(Pair(user, other))
        return Answer(0)
    }

    mutating func resolve(_ other: UserID, by user: UserID) -> Answer {
        guard view.reports[Pair(user, other)] != nil else {
            return Answer(30001, "Err_ReportResolve_Not_Exist")
        }
        view.closedReports.insert(Pair(user, other))
        return Answer(0)
    }

    /// Whether the user may not be added or followed.
    func isSuspended(_ user: UserID, _ nowMs: Int64) -> Bool {
        guard let record = view.suspensions[user], holds(record, nowMs) else { return false }
        return record.level.rawValue >= SuspensionLevel.suspended.rawValue
    }

    func isBanned(_ user: UserID, _ nowMs: Int64) -> Bool {
        guard let record = view.suspensions[user], holds(record, nowMs) else { return false }
        return record.level == .banned
    }

    private func holds(_ record: SuspensionRecord, _ nowMs: Int64) -> Bool {
        record.endTimeMs == 0 || nowMs < record.endTimeMs
    }
}
