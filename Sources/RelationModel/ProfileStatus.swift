public import Protobuf

/// The outcome of a profile call or of one field of it: TIM's profile codes and, for apps with the
/// preset of that name, RongCloud's.
public struct ProfileStatus: OpenEnum {
    // TIM

    /// Done.
    public static let success = ProfileStatus(rawValue: 0)
    /// The item is malformed.
    public static let invalidParameter = ProfileStatus(rawValue: 40001)
    /// TIM's: the request names no user; mirrored, never answered here.
    public static let accountMissing = ProfileStatus(rawValue: 40002)
    /// The user is no account of the app.
    public static let accountNotFound = ProfileStatus(rawValue: 40003)
    /// Only an administrator may do this.
    public static let adminRequired = ProfileStatus(rawValue: 40004)
    /// A text holds a word that the app forbids.
    public static let sensitiveText = ProfileStatus(rawValue: 40005)
    /// TIM's: the server failed; mirrored, never answered here.
    public static let internalError = ProfileStatus(rawValue: 40006)
    /// The caller may not read the field.
    public static let readPermissionRequired = ProfileStatus(rawValue: 40007)
    /// The caller may not write the field.
    public static let writePermissionRequired = ProfileStatus(rawValue: 40008)
    /// A profile has no such field.
    public static let tagNotFound = ProfileStatus(rawValue: 40009)
    /// The value is too long.
    public static let sizeLimit = ProfileStatus(rawValue: 40601)
    /// The value is of the right kind, and not allowed.
    public static let valueError = ProfileStatus(rawValue: 40605)
    /// The value is of the wrong kind.
    public static let invalidValueFormat = ProfileStatus(rawValue: 40610)

    // RongCloud

    /// The caller may not write the field.
    public static let keyNotAllowed = ProfileStatus(rawValue: 24360)
    /// A profile has no such field.
    public static let keyNotExist = ProfileStatus(rawValue: 24361)
    /// The app has no custom field of that name.
    public static let customKeyNotExist = ProfileStatus(rawValue: 24362)
    /// More custom fields than the app allows.
    public static let customCountLimit = ProfileStatus(rawValue: 24363)
    /// The value is too long.
    public static let lengthLimit = ProfileStatus(rawValue: 24364)
    /// No user has that unique identifier.
    public static let uniqueIDNotExist = ProfileStatus(rawValue: 24366)
    /// The value is of the wrong kind.
    public static let onlyNumbers = ProfileStatus(rawValue: 24367)
    /// The value is of the right kind, and not allowed.
    public static let valueRange = ProfileStatus(rawValue: 24368)
    /// A text holds a word that the app forbids.
    public static let auditFailed = ProfileStatus(rawValue: 25480)
    /// The unique identifier is malformed.
    public static let uniqueIDMalformed = ProfileStatus(rawValue: 34236)

    public static let schema = EnumSchema(
        "relation.v1.ProfileStatus",
        [
            (success.rawValue, "PROFILE_STATUS_SUCC"),
            (invalidParameter.rawValue, "PROFILE_STATUS_INVALID_PARAMETERS"),
            (accountMissing.rawValue, "PROFILE_STATUS_ACCOUNT_MISS"),
            (accountNotFound.rawValue, "PROFILE_STATUS_ACCOUNT_NOT_FOUND"),
            (adminRequired.rawValue, "PROFILE_STATUS_ADMIN_REQUIRED"),
            (sensitiveText.rawValue, "PROFILE_STATUS_SENSITIVE_TEXT"),
            (internalError.rawValue, "PROFILE_STATUS_INTERNAL_ERROR"),
            (readPermissionRequired.rawValue, "PROFILE_STATUS_READ_PERMISSION_REQUIRED"),
            (writePermissionRequired.rawValue, "PROFILE_STATUS_WRITE_PERMISSION_REQUIRED"),
            (tagNotFound.rawValue, "PROFILE_STATUS_TAG_NOT_FOUND"),
            (sizeLimit.rawValue, "PROFILE_STATUS_SIZE_LIMIT"),
            (valueError.rawValue, "PROFILE_STATUS_VALUE_ERROR"),
            (invalidValueFormat.rawValue, "PROFILE_STATUS_INVALID_VALUE_FORMAT"),
            (keyNotAllowed.rawValue, "PROFILE_STATUS_KEY_NOT_ALLOW_SDK_SET"),
            (keyNotExist.rawValue, "PROFILE_STATUS_KEY_NOT_EXIST"),
            (customKeyNotExist.rawValue, "PROFILE_STATUS_EXT_KEY_NOT_EXIST"),
            (customCountLimit.rawValue, "PROFILE_STATUS_EXT_KV_COUNT_EXCEED_LIMIT"),
            (lengthLimit.rawValue, "PROFILE_STATUS_VALUE_LENGTH_EXCEED_LIMIT"),
            (uniqueIDNotExist.rawValue, "PROFILE_STATUS_USER_NOT_EXIST"),
            (onlyNumbers.rawValue, "PROFILE_STATUS_VALUE_CAN_ONLY_BE_NUMBERS"),
            (valueRange.rawValue, "PROFILE_STATUS_VALUE_EXCEED_RANGE"),
            (auditFailed.rawValue, "PROFILE_STATUS_SERVICE_INFORMATION_AUDIT_FAILED"),
            (uniqueIDMalformed.rawValue, "PROFILE_STATUS_UNIQUE_ID"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
