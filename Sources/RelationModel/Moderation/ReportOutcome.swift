public import Protobuf

/// How moderators closed a report.
public struct ReportOutcome: OpenEnum, Scalar {
    /// The report is open.
    public static let unspecified = ReportOutcome(rawValue: 0)
    /// Nothing came of it.
    public static let dismissed = ReportOutcome(rawValue: 1)
    /// The user was warned.
    public static let warned = ReportOutcome(rawValue: 2)
    /// The user was suspended.
    public static let suspended = ReportOutcome(rawValue: 3)

    public static let schema = EnumSchema(
        "relation.v1.ReportOutcome",
        [
            (unspecified.rawValue, "REPORT_OUTCOME_UNSPECIFIED"),
            (dismissed.rawValue, "REPORT_OUTCOME_DISMISSED"),
            (warned.rawValue, "REPORT_OUTCOME_WARNED"),
            (suspended.rawValue, "REPORT_OUTCOME_SUSPENDED"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
