public import Protobuf

/// The outcome of a profile call, or of one field of it.
///
/// The codes are TIM's profile codes and, for apps with RongCloud's preset, RongCloud's.
public struct ProfileStatus: OpenEnum, Scalar {
    // TIM

    /// Done.
    public static let success = ProfileStatus(rawValue: 0)
    /// The item is malformed; `reason` names the field.
    public static let invalidParameter = ProfileStatus(rawValue: 40001)
    /// TIM's code for a request that names no user.
    ///
    /// The server never answers it.
    public static let accountMissing = ProfileStatus(rawValue: 40002)
    /// The user is not an account of the app.
    public static let accountNotFound = ProfileStatus(rawValue: 40003)
    /// Only an administrator may do this.
    public static let adminRequired = ProfileStatus(rawValue: 40004)
    /// A text holds a word that the app forbids.
    public static let sensitiveText = ProfileStatus(rawValue: 40005)
    /// TIM's code for a failure of the server.
    ///
    /// The server never answers it: such a call fails as a whole.
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

    /// RongCloud: the caller may not write the field.
    public static let keyNotAllowed = ProfileStatus(rawValue: 24360)
    /// RongCloud: a profile has no such field.
    public static let keyNotExist = ProfileStatus(rawValue: 24361)
    /// RongCloud: the app has no custom field of that name.
    public static let customKeyNotExist = ProfileStatus(rawValue: 24362)
    /// RongCloud: more custom fields than the app allows.
    public static let customCountLimit = ProfileStatus(rawValue: 24363)
    /// RongCloud: the value is too long.
    public static let lengthLimit = ProfileStatus(rawValue: 24364)
    /// RongCloud: no user has that unique id.
    public static let uniqueIDNotExist = ProfileStatus(rawValue: 24366)
    /// RongCloud: the value is of the wrong kind.
    public static let onlyNumbers = ProfileStatus(rawValue: 24367)
    /// RongCloud: the value is of the right kind, and not allowed.
    public static let valueRange = ProfileStatus(rawValue: 24368)
    /// RongCloud: a text holds a word that the app forbids.
    public static let auditFailed = ProfileStatus(rawValue: 25480)
    /// RongCloud: the unique id is malformed.
    public static let uniqueIDMalformed = ProfileStatus(rawValue: 34236)
    /// The app's own hook refuses it.
    ///
    /// The hook may answer any other code up to 39000 instead, which is passed on.
    public static let refusedByHook = ProfileStatus(rawValue: 38000)

    public static let schema = EnumSchema(
        "relation.v1.ProfileStatus",
        codes: [
            (
                success.rawValue, "PROFILE_STATUS_SUCC",
                "Done."
            ),
            (
                invalidParameter.rawValue, "PROFILE_STATUS_INVALID_PARAMETERS",
                "The item is malformed."
            ),
            (
                accountMissing.rawValue, "PROFILE_STATUS_ACCOUNT_MISS",
                "TIM's: the request names no user; never answered here."
            ),
            (
                accountNotFound.rawValue, "PROFILE_STATUS_ACCOUNT_NOT_FOUND",
                "The user is not an account of the app."
            ),
            (
                adminRequired.rawValue, "PROFILE_STATUS_ADMIN_REQUIRED",
                "Only an administrator may do this."
            ),
            (
                sensitiveText.rawValue, "PROFILE_STATUS_SENSITIVE_TEXT",
                "A text holds a word that the app forbids."
            ),
            (
                internalError.rawValue, "PROFILE_STATUS_INTERNAL_ERROR",
                "TIM's: the server failed; never answered here."
            ),
            (
                readPermissionRequired.rawValue, "PROFILE_STATUS_READ_PERMISSION_REQUIRED",
                "The caller may not read the field."
            ),
            (
                writePermissionRequired.rawValue, "PROFILE_STATUS_WRITE_PERMISSION_REQUIRED",
                "The caller may not write the field."
            ),
            (
                tagNotFound.rawValue, "PROFILE_STATUS_TAG_NOT_FOUND",
                "A profile has no such field."
            ),
            (
                sizeLimit.rawValue, "PROFILE_STATUS_SIZE_LIMIT",
                "The value is too long."
            ),
            (
                valueError.rawValue, "PROFILE_STATUS_VALUE_ERROR",
                "The value is of the right kind, and not allowed."
            ),
            (
                invalidValueFormat.rawValue, "PROFILE_STATUS_INVALID_VALUE_FORMAT",
                "The value is of the wrong kind."
            ),
            (
                keyNotAllowed.rawValue, "PROFILE_STATUS_KEY_NOT_ALLOW_SDK_SET",
                "The caller may not write the field."
            ),
            (
                keyNotExist.rawValue, "PROFILE_STATUS_KEY_NOT_EXIST",
                "A profile has no such field."
            ),
            (
                customKeyNotExist.rawValue, "PROFILE_STATUS_EXT_KEY_NOT_EXIST",
                "The app has no custom field of that name."
            ),
            (
                customCountLimit.rawValue, "PROFILE_STATUS_EXT_KV_COUNT_EXCEED_LIMIT",
                "The user would have more custom fields than the app allows."
            ),
            (
                lengthLimit.rawValue, "PROFILE_STATUS_VALUE_LENGTH_EXCEED_LIMIT",
                "The value is too long."
            ),
            (
                uniqueIDNotExist.rawValue, "PROFILE_STATUS_USER_NOT_EXIST",
                "No user has that unique identifier."
            ),
            (
                onlyNumbers.rawValue, "PROFILE_STATUS_VALUE_CAN_ONLY_BE_NUMBERS",
                "The value is of the wrong kind."
            ),
            (
                valueRange.rawValue, "PROFILE_STATUS_VALUE_EXCEED_RANGE",
                "The value is of the right kind, and not allowed."
            ),
            (
                auditFailed.rawValue, "PROFILE_STATUS_SERVICE_INFORMATION_AUDIT_FAILED",
                "A text holds a word that the app forbids."
            ),
            (
                uniqueIDMalformed.rawValue, "PROFILE_STATUS_UNIQUE_ID",
                "The unique identifier is malformed."
            ),
            (
                refusedByHook.rawValue, "PROFILE_STATUS_REFUSED_BY_HOOK",
                "The app's own hook refuses it; the hook may have another code up to 39000."
            ),
        ],
        spelled: [
            success.rawValue: "success",
            invalidParameter.rawValue: "invalidParameter",
            accountMissing.rawValue: "accountMissing",
            keyNotAllowed.rawValue: "keyNotAllowed",
            customKeyNotExist.rawValue: "customKeyNotExist",
            customCountLimit.rawValue: "customCountLimit",
            lengthLimit.rawValue: "lengthLimit",
            uniqueIDNotExist.rawValue: "uniqueIDNotExist",
            onlyNumbers.rawValue: "onlyNumbers",
            valueRange.rawValue: "valueRange",
            auditFailed.rawValue: "auditFailed",
            uniqueIDMalformed.rawValue: "uniqueIDMalformed",
            refusedByHook.rawValue: "refusedByHook",
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
