public import Protobuf

/// Why a call as a whole failed.
///
/// The name without `ERROR_REASON_` is the `reason` of the `google.rpc.ErrorInfo` in the call's
/// trailers. The reasons are ours; a gRPC status is named beside each.
public struct ErrorReason: OpenEnum, Scalar {
    // The request

    /// Never sent.
    public static let unspecified = ErrorReason(rawValue: 0)
    /// INTERNAL: the bytes are not a message of the call's type.
    public static let malformedMessage = ErrorReason(rawValue: 1)
    /// INVALID_ARGUMENT: fields of the request are invalid; a `google.rpc.BadRequest` names every
    /// one.
    public static let invalidField = ErrorReason(rawValue: 2)
    /// INVALID_ARGUMENT: a list of the request is longer than the call allows; metadata `limit` and
    /// `actual` give the numbers.
    public static let tooManyItems = ErrorReason(rawValue: 3)
    /// INVALID_ARGUMENT: the page token is not from this server, or was made for another list,
    /// order, filter or history of the app.
    public static let invalidPageToken = ErrorReason(rawValue: 4)
    /// INVALID_ARGUMENT: the resume token is not from this server, or was made for another app.
    public static let invalidResumeToken = ErrorReason(rawValue: 5)
    /// INVALID_ARGUMENT: an earlier call used this `request_id` with another body.
    public static let requestIDReused = ErrorReason(rawValue: 6)
    /// INVALID_ARGUMENT: `min_sequence` is above every sequence of that user.
    public static let sequenceNotIssued = ErrorReason(rawValue: 7)
    /// INVALID_ARGUMENT: one grant names permissions to read and permissions to publish.
    public static let permissionsMixed = ErrorReason(rawValue: 8)

    // The caller

    /// UNAUTHENTICATED: the call carries no credential.
    public static let credentialMissing = ErrorReason(rawValue: 9)
    /// UNAUTHENTICATED: the credential is malformed, unknown, revoked, forged, of another app than
    /// the call names, or not yet valid.
    ///
    /// The answer does not say which of these.
    public static let credentialInvalid = ErrorReason(rawValue: 10)
    /// UNAUTHENTICATED: the credential was good once, and has expired; its holder needs a new one.
    public static let credentialExpired = ErrorReason(rawValue: 11)
    /// PERMISSION_DENIED: the credential lacks the scope that the call, or a field of it, needs.
    public static let scopeMissing = ErrorReason(rawValue: 12)
    /// PERMISSION_DENIED: the credential may not act for that user.
    ///
    /// Metadata `code` is 30004.
    public static let foreignUser = ErrorReason(rawValue: 13)

    // Things that are missing, or there already

    /// NOT_FOUND: the server has no such app.
    public static let appNotFound = ErrorReason(rawValue: 14)
    /// NOT_FOUND: the acting user is not an account of the app.
    public static let userNotFound = ErrorReason(rawValue: 15)
    /// NOT_FOUND: the app has no such credential, or the server no such key of an operator.
    public static let credentialNotFound = ErrorReason(rawValue: 16)
    /// NOT_FOUND: the app has not registered that client app.
    public static let clientAppNotFound = ErrorReason(rawValue: 17)
    /// NOT_FOUND: there was no such deletion, or it ended more than 30 days ago.
    public static let deletionNotFound = ErrorReason(rawValue: 18)
    /// ALREADY_EXISTS: the server has an app of that number.
    public static let appExists = ErrorReason(rawValue: 19)
    /// ALREADY_EXISTS: the app already has that client certificate.
    public static let credentialExists = ErrorReason(rawValue: 20)

    // The state of things

    /// FAILED_PRECONDITION: the app of that number was deleted, and its rows are not all gone yet.
    public static let appBeingDeleted = ErrorReason(rawValue: 21)
    /// FAILED_PRECONDITION: the server does not keep the snapshot of the export any more;
    /// begin the export again.
    public static let pointGone = ErrorReason(rawValue: 22)
    /// ABORTED: `expected_version` is not the present version; metadata `version` gives the present
    /// one.
    public static let versionStale = ErrorReason(rawValue: 23)
    /// ABORTED: another write came first.
    ///
    /// The call may be repeated as it is.
    public static let conflict = ErrorReason(rawValue: 24)
    /// ABORTED: the client read a stream of changes too slowly for the number of changes that it
    /// follows.
    ///
    /// Metadata `resume_token` says where to go on; it is empty if the present state was not yet
    /// sent to its end.
    public static let slowReader = ErrorReason(rawValue: 25)

