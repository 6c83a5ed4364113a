import RelationAdmission

// The audit that a server keeps.
extension Configuration {
    /// Begins to record the calls of apps, if the settings say so.
    func beginAudit(of apps: Apps) {
        apps.audit.configure(days: number(.auditDays) ?? 0, everyCall: recordsEveryCall)
    }

    private var recordsEveryCall: Bool { text(.auditCalls) == "all" }

    /// The errors of the settings of the audit, in words.
    var errorsOfAudit: [String] {
        guard recordsEveryCall, (number(.auditDays) ?? 0) == 0 else { return [] }
        return ["\(name(.auditCalls)) needs \(name(.auditDays)) above 0"]
    }
}
