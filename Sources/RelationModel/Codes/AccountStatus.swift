public import Protobuf

/// Whether a user is an account: TIM's AccountStatus.
public struct AccountStatus: OpenEnum, Scalar {
    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The id is malformed, so nothing is known.
    public static let unspecified = AccountStatus(rawValue: 0)
    /// The user is an account.
    public static let imported = AccountStatus(rawValue: 1)
    /// The user is not an account, or its account is being deleted.
    public static let notImported = AccountStatus(rawValue: 2)

    public static let schema = EnumSchema(
        "relation.v1.AccountStatus",
        [
            (0, "ACCOUNT_STATUS_UNSPECIFIED"),
            (1, "ACCOUNT_STATUS_IMPORTED"),
            (2, "ACCOUNT_STATUS_NOT_IMPORTED"),
        ])
}
