import RelationModel

/// The advice about each reason with which a call as a whole fails.
enum ErrorAdvice {
    /// The advice about the reason of that name; nil for a name that is not a reason of a call.
    static func text(of name: String) -> PlainText? {
        guard name.hasPrefix(prefix) else { return nil }
        return all[String(name.dropFirst(prefix.count))]
    }

    /// Whether most calls may answer it, so that the calls which name it are not all.
    static func isOfAnyCall(_ name: String) -> Bool { ofAnyCall.contains(name) }

    private static let prefix = "ERROR_REASON_"

    private static let ofAnyCall: Set<String> = ["ERROR_REASON_USER_NOT_FOUND"]

    // MARK: Texts of several reasons

    private static let wait: PlainText =
        "Wait as long as the answer says, then send the call again, and send fewer at a time."
    private static let again: PlainText = "Read the list again, without a token."

    // MARK: The table

    private static let all: [String: PlainText] = request.merging(caller) { $1 }
        .merging(state) { $1 }.merging(bounds) { $1 }.merging(server) { $1 }

    private static let request: [String: PlainText] = [
        "UNSPECIFIED": "No server sends it: look at the status of the call.",
        "MALFORMED_MESSAGE":
            "Build the client with the contract of this server, and send the message of this call.",
        "INVALID_FIELD":
            "Correct the fields that the answer names: the same request is refused again.",
        "TOO_MANY_ITEMS": "Split the list into several calls; 'limit' says how many one takes.",
        "INVALID_PAGE_TOKEN": again,
        "INVALID_RESUME_TOKEN":
            "Open the stream again without a token: it sends the present state first.",
        "REQUEST_ID_REUSED":
            "Give each request an id of its own; repeat an id with the same request only.",
        "SEQUENCE_NOT_ISSUED":
            "Take min_sequence from an answer of this server about the same user.",
        "PERMISSIONS_MIXED":
            "Make two grants: one of the permissions to read, one of those to publish.",
    ]

    private static let caller: [String: PlainText] = [
        "CREDENTIAL_MISSING":
            "Send a key or a user's signature with the call: 'relationctl login' keeps one.",
        "CREDENTIAL_INVALID":
            "Compare the key and the number of the app with those of the server, or get a new key.",
        "CREDENTIAL_EXPIRED": "Get a new key, or sign the user again.",
        "SCOPE_MISSING":
            "Use a credential with the scope; 'relationctl status' says what this one may do.",
        "FOREIGN_USER":
            "Act for the user of the signature, or use a key of the app, which may act for all.",
        "SESSION_REVOKED": "Let the user sign in again, with a signature of a later time.",
        "ACCOUNT_SUSPENDED":
            """
        Wait for the end of the suspension, or let an administrator end it: \
        'relationctl suspensions end'.
        """,
    ]

    private static let state: [String: PlainText] = [
        "APP_NOT_FOUND": "Name an app that ListApps lists, or make it with CreateApp.",
        "USER_NOT_FOUND": "Import the account with ImportAccounts, or correct the id of the user.",
        "CREDENTIAL_NOT_FOUND":
            "Take the id from 'relationctl keys list', or from 'operator-keys list'.",
        "CLIENT_APP_NOT_FOUND":
            "Take the id from ListClientApps, or register it with RegisterClientApp.",
        "DELETION_NOT_FOUND":
            "Take the id from the answer to DeleteAccounts; a deletion is known for 30 days.",
        "APP_EXISTS": "Use the app that is there, or take another number.",
        "CREDENTIAL_EXISTS": "Use the credential that is there, or revoke it first.",
        "APP_BEING_DELETED": "Wait until the rows of the old app are gone, or take another number.",
        "POINT_GONE": "Start the export again.",
        "VERSION_STALE": "Read it again, make the change in what is there now, and send it again.",
        "SEQUENCE_STALE": "Read the list again, then write with its present sequence.",
        "CONFLICT": "Send the same call again.",
        "SLOW_READER": "Go on with the token of the answer, and read faster or follow fewer users.",
        "LAST_OPERATOR_KEY": "Make another operator's key that does not expire, then revoke this.",
        "INVITATION_NOT_FOUND": "Take the id from ListInvitations of the same user.",
        "APP_NOT_EMPTY": "Make a new app, and read the export into it.",
        "EXPORT_FORMAT_NEWER": "Update this server, then read the export again.",
        "HOOK_NOT_FOUND": "Take the id from 'relationctl hooks list'.",
        "HOOKS_DISABLED": "Ask the server's operator to allow hooks in the settings.",
        "HOOK_QUESTION_TAKEN": "Take the question from the other hook first, or leave it there.",
        "CONSUMER_BUSY": "Wait until the lease of the other reader ends, or stop that reader.",
        "READER_FENCED": "Acquire the consumer again, and go on from its position.",
        "HISTORY_NOT_KEPT":
            "Ask about a later moment; a higher history_days keeps more from now on.",
        "TOO_MANY_CHANGES": "Ask about a later moment, or about fewer users.",
    ]

    private static let bounds: [String: PlainText] = [
        "TOO_MANY_APPS": "Delete an app that is not used, or use another server.",
        "TOO_MANY_CREDENTIALS": "Revoke a key that is not used.",
        "TOO_MANY_CLIENT_APPS": "Use a client app that is registered, or ask for a higher bound.",
        "TOO_MANY_EXPORTS": "Wait until an export or a check ends, then send the call again.",
        "THROTTLED": wait,
        "TOO_MANY_OPEN_CALLS": "End streams that are not read, wait, and try again.",
        "TOO_MANY_CONNECTIONS": "Make many calls on one connection, and close those not used.",
        "OVERLOADED": wait,
        "TOO_MANY_HOOKS": "Delete a hook that is not used.",
        "TOO_MANY_CONSUMERS":
            "Delete a consumer that is not used: 'relationctl consumers' has them.",
        "TOO_MANY_QUESTIONS":
            "Try again later, and let the receiver of the hook answer faster.",
        "TOO_MANY_HOOK_TESTS": "Wait until a test ends, then test again.",
        "TOO_MANY_HOOK_SECRETS": "Wait until an older secret of the hook ends, then rotate again.",
    ]

    private static let server: [String: PlainText] = [
        "DISK_LOW": "Tell the server's operator to make room on its disk; then send it again.",
        "BEHIND": "Try again, or let if_behind name the answer that is wanted then.",
        "STORAGE_UNAVAILABLE": "Try again later, and tell the server's operator if it stays.",
        "STOPPING": "Connect again, and go on where the answer says.",
        "APP_MOVING": "Try again in a moment; if it stays, ask a server of the app's new database.",
        "OUTCOME_UNKNOWN":
            """
        Send the same call under the same request_id once the server is back: it answers the \
        outcome.
        """,
        "BACKUPS_UNAVAILABLE":
            "Give the server a folder for backups; back up a database with its own tools.",
        "BACKUP_UNDER_WAY": "Wait until the other backup ends.",
        "BACKUP_NOT_FOUND": "Take the number from 'relationctl backups'.",
        "HOOK_SILENT": "Look at the receiver of the hook, then send the same call again.",
    ]
}
