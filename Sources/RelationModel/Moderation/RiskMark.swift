public import Protobuf

/// Why an application may be an abuse.
public struct RiskMark: OpenEnum, Scalar {
    /// Never sent.
    public static let unspecified = RiskMark(rawValue: 0)
    /// The applicant's account was made less than a day ago.
    public static let newAccount = RiskMark(rawValue: 1)
    /// The applicant has sent most of the applications that the app allows in a window.
    public static let nearLimit = RiskMark(rawValue: 2)
    /// Several reports about the applicant are open.
    public static let reported = RiskMark(rawValue: 3)
    /// Several applications of the applicant were refused today.
    public static let refused = RiskMark(rawValue: 4)

    public static let schema = EnumSchema(
        "relation.v1.RiskMark",
        [
            (unspecified.rawValue, "RISK_MARK_UNSPECIFIED"),
            (newAccount.rawValue, "RISK_MARK_NEW_ACCOUNT"),
            (nearLimit.rawValue, "RISK_MARK_NEAR_LIMIT"),
            (reported.rawValue, "RISK_MARK_REPORTED"),
            (refused.rawValue, "RISK_MARK_REFUSED"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
