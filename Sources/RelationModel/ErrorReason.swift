public import Protobuf

/// Why a call as a whole failed: the `reason` of the `google.rpc.ErrorInfo` in its trailers, which
/// carries the name of the value without `ERROR_REASON_`.
///
/// The reasons are ours; a gRPC status is named beside each.
public struct ErrorReason: OpenEnum {
    // The request

    /// Never sent.
    public static let unspecified = ErrorReason(rawValue: 0)
    /// `INTERNAL`: the bytes are no message of the call's type.
    public static let malformedMessage = ErrorReason(rawValue: 1)
    /// `INVALID_ARGUMENT`: fields of the request itself; a `google.rpc.BadRequest` names each.
    public static let invalidField = ErrorReason(rawValue: 2)
    /// `INVALID_ARGUMENT`: a list of the request is longer than the call allows.
    public static let tooManyItems = ErrorReason(rawValue: 3)
    /// `INVALID_ARGUMENT`: the token is not ours, or is another list's, order's or filter's.
    public static let invalidPageToken = ErrorReason(rawValue: 4)
    /// `INVALID_ARGUMENT`: the request identifier came before, with another body.
    public static let requestIDReused = ErrorReason(rawValue: 5)
    /// `INVALID_ARGUMENT`: `min_sequence` is above every sequence of that user.
    public static let sequenceNotIssued = ErrorReason(rawValue: 6)

    // The caller

    /// `UNAUTHENTICATED`: the call carries no credential that this server accepts.
    public static let credentialMissing = ErrorReason(rawValue: 7)
    /// `PERMISSION_DENIED`: the credential lacks the scope that the call or a field needs.
    public static let scopeMissing = ErrorReason(rawValue: 8)
    /// `PERMISSION_DENIED`: the credential may not act for that user; code 30004.
    public static let foreignUser = ErrorReason(rawValue: 9)
    /// `NOT_FOUND`: the server has no such app.
    public static let appNotFound = ErrorReason(rawValue: 10)
    /// `NOT_FOUND`: the acting user is no account of the app.
    public static let userNotFound = ErrorReason(rawValue: 11)

    // Client apps

    /// `NOT_FOUND`: the app has not registered that client app.
    public static let clientAppNotFound = ErrorReason(rawValue: 35)
    /// `INVALID_ARGUMENT`: permissions to read and to publish in one grant.
    public static let permissionsMixed = ErrorReason(rawValue: 36)
    /// `FAILED_PRECONDITION`: the app has as many client apps as it may have.
    public static let clientAppsFull = ErrorReason(rawValue: 37)

    // The server

    /// `ABORTED`: `expected_version` is not the present one, which metadata `version` tells.
    public static let versionStale = ErrorReason(rawValue: 12)
    /// `ABORTED`: another write came first; the call may be repeated as it is.
    public static let conflict = ErrorReason(rawValue: 13)
    /// `UNAVAILABLE`: the read waited for `min_sequence` in vain.
    public static let behind = ErrorReason(rawValue: 14)
    /// `UNAVAILABLE`, or `INTERNAL` if it is broken: the store does not answer.
    public static let storageUnavailable = ErrorReason(rawValue: 15)
    /// `RESOURCE_EXHAUSTED`: the server's disk is all but full; reads still work.
    public static let diskLow = ErrorReason(rawValue: 16)
    /// `UNAVAILABLE`: the server is stopping.
    public static let stopping = ErrorReason(rawValue: 17)
    /// `RESOURCE_EXHAUSTED`: a queue is full; `google.rpc.RetryInfo` says when to come back.
    public static let overloaded = ErrorReason(rawValue: 18)

    // Apps and their credentials