    // Bounds

    /// RESOURCE_EXHAUSTED: the server has as many apps as it can hold; metadata `limit` gives the
    /// number.
    public static let tooManyApps = ErrorReason(rawValue: 26)
    /// RESOURCE_EXHAUSTED: the app has as many credentials as it may have, or the server as many
    /// keys of operators; metadata `limit` gives the number.
    public static let tooManyCredentials = ErrorReason(rawValue: 27)
    /// RESOURCE_EXHAUSTED: the app has as many client apps as it may have; metadata `limit` and
    /// `actual` give the numbers.
    public static let tooManyClientApps = ErrorReason(rawValue: 28)
    /// RESOURCE_EXHAUSTED: the app has as many exports and checks under way as it may have;
    /// metadata `limit` and `actual` give the numbers.
    ///
    /// A `google.rpc.RetryInfo` says when to retry.
    public static let tooManyExports = ErrorReason(rawValue: 29)
    /// RESOURCE_EXHAUSTED: the app, the key or the user makes more calls than it may; metadata
    /// `limit` says how many calls a second are allowed.
    ///
    /// A `google.rpc.RetryInfo` says when to send the call again.
    public static let throttled = ErrorReason(rawValue: 30)
    /// RESOURCE_EXHAUSTED: the app, the key or the user has as many calls open as it may have;
    /// metadata `limit` gives the number.
    ///
    /// Open calls are streams, and calls that wait for an answer. A `google.rpc.RetryInfo` says
    /// when to try again.
    public static let tooManyOpenCalls = ErrorReason(rawValue: 31)
    /// RESOURCE_EXHAUSTED: the app, the key or the user uses as many connections as it may;
    /// metadata `limit` gives the number.
    ///
    /// A `google.rpc.RetryInfo` says when to try again.
    public static let tooManyConnections = ErrorReason(rawValue: 32)
    /// RESOURCE_EXHAUSTED: a queue of the server is full, or so many writes are ahead that this
    /// one's answer would come after the call's deadline.
    ///
    /// A `google.rpc.RetryInfo` says when to retry.
    public static let overloaded = ErrorReason(rawValue: 33)
    /// RESOURCE_EXHAUSTED: the server's disk is almost full, and nothing was written; reads still
    /// work.
    public static let diskLow = ErrorReason(rawValue: 34)

    // The server

    /// UNAVAILABLE: no standby has what the read must see, and `if_behind` wants no other answer.
    public static let behind = ErrorReason(rawValue: 35)
    /// The store does not answer: UNAVAILABLE, or INTERNAL if the store is broken.
    public static let storageUnavailable = ErrorReason(rawValue: 36)
    /// UNAVAILABLE: the server is stopping, or the connection is as old as it may become.
    ///
    /// Metadata says where to go on: `resume_token` for a stream of changes, `last_durable_row`
    /// for an import. All rows of the import up to that one are written or refused, and none after
    /// it. An export or a check must start over.
    public static let stopping = ErrorReason(rawValue: 37)
    /// UNKNOWN: the store failed during the write, and the server ends.
    ///
    /// Either the whole write is stored or nothing of it. After the server's next start, the same
    /// call under the same `request_id` settles it, and answers the outcome. For an import,
    /// metadata `last_durable_row` gives the row up to which all rows are written or refused; some
    /// rows after it may be written or refused too.
    public static let outcomeUnknown = ErrorReason(rawValue: 38)
    /// FAILED_PRECONDITION: the key is the last one of an operator that is good for ever; make
    /// another one before it ends.
    public static let lastOperatorKey = ErrorReason(rawValue: 39)
    /// FAILED_PRECONDITION: the server's store has no files of its own, or no folder for backups.
    public static let backupsUnavailable = ErrorReason(rawValue: 40)
    /// FAILED_PRECONDITION: another backup is under way.
    public static let backupUnderWay = ErrorReason(rawValue: 41)
    /// NOT_FOUND: the server has no such backup, or the backup no such file.
    public static let backupNotFound = ErrorReason(rawValue: 42)
    /// FAILED_PRECONDITION: the app has accounts or definitions already, and an export is read into
    /// an empty app only.
    public static let appNotEmpty = ErrorReason(rawValue: 43)
    /// FAILED_PRECONDITION: the export has a form that is newer than this server.
    ///
    /// Metadata `limit` is the newest form that it knows, and `actual` that of the export. Nothing
    /// was written.
    public static let exportFormatNewer = ErrorReason(rawValue: 44)
    /// ABORTED: the list that the call writes has changed after `expected_sequence`; metadata
    /// `sequence` tells its present sequence.
    public static let sequenceStale = ErrorReason(rawValue: 45)
    /// NOT_FOUND: the acting user has no invitation of that id.
    public static let invitationNotFound = ErrorReason(rawValue: 46)
    /// UNAUTHENTICATED: the signature was good once, and the app has ended the user's sessions
    /// since; its holder must sign in again.
    public static let sessionRevoked = ErrorReason(rawValue: 47)
    /// FAILED_PRECONDITION: another reader holds the consumer, and its lease is not over; metadata
    /// `reader` gives its number, and `expire_time_ms` when its lease ends.
    public static let consumerBusy = ErrorReason(rawValue: 56)
    /// ABORTED: the caller is not, or no longer, the reader of the consumer; metadata `reader`
    /// gives the number of the present reader, 0 if there is no such consumer.
    ///
    /// Acquire the consumer again.
    public static let readerFenced = ErrorReason(rawValue: 57)
    /// RESOURCE_EXHAUSTED: the app has as many consumers as it may have; metadata `limit` and
    /// `actual` give the numbers.
    public static let tooManyConsumers = ErrorReason(rawValue: 58)

