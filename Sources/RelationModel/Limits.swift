/// The bounds that hold for the requests of every app, whatever its settings.
///
/// Settings have their own bounds: ``AppLimits``. A request has bounds so that one call has a known
/// price in memory, locks and time.
package enum Limits {
    // MARK: Messages

    /// The longest message that any call sends: an answer, an event, or a part of a present state.
    ///
    /// A gRPC client accepts 4 MiB by default. The longest answer that both
    /// presets allow is GetRelations of 100 users with RongCloud's texts; it is within a percent of
    /// this limit. The rest of the 4 MiB is for bytes that a client's library may count beside the
    /// message.
    package static let messageBytes = 4_000_000
    /// How many of these bytes the items of one event may take; a call with more items makes
    /// several events.
    ///
    /// The rest is for the event's header and the token. In a stream of 1,000 users it is also for
    /// the list of the users that the event is for.
    package static let eventBytes = messageBytes - 100_000
    /// How many bytes of an answer without pages are not its items.
    package static let answerOverheadBytes = 256

    /// How many rows, and how many events, a dry run lists.
    ///
    /// A row takes some 100 bytes in words, and 600 at most, so that all of them fit into an answer
    /// beside its items.
    package static let effectRows = 500
    package static let effectEvents = 500

    // MARK: Identifiers

    /// A user identifier: RongCloud's bound; TIM's is 32.
    package static let userIDBytes = 64
    /// A request identifier: room for any UUID or hash in hexadecimal.
    package static let requestIDBytes = 64
    /// A device identifier, which is stored with every event that the device causes.
    package static let deviceIDBytes = 64
    /// A client app's identifier, and the name of a permission: they are parts of keys.
    package static let clientAppIDBytes = 64
    package static let permissionNameBytes = 64
    /// A page token, which carries a key of the list and the query that it belongs to.
    package static let pageTokenBytes = 512

    /// How many bytes an answer repeats of an identifier or a key that a request named.
    ///
    /// A longer one is malformed, and its result holds only its beginning. The answer to a request
    /// is therefore never longer than a message may be, and a row that waits costs what a row
    /// costs.
    package static let echoedBytes = 256

    // MARK: Items of one request

    /// Friends in one AddFriends.
    package static let addFriendsItems = 100
    /// Identifiers in one DeleteFriends.
    package static let deleteFriendsItems = 1_000
    /// Identifiers in one CheckFriends.
    package static let checkFriendsItems = 1_000
    /// Identifiers in one GetFriends.
    package static let getFriendsItems = 100
    /// Items in one UpdateFriends.
    package static let updateFriendsItems = 100
    /// Items in one RespondToApplications.
    package static let respondItems = 100
    /// Identifiers in one DeletePendencies or WithdrawApplications.
    package static let applicationItems = 100
    /// Statuses that one ListApplications asks for: as many as there are.
    package static let applicationStatuses = 5
    /// Identifiers in one AddToBlacklist, RemoveFromBlacklist or CheckBlacklist.
    package static let blacklistItems = 1_000
    /// Identifiers in one Follow, Unfollow, CheckFollows or GetFollowCounts.
    package static let followItems = 100
    /// Identifiers in one CanSend.
    package static let canSendItems = 1_000
    /// Names in one CreateFriendGroups, DeleteFriendGroups or GetFriendGroups.
    package static let groupNames = 100
    /// Identifiers in one CreateFriendGroups, AddFriendsToGroup or RemoveFriendsFromGroup.
    package static let groupMembers = 1_000
    /// Names times identifiers in one CreateFriendGroups, and groups of all items in one
    /// UpdateFriends; each is a row to write.
    package static let groupMemberships = 10_000
    /// Identifiers in one CheckAccounts or DeleteAccounts.
    package static let accountItems = 100
    /// Tags or custom values in one UpdateProfile, or tags in one item of UpdateFriends.
    package static let tagValues = 64
    /// Fields for which one SetVisibility chooses who may read them.
    package static let fieldVisibilities = 100
    /// Fields of one profile in an export that have, or had, a choice or a default of their own:
    /// more than a profile has fields, with as many custom ones as an app may have.
    package static let exportedFieldVisibilities = 200
    /// Friend groups that one field of a profile is for.
    package static let groupsOfField = 10
    /// Friend groups that the fields of one profile are for: each takes a row to read the profile.
    package static let groupsOfFields = 20
    /// Paths of one field mask: more than any message here has fields.
    package static let maskPaths = 64

    // MARK: Invitations

    /// Users that may use one invitation.
    package static let invitationUses = 1_000
    /// How long an invitation is good: a minute to a year.
    package static let invitationSeconds: ClosedRange<Int64> = 60...365 * 86_400
    /// How long an invitation is listed after its end: 30 days.
    package static let endedInvitationMilliseconds: Int64 = 30 * 86_400 * 1_000
    /// Invitations of one user that are listed after their end.
    package static let endedInvitations = 100
    /// The random bytes of an invitation's code, so that no caller guesses it.
    package static let invitationCodeBytes = 16
    /// The key under which the receipt of an erasure has the digest of an id.
    package static let erasureKeyBytes = 64
    /// Notes of a user's own uses that one more use of an invitation removes at most.
    package static let invitationUsesForgotten = 8

    // MARK: Hooks

    /// Hooks of one app: they are kept in memory with its settings.
    package static let hooks = 20
    /// The URL of a hook.
    package static let hookURLBytes = 1_024
    /// Kinds of events that one hook names: more than there are.
    package static let hookKinds = 64
    /// Events of one request of a hook.
    package static let hookBatch = 100
    /// Secrets of one hook that sign at one time.
    package static let hookSecrets = 4
    /// The random bytes of a hook's secret.
    package static let hookSecretBytes = 32
    /// The text of a hook's secret that the app brings along.
    package static let hookSecretTextBytes = 128
    /// Failed requests of one hook that are kept.
    package static let hookFailures = 100
    /// Kinds of calls that one hook is asked about: all.
    package static let hookAsks = 6
    /// How long a hook is waited for, in milliseconds, and how long if it does not say.
    package static let askMilliseconds: ClosedRange<Int64> = 100...10_000
    package static let usualAskMilliseconds: Int64 = 2_000
    /// Calls of one app that wait for its hooks at one time on one server.
    package static let questionsOfApp = 200
    /// The codes that a hook may refuse with: those that TIM passes on.
    package static let hookCodes: ClosedRange<Int32> = 38_000...39_000
    /// Bytes of the `info` of a hook's refusal.
    package static let hookInfoBytes = 256
    /// Tests of one app's hooks that wait for their receivers at one server.
    package static let hookTests = 4
    /// Bytes of the words that say why a hook's request failed.
    package static let hookCauseBytes = 200

    // MARK: Subscriptions and presence

    /// Identifiers in one Subscribe, Unsubscribe or QuerySubscriptions, and rows of the longest
    /// page of ListSubscriptions: RongCloud's bounds.
    package static let subscriptionItems = 200
    /// Users that one QuerySubscriptions asks about if it wants their profiles too.
    package static let joinedSubscriptionItems = 100
    package static let subscriptionPageRows = 200
    /// How long a subscription lasts: a minute to 30 days, RongCloud's bounds.
    package static let subscriptionSeconds: ClosedRange<Int64> = 60...30 * 86_400
    /// Expired subscribers of one user that are removed to make room for a new one.
    ///
    /// It is more than one, so that a list full of expired subscribers does not stay full.
    package static let subscribersEnded = 8
    /// Devices in one ReportPresence, and identifiers in one GetPresence.
    package static let presenceItems = 1_000
    /// The name of a device's platform.
    package static let platformBytes = 32
    /// How long a device is online after a report.
    package static let leaseSeconds: ClosedRange<Int64> = 10...3_600
    /// How long a custom status holds: up to a year, or until it is changed.
    package static let statusSeconds: ClosedRange<Int64> = 0...365 * 86_400
    /// How far the time of a report may be ahead of the server's clock.
    package static let reportAheadMilliseconds: Int64 = 60_000
    /// Devices of one user that are known; of the offline devices the oldest is dropped first.
    ///
    /// Of as many it is stored when they were last seen.
    package static let devicesPerUser = 20

    // MARK: Client apps

    /// Client apps of one app: they are kept in memory with its settings.
    package static let clientApps = 100
    /// The name of a client app.
    package static let clientAppNameBytes = 128
    /// Permissions that one app defines, including the built-in ones that it changes.
    package static let permissions = 100
    /// Permissions that one call names: as many as there can be.
    package static let permissionItems = 100
    /// Fields of a profile that one permission opens: more than there are.
    package static let permissionFields = 64
    /// The longest lifetime of a permission: ten years, which keeps its end in range.
    package static let permissionLifetimeMs: Int64 = 3_650 * 86_400 * 1_000

    /// Identifiers in one GetRelations, and in one that asks for profiles or custom values.
    package static let relationItems = 1_000
    package static let fullRelationItems = 100

    /// Users that ListReverseFriends counts.
    package static let reverseFriendsCounted = 10_000

    // MARK: Friends of friends

    /// Users of the longest page of ListMutualFriends or SuggestFriends.
    package static let sharedFriendPageRows = 200
    /// Users that SuggestFriends names in all, on as many pages as a caller wants.
    package static let suggestions = 200
    /// Rows of a friend list that ListMutualFriends looks at.
    package static let mutualFriendRows = 10_000
    /// Users in one GetMutualFriendCounts, and rows of their lists that it looks at together.
    package static let mutualCountItems = 100
    package static let mutualCountRows = 100_000
    /// Friends whose lists SuggestFriends looks at, and rows of those lists together.
    ///
    /// This is more than most users have, and a tenth of a second of work.
    package static let suggestionFriends = 5_000
    package static let suggestionRows = 100_000
    /// Common friends that SuggestFriends names of one user.
    package static let suggestionNames = 10
    /// Identifiers in one DismissSuggestions or RestoreSuggestions.
    package static let dismissalItems = 100
    /// How long SuggestFriends leaves out a user with whom an application was refused: 30 days.
    package static let refusalMilliseconds: Int64 = 30 * 24 * 3_600 * 1_000

    // MARK: Apps

    /// Apps of one server, each of which is held in memory.
    package static let apps = 10_000
    /// The name of an app or of a credential.
    package static let appNameBytes = 128
    /// Users of one app with an end of their sessions of their own; the oldest one goes for one
    /// more, and its moment then holds for all users.
    package static let sessionEnds = 100_000
    /// Suspensions of one app, those included that ended and were not removed yet.
    package static let suspensions = 100_000
    /// Users in one SuspendAccounts or ReinstateAccounts.
    package static let suspensionItems = 100
    /// The bytes of the text for moderators of a suspension.
    package static let suspensionReasonBytes = 500
    /// Reports that one app keeps; the oldest one goes for one more.
    package static let reports = 100_000
    /// Open reports of others that one app keeps about one user.
    package static let reportsAboutUser = 100
    /// Reports that one user may make in a window, by default a day.
    package static let reportsPerWindow = 100
    /// How long a report is kept: 180 days.
    package static let reportMilliseconds: Int64 = 180 * 24 * 3_600 * 1_000
    /// The bytes of the text of a report, of its reference and of the moderators' note.
    package static let reportTextBytes = 1_000
    package static let reportReferenceBytes = 256
    package static let reportNoteBytes = 500
    /// The age below which an account is new to moderators: a day.
    package static let riskyAgeMs: Int64 = 86_400 * 1_000
    /// The part of the applications of a window, in percent, from which on they are many.
    package static let riskyApplicationsPercent = 80
    /// Open reports about a user, and refusals of its applications in a day, that are many.
    package static let riskyReports = 3
    package static let riskyRefusals = 5
    /// Reports in one ResolveReports.
    package static let reportItems = 100
    /// The bytes of the stored entries of a page of ListHistory, roughly.
    package static let historyPageBytes = 1_000_000
    /// Stored entries of a history that are read together.
    package static let historyRowsAtOnce = 64
    /// Entries of a history that a read at a past moment looks at, together with the users whose
    /// entries it looks at.
    package static let pastEntries = 5_000
    /// Bytes of the entries that such a read looks at; an entry may be long.
    package static let pastBytes = 16 << 20
    /// Stored entries of a history that one UndoChanges looks at, if it chooses them itself.
    package static let undoneHistoryRows = 1_000
    /// By how much the clocks of servers that share a history may differ: an hour.
    package static let historySkewMilliseconds: Int64 = 3_600_000
    /// Entries in one UndoChanges.
    package static let undoItems = 100
    /// Reviews in one DecideReviews.
    package static let reviewItems = 100
    /// The bytes of the moderators' words about a decision.
    package static let reviewReasonBytes = 500
    /// The bytes of the longest value that may be under review: 1,024 characters.
    package static let reviewedValueBytes = 4_096
    /// Reviews of one profile: its fields that may be reviewed, and custom ones.
    package static let reviewsOfProfile = 13 + customFields
    /// Reviews of one friend's row: the remark, the wording, and custom fields.
    package static let reviewsOfFriend = 2 + customFields
    /// Identifiers in one RevokeUserSessions.
    package static let revokedUsers = 100
    /// Credentials of one app.
    package static let credentials = 100
    /// The bytes of a backup's name, which is a time.
    package static let backupNameBytes = 16
    /// The most bytes of the path of a backup's file.
    package static let backupPathBytes = 64
    /// The bytes of a backup's file in one message.
    package static let backupPieceBytes = 256 << 10
    /// The messages of a backup's file that are read at a time.
    package static let backupPieces = 4

    /// Keys of a server's operators: one for each person and each tool, with room for those that
    /// take their places.
    package static let operatorKeys = 100
    /// The digest by which a client certificate is known: SHA-256.
    package static let certificateDigestBytes = 32
    /// The secrets of users' signatures that one app has: the newest, and the one before it.
    package static let appSecrets = 2
    /// A secret of users' signatures that an app brings along; the server makes them of 64 bytes.
    package static let appSecretBytes = 32...128
    /// Fields in one DefineCustomFields: more than an app may have of both kinds.
    package static let defineCustomFieldsItems = 200
    /// Custom fields of one kind that an app may have, including retired ones.
    package static let customFields = 100
    /// How long the old secret of an app may stay good after a new one was made: 30 days.
    package static let oldSecretMilliseconds: Int64 = 30 * 86_400 * 1_000

    // MARK: Pages

    /// Rows of a page when the request asks for none in particular.
    package static let defaultPageRows = 100
    /// Rows of the longest page.
    package static let maxPageRows = 1_000
    /// Bytes after which a page, or a message of a present state, ends.
    ///
    /// A message with one row more than that is still no longer than ``messageBytes``.
    package static let pageBytes = 1 << 20
    /// Items of the longest answer of ListPendencies, and of one that asks for none in particular.
    package static let pendenciesPerPage = 100

    /// Events of the longest answer of ListChanges.
    package static let maxChanges = 500
    /// Events that one ListChanges looks at; events of kinds that it does not ask for are skipped.
    package static let changesLookedAt = 1_000
    /// Users of one stream of changes.
    package static let watchUsers = 1_000
    /// Kinds of events that a stream may name: more than there are.
    package static let watchKinds = 64
    /// The time between two heartbeats of a stream.
    package static let watchHeartbeatMs: ClosedRange<Int64> = 1_000...600_000
    /// Consumers of the changes of one app that its settings may allow.
    package static let consumers = 1_000
    /// A consumer's name, which is part of a key.
    package static let consumerBytes = 64
    /// How long a reader holds a consumer without an acknowledgement, and how long if it says
    /// nothing.
    package static let consumerLeaseMs: ClosedRange<Int64> = 1_000...600_000
    package static let defaultConsumerLeaseMs: Int64 = 30_000
    /// Kinds that one request asks for: more than there are.
    package static let changeKinds = 64

    /// Characters of the keyword of a search.
    package static let keywordCharacters = 64
    /// Bytes of a digest of a phone number or a mail address.
    package static let contactDigestBytes = 32
    /// Digests of one user, of each kind.
    package static let contactDigests = 10
    /// Users that may have one digest.
    package static let contactOwners = 4
    /// Digests that one FindContacts asks for.
    package static let contactItems = 100
    /// Users of a page of a search over an app.
    package static let foundUsersPerPage = 100
    /// Rows of the index of names that such a page looks at.
    package static let foundNamesPerPage = 2_000
    /// Letters of a name in that index: longer names are compared as a whole, but sorted by these.
    package static let foundNameBytes = 64
    /// Rows of one nick in that index: the nick, and the pinyin and the initials of two readings.
    package static let foundNamesPerNick = 5
    /// Rows of one user in it: those of its nick, its id and its unique id.
    package static let foundNamesPerUser = 7
    /// The shortest keyword that finds users by the beginnings of their ids.
    package static let idBeginningBytes = 3

    // MARK: Events

    /// Events that a log may have beyond the app's setting before a row notes that it is shortened.
    ///
    /// This costs one row more for each such number of events.
    package static let logSlack: Int64 = 100
    /// Events that one row of an app's feed names: a call with more receivers writes several rows.
    ///
    /// A reader of the feed decodes a row as a whole.
    package static let feedRowEvents = 256

    // MARK: The history of applications

    /// Applications that have ended and are kept for one user; the oldest goes first.
    package static let handledApplications = 200
    /// How long one is kept: 90 days.
    package static let handledApplicationMilliseconds: Int64 = 90 * 24 * 3_600 * 1_000
    /// Ended applications that one new one may push out: more than one, so that old ones do not
    /// linger.
    package static let handledApplicationsForgotten = 8

    // MARK: Repeated requests

    /// How long the answer for a request identifier is kept: a day.
    package static let requestIDMilliseconds: Int64 = 24 * 3_600 * 1_000
    /// Answers kept for one user; the oldest goes first.
    package static let requestIDsPerUser = 10_000

    // MARK: Imports

    /// The longest name of an import that can be continued.
    package static let importIDBytes = 64
    /// The highest row number with which an import may begin: no import has so many rows.
    package static let importRows: Int64 = 1_000_000_000_000
    /// The newest form of exports, which this server makes.
    package static let exportFormat: Int32 = 1
    /// The longest name in a row of an export by which stored rows are looked up.
    package static let importedNameBytes = 1_024
    /// The longest id of an application: two ids of users, a number, and what parts them.
    package static let applicationIDBytes = 2 * userIDBytes + 22
    /// The most rows of one list of a user in an import of an app: twice what settings allow.
    package static let importedRowsOfList = 20_000
    /// The highest sequence in a row of an export: two of them added up are still a number.
    package static let exportedSequence: Int64 = 1 << 60
    /// The latest time in a row of an export, in milliseconds: the end of the year 9999.
    ///
    /// All that a rule adds to it is still a number.
    package static let exportedTimeMs: Int64 = 253_402_300_799_999
    /// The highest number of a friend group, and of reports of one user about another, in a row of
    /// an export: the store goes on from it.
    package static let exportedCount = 1 << 30
    /// Rows between two reports of progress.
    package static let progressRows = 1_000
    /// Time between two reports of progress while rows come slowly, or not at all.
    package static let progressMilliseconds: Int64 = 1_000

    // MARK: Exports

    /// Rows between two points from which a broken export goes on.
    package static let exportRows = 250
    /// Bytes of stored rows after which such a point comes earlier.
    package static let exportBytes = 64 << 10
    /// Reports that the export of one user reads at once.
    package static let exportedReports = 50
    /// How long the snapshot of an export is kept after its last row: an hour.
    package static let exportMilliseconds: Int64 = 3_600 * 1_000
    /// How long the snapshot is kept in all: a day, however slowly the export is read.
    ///
    /// While a snapshot is kept, every row that is changed or removed after it is kept too. So all
    /// apps pay in disk space for snapshots. The price grows with the age of the oldest one, and
    /// hardly with their number.
    package static let exportLifeMilliseconds: Int64 = 24 * 3_600 * 1_000
    /// Snapshots of one app: one that is read, and one for which a client still has a token.
    ///
    /// Apps do not share snapshots, so no app takes another's. In a store that has a bound for all
    /// of them, one that no stream reads makes room for another app's.
    package static let openExportsPerApp = 2
    /// Snapshots beside those; only operators use them, and only if they get no other.
    package static let openExportsInReserve = 1

    // MARK: Checks

    /// Users between two reports of a check's progress.
    package static let checkedUsers = 50
    /// Unique identifiers between two such reports, after all users were looked at.
    package static let checkedUniqueIDs = 500
    /// Rows that a look at a whole store reads at once.
    package static let verifiedRows = 10_000
    /// Errors that such a look reports one by one; it counts all.
    package static let listedErrors = 100
    /// Rows of the feed that a check reads at once.
    package static let checkedFeedRows = 500

    // MARK: Maintenance

    /// Rows that one step of background work changes: its transaction is as long as that of a full
    /// batch of writes.
    package static let rowsPerMaintenanceStep = 250
    /// Rows that one step of an erasure reads or writes: most are read alone.
    package static let rowsPerErasureStep = 500
    /// Bytes of rows that such a step reads, but for the last row.
    package static let bytesPerErasureStep = 1 << 20
    /// Accounts that such a step looks at.
    package static let accountsPerErasureStep = 64
    /// Deleted users of one app that are erased together, by one walk through it.
    package static let usersPerErasure = 100
    /// Events by which a log gets shorter, however few rows the step has left.
    package static let leastTrimmed = 50
    /// How long after its end a deletion can be asked for: 30 days.
    package static let deletionRecordMilliseconds: Int64 = 30 * 24 * 3_600 * 1_000
    /// How long an import that stands still can be continued: 7 days.
    package static let importRecordMilliseconds: Int64 = 7 * 24 * 3_600 * 1_000
    /// Imports that one search for old ones reads.
    package static let importsPerSweep = 10_000
    /// Random bytes beside a user, or beside a request id, in a record of an audit.
    package static let auditSaltBytes = 16
    /// The bytes of a digest in a record of an audit.
    package static let auditDigestBytes = 32
    /// Kinds of refused calls of one app that are counted apart, for about a minute.
    package static let auditRefusalKinds = 16
    /// Kinds of refused calls of all apps that are counted apart, and of calls without a write.
    package static let auditWaiting = 1_000
    /// The time in which calls that are refused are counted together.
    package static let auditRefusalMilliseconds: Int64 = 60_000
    /// Records that wait for the committer, or have a slot kept for them, of calls without a
    /// write, on a server that records every call.
    package static let auditCalls = 4_000
    /// Such records that one transaction stores.
    package static let auditCallsPerCommit = 500

    // MARK: Values of a fixed form

    /// Letters of the keyword of an add source, after its prefix.
    package static let sourceKeywordBytes = 8
    /// A locale: the longest that RFC 5646 asks software to have room for.
    package static let localeBytes = 35
}
