import RelationModel
import Storage

/// The marks of users whose applications may be an abuse, for the moderators of an app.
///
/// They follow from the applicant's user record, which an application reads and writes anyway.
enum RiskMarks {
    /// The marks of the user of that record, in ascending order.
    static func marks(
        of userRecord: UserRecord, _ settings: AppSettings, at now: Timestamp
    ) -> [RiskMark] {
        var marks: [RiskMark] = []
        if now.milliseconds - userRecord.createdMs < Limits.riskyAgeMs { marks.append(.newAccount) }
        let sent = userRecord.applicationsSent(at: now, settings)
        let allowed = settings.applicationsPerDay
        if allowed > 0, sent * 100 >= allowed * Limits.riskyApplicationsPercent {
            marks.append(.nearLimit)
        }
        if userRecord.openReportCount >= Limits.riskyReports { marks.append(.reported) }
        if userRecord.refusalDay == now.day, userRecord.refusalsToday >= Limits.riskyRefusals {
            marks.append(.refused)
        }
        return marks
    }

    /// Notifies the app's stream of a new application, if its user has marks.
    static func notify(
        of applicant: UserID, applyingTo asked: UserID, in ledger: Ledger
    ) throws(StorageError) {
        guard ledger.settings.marksRisks, let userRecord = try ledger.userRecord(of: applicant)
        else { return }
        var item = ChangeItemRecord(about: asked)
        item.riskMarks = marks(of: userRecord, ledger.settings, at: ledger.now)
        guard !item.riskMarks.isEmpty else { return }
        _ = try ledger.notifyApp(.riskMarked, item, about: applicant)
    }

    /// Counts that `asked` refused an application of `applicant`; the end of an account refuses
    /// nothing.
    static func countRefusal(
        of applicant: UserID, by asked: UserID, in ledger: Ledger
    ) throws(StorageError) {
        guard ledger.settings.marksRisks, try ledger.userRecord(of: asked) != nil,
            try ledger.userRecord(of: applicant) != nil
        else { return }
        let today = ledger.now.day
        try ledger.changeUserRecord(of: applicant) { userRecord in
            if userRecord.refusalDay != today { userRecord.refusalsToday = 0 }
            userRecord.refusalDay = today
            userRecord.refusalsToday += 1
        }
    }
}