    /// `ALREADY_EXISTS`: the server has an app of that number.
    public static let appExists = ErrorReason(rawValue: 19)
    /// `FAILED_PRECONDITION`: the app of that number was deleted, and its rows are not all gone.
    public static let appBeingDeleted = ErrorReason(rawValue: 20)
    /// `RESOURCE_EXHAUSTED`: the server has as many apps as it holds; metadata `limit`.
    public static let tooManyApps = ErrorReason(rawValue: 21)
    /// `RESOURCE_EXHAUSTED`: the app has as many credentials as it may; metadata `limit`.
    public static let tooManyCredentials = ErrorReason(rawValue: 22)
    /// `NOT_FOUND`: the app has no such credential.
    public static let credentialNotFound = ErrorReason(rawValue: 23)

    // Accounts and upkeep

    /// `NOT_FOUND`: there was no such deletion, or it ended more than 30 days ago.
    public static let deletionNotFound = ErrorReason(rawValue: 40)
    /// `FAILED_PRECONDITION`: the point in time that an export was made at is not kept any more.
    public static let pointGone = ErrorReason(rawValue: 41)
    /// `RESOURCE_EXHAUSTED`: as many exports as the server keeps are open.
    public static let exportsFull = ErrorReason(rawValue: 42)

    public static let schema = EnumSchema(
        "relation.v1.ErrorReason",
        [
            (unspecified.rawValue, "ERROR_REASON_UNSPECIFIED"),
            (malformedMessage.rawValue, "ERROR_REASON_MALFORMED_MESSAGE"),
            (invalidField.rawValue, "ERROR_REASON_INVALID_FIELD"),
            (tooManyItems.rawValue, "ERROR_REASON_TOO_MANY_ITEMS"),
            (invalidPageToken.rawValue, "ERROR_REASON_INVALID_PAGE_TOKEN"),
            (requestIDReused.rawValue, "ERROR_REASON_REQUEST_ID_REUSED"),
            (sequenceNotIssued.rawValue, "ERROR_REASON_SEQUENCE_NOT_ISSUED"),
            (credentialMissing.rawValue, "ERROR_REASON_CREDENTIAL_MISSING"),
            (scopeMissing.rawValue, "ERROR_REASON_SCOPE_MISSING"),
            (foreignUser.rawValue, "ERROR_REASON_FOREIGN_USER"),
            (appNotFound.rawValue, "ERROR_REASON_APP_NOT_FOUND"),
            (userNotFound.rawValue, "ERROR_REASON_USER_NOT_FOUND"),
            (versionStale.rawValue, "ERROR_REASON_VERSION_STALE"),
            (conflict.rawValue, "ERROR_REASON_CONFLICT"),
            (behind.rawValue, "ERROR_REASON_BEHIND"),
            (storageUnavailable.rawValue, "ERROR_REASON_STORAGE_UNAVAILABLE"),
            (diskLow.rawValue, "ERROR_REASON_DISK_LOW"),
            (stopping.rawValue, "ERROR_REASON_STOPPING"),
            (overloaded.rawValue, "ERROR_REASON_OVERLOADED"),
            (appExists.rawValue, "ERROR_REASON_APP_EXISTS"),
            (appBeingDeleted.rawValue, "ERROR_REASON_APP_BEING_DELETED"),
            (tooManyApps.rawValue, "ERROR_REASON_TOO_MANY_APPS"),
            (tooManyCredentials.rawValue, "ERROR_REASON_TOO_MANY_CREDENTIALS"),
            (credentialNotFound.rawValue, "ERROR_REASON_CREDENTIAL_NOT_FOUND"),
            (clientAppNotFound.rawValue, "ERROR_REASON_CLIENT_APP_NOT_FOUND"),
            (permissionsMixed.rawValue, "ERROR_REASON_PERMISSIONS_MIXED"),
            (clientAppsFull.rawValue, "ERROR_REASON_CLIENT_APPS_FULL"),
            (deletionNotFound.rawValue, "ERROR_REASON_DELETION_NOT_FOUND"),
            (pointGone.rawValue, "ERROR_REASON_POINT_GONE"),
            (exportsFull.rawValue, "ERROR_REASON_EXPORTS_FULL"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