    // Webhooks

    /// NOT_FOUND: the app has no hook of that id.
    public static let hookNotFound = ErrorReason(rawValue: 53)
    /// RESOURCE_EXHAUSTED: the app has as many hooks as it may have; metadata `limit`.
    public static let tooManyHooks = ErrorReason(rawValue: 54)
    /// FAILED_PRECONDITION: the server's operator allows no hooks.
    public static let hooksDisabled = ErrorReason(rawValue: 55)
    /// UNAVAILABLE: the app's own hook gave no answer about the call, and the app wants such a call
    /// to fail.
    ///
    /// Nothing was written; the call may be repeated as it is.
    public static let hookSilent = ErrorReason(rawValue: 60)
    /// RESOURCE_EXHAUSTED: as many calls of the app wait for its hook as may; metadata `limit`.
    public static let tooManyQuestions = ErrorReason(rawValue: 61)
    /// FAILED_PRECONDITION: another hook of the app asks before the same calls.
    public static let hookQuestionTaken = ErrorReason(rawValue: 62)
    /// RESOURCE_EXHAUSTED: as many tests of the app's hooks as may be under way wait for their
    /// receivers; metadata `limit`.
    public static let tooManyHookTests = ErrorReason(rawValue: 66)
    /// RESOURCE_EXHAUSTED: as many secrets of the hook are good as may be; metadata `limit`.
    public static let tooManyHookSecrets = ErrorReason(rawValue: 72)
    /// FAILED_PRECONDITION: the app's history does not reach back to `as_of_ms`.
    ///
    /// Metadata `since_time_ms` is the earliest moment, 0 if the app keeps no history.
    public static let historyNotKept = ErrorReason(rawValue: 73)
    /// FAILED_PRECONDITION: more changes stand between `as_of_ms` and now than a read looks at.
    ///
    /// Metadata `limit` is the most entries, or `limit_bytes` their most bytes.
    public static let tooManyChanges = ErrorReason(rawValue: 74)
    /// UNAVAILABLE: the app is on its way to another database, or lives in one that this server
    /// does not serve.
    ///
    /// A `google.rpc.RetryInfo` says when to retry. A stream of changes also gets the metadata
    /// `resume_token`, which is good at the other database too.
    public static let appMoving = ErrorReason(rawValue: 75)
    /// PERMISSION_DENIED: the acting user is suspended, and its level forbids the call.
    ///
    /// Metadata `level` is the number of the level, and `end_time_ms` the end of the suspension, 0
    /// if it has none.
    public static let accountSuspended = ErrorReason(rawValue: 50)

