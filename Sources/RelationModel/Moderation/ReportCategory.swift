public import Protobuf

/// Why a user is reported.
public struct ReportCategory: OpenEnum, Scalar {
    /// Not given.
    public static let unspecified = ReportCategory(rawValue: 0)
    /// Advertising, or messages that no user asked for.
    public static let spam = ReportCategory(rawValue: 1)
    /// Insults, threats or persecution.
    public static let harassment = ReportCategory(rawValue: 2)
    /// The user claims to be another person.
    public static let impersonation = ReportCategory(rawValue: 3)
    /// Names, pictures or texts that the app does not want.
    public static let inappropriate = ReportCategory(rawValue: 4)
    /// Fraud, or an attempt at it.
    public static let fraud = ReportCategory(rawValue: 5)
    /// Something else, which the text says.
    public static let other = ReportCategory(rawValue: 6)

    public static let schema = EnumSchema(
        "relation.v1.ReportCategory",
        [
            (unspecified.rawValue, "REPORT_CATEGORY_UNSPECIFIED"),
            (spam.rawValue, "REPORT_CATEGORY_SPAM"),
            (harassment.rawValue, "REPORT_CATEGORY_HARASSMENT"),
            (impersonation.rawValue, "REPORT_CATEGORY_IMPERSONATION"),
            (inappropriate.rawValue, "REPORT_CATEGORY_INAPPROPRIATE"),
            (fraud.rawValue, "REPORT_CATEGORY_FRAUD"),
            (other.rawValue, "REPORT_CATEGORY_OTHER"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