    public static let schema = EnumSchema(
        "relation.v1.ErrorReason",
        codes: [
            (
                unspecified.rawValue, "ERROR_REASON_UNSPECIFIED",
                "Never sent."
            ),
            (
                malformedMessage.rawValue, "ERROR_REASON_MALFORMED_MESSAGE",
                "`INTERNAL`: the bytes are not a message of the call's type."
            ),
            (
                invalidField.rawValue, "ERROR_REASON_INVALID_FIELD",
                "`INVALID_ARGUMENT`: fields of the request are invalid; a "
                    + "`google.rpc.BadRequest` names every one."
            ),
            (
                tooManyItems.rawValue, "ERROR_REASON_TOO_MANY_ITEMS",
                "`INVALID_ARGUMENT`: a list of the request is longer than the call "
                    + "allows."
            ),
            (
                invalidPageToken.rawValue, "ERROR_REASON_INVALID_PAGE_TOKEN",
                "`INVALID_ARGUMENT`: the page token is not from this server, or was "
                    + "made for another list, order, filter or history of the app."
            ),
            (
                invalidResumeToken.rawValue, "ERROR_REASON_INVALID_RESUME_TOKEN",
                "`INVALID_ARGUMENT`: the resume token is not from this server, or is of another "
                    + "app."
            ),
            (
                requestIDReused.rawValue, "ERROR_REASON_REQUEST_ID_REUSED",
                "`INVALID_ARGUMENT`: an earlier call used this `request_id` with another "
                    + "body."
            ),
            (
                sequenceNotIssued.rawValue, "ERROR_REASON_SEQUENCE_NOT_ISSUED",
                "`INVALID_ARGUMENT`: `min_sequence` is above every sequence of that "
                    + "user."
            ),
            (
                permissionsMixed.rawValue, "ERROR_REASON_PERMISSIONS_MIXED",
                "`INVALID_ARGUMENT`: one grant names permissions to read and to publish."
            ),
            (
                credentialMissing.rawValue, "ERROR_REASON_CREDENTIAL_MISSING",
                "`UNAUTHENTICATED`: the call carries no credential."
            ),
            (
                credentialInvalid.rawValue, "ERROR_REASON_CREDENTIAL_INVALID",
                "`UNAUTHENTICATED`: the credential is malformed, unknown, revoked, forged, of "
                    + "another app or not yet valid."
            ),
            (
                credentialExpired.rawValue, "ERROR_REASON_CREDENTIAL_EXPIRED",
                "`UNAUTHENTICATED`: the credential has expired; get a new one."
            ),
            (
                scopeMissing.rawValue, "ERROR_REASON_SCOPE_MISSING",
                "`PERMISSION_DENIED`: the credential lacks the scope that the call or a "
                    + "field needs."
            ),
            (
                foreignUser.rawValue, "ERROR_REASON_FOREIGN_USER",
                "`PERMISSION_DENIED`: the credential may not act for that user; code "
                    + "30004."
            ),
            (
                appNotFound.rawValue, "ERROR_REASON_APP_NOT_FOUND",
                "`NOT_FOUND`: the server has no such app."
            ),
            (
                userNotFound.rawValue, "ERROR_REASON_USER_NOT_FOUND",
                "`NOT_FOUND`: the acting user is not an account of the app."
            ),
            (
                credentialNotFound.rawValue, "ERROR_REASON_CREDENTIAL_NOT_FOUND",
                "`NOT_FOUND`: the app has no such credential, or the server no such key of "
                    + "an operator."
            ),
            (
                clientAppNotFound.rawValue, "ERROR_REASON_CLIENT_APP_NOT_FOUND",
                "`NOT_FOUND`: the app has not registered that client app."
            ),
            (
                deletionNotFound.rawValue, "ERROR_REASON_DELETION_NOT_FOUND",
                "`NOT_FOUND`: there was no such deletion, or it ended more than 30 days "
                    + "ago."
            ),
            (
                appExists.rawValue, "ERROR_REASON_APP_EXISTS",
                "`ALREADY_EXISTS`: the server has an app of that number."
            ),
            (
                credentialExists.rawValue, "ERROR_REASON_CREDENTIAL_EXISTS",
                "`ALREADY_EXISTS`: the app already has that client certificate."
            ),
            (
                appBeingDeleted.rawValue, "ERROR_REASON_APP_BEING_DELETED",
                "`FAILED_PRECONDITION`: the app of that number was deleted, and its "
                    + "rows are not all gone."
            ),
            (
                pointGone.rawValue, "ERROR_REASON_POINT_GONE",
                "`FAILED_PRECONDITION`: the server does not keep the snapshot of the "
                    + "export any more."
            ),
            (
                versionStale.rawValue, "ERROR_REASON_VERSION_STALE",
                "`ABORTED`: `expected_version` is not the present version; metadata "
                    + "`version` gives the present one."
            ),
            (
                conflict.rawValue, "ERROR_REASON_CONFLICT",
                "`ABORTED`: another write came first; the call may be repeated as it "
                    + "is."
            ),
            (
                slowReader.rawValue, "ERROR_REASON_SLOW_READER",
                "`ABORTED`: a stream of changes was read too slowly; metadata `resume_token` "
                    + "says where to go on."
            ),
            (
                tooManyApps.rawValue, "ERROR_REASON_TOO_MANY_APPS",
                "`RESOURCE_EXHAUSTED`: the server has as many apps as it can hold; "
                    + "metadata `limit`."
            ),
            (
                tooManyCredentials.rawValue, "ERROR_REASON_TOO_MANY_CREDENTIALS",
                "`RESOURCE_EXHAUSTED`: the app has as many credentials as it may have, or "
                    + "the server as many keys of operators; metadata `limit`."
            ),
            (
                tooManyClientApps.rawValue, "ERROR_REASON_TOO_MANY_CLIENT_APPS",
                "`RESOURCE_EXHAUSTED`: the app has as many client apps as it may have; metadata "
                    + "`limit`."
            ),
            (
                tooManyExports.rawValue, "ERROR_REASON_TOO_MANY_EXPORTS",
                "`RESOURCE_EXHAUSTED`: the app has as many exports and checks under way "
                    + "as it may have."
            ),
            (
                throttled.rawValue, "ERROR_REASON_THROTTLED",
                "`RESOURCE_EXHAUSTED`: the app, key or user makes more calls than it may; "
                    + "`google.rpc.RetryInfo` says when to retry."
            ),
            (
                tooManyOpenCalls.rawValue, "ERROR_REASON_TOO_MANY_OPEN_CALLS",
                "`RESOURCE_EXHAUSTED`: the app, key or user has as many streams and waiting calls "
                    + "open as it may have; metadata `limit`, and `google.rpc.RetryInfo`."
            ),
            (
                tooManyConnections.rawValue, "ERROR_REASON_TOO_MANY_CONNECTIONS",
                "`RESOURCE_EXHAUSTED`: the app, key or user uses as many connections as it "
                    + "may; metadata `limit`, and `google.rpc.RetryInfo`."
            ),
            (
                overloaded.rawValue, "ERROR_REASON_OVERLOADED",
                "`RESOURCE_EXHAUSTED`: a queue is full, or the answer would come too late; "
                    + "`google.rpc.RetryInfo` says when to retry."
            ),
            (
                diskLow.rawValue, "ERROR_REASON_DISK_LOW",
                "`RESOURCE_EXHAUSTED`: the server's disk is almost full; reads still "
                    + "work."
            ),
            (
                behind.rawValue, "ERROR_REASON_BEHIND",
                "`UNAVAILABLE`: no standby has what the read must see."
            ),
            (
                storageUnavailable.rawValue, "ERROR_REASON_STORAGE_UNAVAILABLE",
                "`UNAVAILABLE`, or `INTERNAL` if the store is broken: the store does not "
                    + "answer."
            ),
            (
                stopping.rawValue, "ERROR_REASON_STOPPING",
                "`UNAVAILABLE`: the server is stopping, or the connection is as old as it "
                    + "may become."
            ),
            (
                outcomeUnknown.rawValue, "ERROR_REASON_OUTCOME_UNKNOWN",
                "`UNKNOWN`: the store failed during the write, and the server ends; the "
                    + "same call under the same `request_id` settles it later."
            ),
            (
                lastOperatorKey.rawValue, "ERROR_REASON_LAST_OPERATOR_KEY",
                "`FAILED_PRECONDITION`: the key is the last one of an operator that is good "
                    + "for ever."
            ),
            (
                backupsUnavailable.rawValue, "ERROR_REASON_BACKUPS_UNAVAILABLE",
                "`FAILED_PRECONDITION`: the server's store has no files of its own, or no "
                    + "folder for backups."
            ),
            (
                backupUnderWay.rawValue, "ERROR_REASON_BACKUP_UNDER_WAY",
                "`FAILED_PRECONDITION`: another backup is under way."
            ),
            (
                backupNotFound.rawValue, "ERROR_REASON_BACKUP_NOT_FOUND",
                "`NOT_FOUND`: the server has no such backup, or the backup no such file."
            ),
            (
                appNotEmpty.rawValue, "ERROR_REASON_APP_NOT_EMPTY",
                "`FAILED_PRECONDITION`: the app has accounts or definitions already."
            ),
            (
                exportFormatNewer.rawValue, "ERROR_REASON_EXPORT_FORMAT_NEWER",
                "`FAILED_PRECONDITION`: the export has a form that is newer than this server; "
                    + "metadata `limit` and `actual`."
            ),
            (
                sequenceStale.rawValue, "ERROR_REASON_SEQUENCE_STALE",
                "`ABORTED`: the list that the call writes has changed after "
                    + "`expected_sequence`; metadata `sequence` tells its present sequence."
            ),
            (
                invitationNotFound.rawValue, "ERROR_REASON_INVITATION_NOT_FOUND",
                "`NOT_FOUND`: the acting user has no invitation of that id."
            ),
            (
                sessionRevoked.rawValue, "ERROR_REASON_SESSION_REVOKED",
                "`UNAUTHENTICATED`: the app has ended the user's sessions since the signature was "
                    + "made; sign in again."
            ),
            (
                accountSuspended.rawValue, "ERROR_REASON_ACCOUNT_SUSPENDED",
                "`PERMISSION_DENIED`: the acting user is suspended, and its level forbids the "
                    + "call; metadata `level` and `end_time_ms`."
            ),
            (
                hookNotFound.rawValue, "ERROR_REASON_HOOK_NOT_FOUND",
                "`NOT_FOUND`: the app has no hook of that id."
            ),
            (
                tooManyHooks.rawValue, "ERROR_REASON_TOO_MANY_HOOKS",
                "`RESOURCE_EXHAUSTED`: the app has as many hooks as it may have; metadata "
                    + "`limit`."
            ),
            (
                hooksDisabled.rawValue, "ERROR_REASON_HOOKS_DISABLED",
                "`FAILED_PRECONDITION`: the server's operator allows no hooks."
            ),
            (
                consumerBusy.rawValue, "ERROR_REASON_CONSUMER_BUSY",
                "`FAILED_PRECONDITION`: another reader holds the consumer; metadata `reader` and "
                    + "`expire_time_ms`."
            ),
            (
                readerFenced.rawValue, "ERROR_REASON_READER_FENCED",
                "`ABORTED`: the caller is not, or no longer, the reader of the consumer; "
                    + "metadata `reader`."
            ),
            (
                tooManyConsumers.rawValue, "ERROR_REASON_TOO_MANY_CONSUMERS",
                "`RESOURCE_EXHAUSTED`: the app has as many consumers as it may have; metadata "
                    + "`limit`."
            ),
            (
                hookSilent.rawValue, "ERROR_REASON_HOOK_SILENT",
                "`UNAVAILABLE`: the app's own hook gave no answer about the call, and the app "
                    + "wants such a call to fail; it may be repeated as it is."
            ),
            (
                tooManyQuestions.rawValue, "ERROR_REASON_TOO_MANY_QUESTIONS",
                "`RESOURCE_EXHAUSTED`: as many calls of the app wait for its hook as may; "
                    + "metadata `limit`."
            ),
            (
                hookQuestionTaken.rawValue, "ERROR_REASON_HOOK_QUESTION_TAKEN",
                "`FAILED_PRECONDITION`: another hook of the app asks before the same calls."
            ),
            (
                tooManyHookTests.rawValue, "ERROR_REASON_TOO_MANY_HOOK_TESTS",
                "`RESOURCE_EXHAUSTED`: as many tests of the app's hooks as may be under way wait "
                    + "for their receivers; metadata `limit`."
            ),
            (
                tooManyHookSecrets.rawValue, "ERROR_REASON_TOO_MANY_HOOK_SECRETS",
                "`RESOURCE_EXHAUSTED`: as many secrets of the hook are good as may be; metadata "
                    + "`limit`."
            ),
            (
                historyNotKept.rawValue, "ERROR_REASON_HISTORY_NOT_KEPT",
                "`FAILED_PRECONDITION`: the app's history does not reach back to `as_of_ms`; "
                    + "metadata `since_time_ms`."
            ),
            (
                tooManyChanges.rawValue, "ERROR_REASON_TOO_MANY_CHANGES",
                "`FAILED_PRECONDITION`: more changes stand between `as_of_ms` and now than a read "
                    + "looks at; metadata `limit` or `limit_bytes`."
            ),
            (
                appMoving.rawValue, "ERROR_REASON_APP_MOVING",
                "`UNAVAILABLE`: the app is on its way to another database, or lives in one that "
                    + "this server does not serve."
            ),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
