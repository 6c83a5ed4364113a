/// The bounds that hold for the requests of every app, whatever its settings.
///
/// Settings have their own bounds: ``AppLimits``. A request has bounds so that one call has a known
/// price in memory, locks and time.
public enum Limits {
    // MARK: Messages

    /// The longest message that any call sends: an answer, an event, or a part of a present state.
    ///
    /// A gRPC client accepts 4 MiB unless it is told otherwise. The longest answer that both
    /// presets allow is GetRelations of 100 users with RongCloud's texts; it is within a percent of
    /// this limit. The rest of the 4 MiB is for bytes that a client's library may count beside the
    /// message.
    public static let messageBytes = 4_000_000
    /// How many of these bytes the items of one event may take; a call with more items makes
    /// several events.
    ///
    /// The rest is for the event's head and the token. In a stream of 1,000 users it is also for
    /// the list of the users that the event is for.
    public static let eventBytes = messageBytes - 100_000
    /// How many bytes of an answer without pages are not its items.
    public static let answerHeadBytes = 256

    // MARK: Identifiers

    /// A user identifier: RongCloud's bound; TIM's is 32.
    public static let userIDBytes = 64
    /// A request identifier: room for any UUID or hash in hexadecimal.
    public static let requestIDBytes = 64
    /// A device identifier, which is stored with every event that the device causes.
    public static let deviceIDBytes = 64
    /// A client app's identifier, and the name of a permission: they are parts of keys.
    public static let clientAppIDBytes = 64
    public static let permissionNameBytes = 64
    /// A page token, which carries a key of the list and the query that it belongs to.
    public static let pageTokenBytes = 512

    /// How many bytes an answer repeats of an identifier or a key that a request named.
    ///
    /// A longer one is malformed, and its result holds only its beginning. The answer to a request
    /// is therefore never longer than a message may be, and a row that waits costs what a row
    /// costs.
    public static let echoedBytes = 256

    // MARK: Items of one request

    /// Friends in one AddFriends.
    public static let addFriendsItems = 100
    /// Identifiers in one DeleteFriends.
    public static let deleteFriendsItems = 1_000
    /// Identifiers in one CheckFriends.
    public static let checkFriendsItems = 1_000
    /// Identifiers in one GetFriends.
    public static let getFriendsItems = 100
    /// Items in one UpdateFriends.
    public static let updateFriendsItems = 100
    /// Items in one RespondToApplications.
    public static let respondItems = 100
    /// Identifiers in one DeletePendencies or WithdrawApplications.
    public static let applicationItems = 100
    /// Statuses that one ListApplications asks for: as many as there are.
    public static let applicationStatuses = 5
    /// Identifiers in one AddToBlacklist, RemoveFromBlacklist or CheckBlacklist.
    public static let blacklistItems = 1_000
    /// Identifiers in one CanSend.
    public static let canSendItems = 1_000
    /// Names in one CreateFriendGroups, DeleteFriendGroups or GetFriendGroups.
    public static let groupNames = 100
    /// Identifiers in one CreateFriendGroups, AddFriendsToGroup or RemoveFriendsFromGroup.
    public static let groupMembers = 1_000
    /// Names times identifiers in one CreateFriendGroups; each product is a row to write.
    public static let groupMemberships = 10_000
    /// Identifiers in one CheckAccounts or DeleteAccounts.
    public static let accountItems = 100
    /// Tags in one UpdateProfile, or in one item of UpdateFriends: more than there are tags.
    public static let tagValues = 64
    /// Paths of one field mask: more than any message here has fields.
    public static let maskPaths = 64

    // MARK: Subscriptions and presence

    /// Identifiers in one Subscribe, Unsubscribe or QuerySubscriptions, and rows of the longest
    /// page of ListSubscriptions: RongCloud's bounds.
    public static let subscriptionItems = 200
    public static let subscriptionPageRows = 200
    /// How long a subscription lasts: a minute to 30 days, RongCloud's bounds.
    public static let subscriptionSeconds: ClosedRange<Int64> = 60...30 * 86_400
    /// Expired subscribers of one user that are removed to make room for a new one.
    ///
    /// It is more than one, so that a list full of expired subscribers does not stay full.
    public static let subscribersEnded = 8
    /// Devices in one ReportPresence, and identifiers in one GetPresence.
    public static let presenceItems = 1_000
    /// The name of a device's platform.
    public static let platformBytes = 32
    /// How long a device is online after a report.
    public static let leaseSeconds: ClosedRange<Int64> = 10...3_600
    /// Devices of one user that are known; of the offline devices the oldest is dropped first.
    public static let devicesPerUser = 20

    // MARK: Client apps

    /// Client apps of one app: they are kept in memory with its settings.
    public static let clientApps = 100
    /// The name of a client app.
    public static let clientAppNameBytes = 128
    /// Permissions that one app defines, including the built-in ones that it changes.
    public static let permissions = 100
    /// Permissions that one call names: as many as there can be.
    public static let permissionItems = 100
    /// Fields of a profile that one permission opens: more than there are.
    public static let permissionFields = 64
    /// The longest lifetime of a permission: ten years, which keeps its end in range.
    public static let permissionLifetimeMs: Int64 = 3_650 * 86_400 * 1_000

    /// Identifiers in one GetRelations, and in one that asks for profiles or custom values.
    public static let relationItems = 1_000
    public static let fullRelationItems = 100

    // MARK: Friends of friends

    /// Users of the longest page of ListMutualFriends or SuggestFriends.
    public static let circlePageRows = 200
    /// Users that SuggestFriends names in all, on as many pages as a caller wants.
    public static let suggestions = 200
    /// Rows of a friend list that ListMutualFriends looks at.
    public static let mutualFriendRows = 10_000
    /// Friends whose lists SuggestFriends looks at, and rows of those lists together.
    ///
    /// This is more than most users have, and a tenth of a second of work.
    public static let suggestionFriends = 5_000
    public static let suggestionRows = 100_000
    /// Common friends that SuggestFriends names of one user.
    public static let suggestionNames = 10
    /// How long SuggestFriends leaves out a user with whom an application was refused: 30 days.
    public static let refusalMilliseconds: Int64 = 30 * 24 * 3_600 * 1_000

    // MARK: Apps

    /// Apps of one server, each of which is held in memory.
    public static let apps = 10_000
    /// The name of an app or of a credential.
    public static let appNameBytes = 128
    /// Credentials of one app.
    public static let credentials = 100
    /// The digest by which a client certificate is known: SHA-256.
    public static let certificateDigestBytes = 32
    /// Fields in one DefineCustomFields: more than an app may have of both kinds.
    public static let defineCustomFieldsItems = 200
    /// Custom fields of one kind that an app may have, including retired ones.
    public static let customFields = 100
    /// How long the old secret of an app may stay good after a new one was made: 30 days.
    public static let oldSecretMilliseconds: Int64 = 30 * 86_400 * 1_000

    // MARK: Pages

    /// Rows of a page when the request asks for none in particular.
    public static let defaultPageRows = 100
    /// Rows of the longest page.
    public static let maxPageRows = 1_000
    /// Bytes after which a page, or a message of a present state, ends.
    ///
    /// A message with one row more than that is still no longer than ``messageBytes``.
    public static let pageBytes = 1 << 20
    /// Items of the longest answer of ListPendencies, and of one that asks for none in particular.
    public static let pendenciesPerPage = 100

    /// Events of the longest answer of ListChanges.
    public static let maxChanges = 500
    /// Events that one ListChanges looks at; events of kinds that it does not ask for are skipped.
    public static let changesLookedAt = 1_000
    /// Users of one stream of changes.
    public static let watchUsers = 1_000
    /// Kinds of events that a stream may name: more than there are.
    public static let watchKinds = 64
    /// The time between two heartbeats of a stream.
    public static let watchHeartbeatMs: ClosedRange<Int64> = 1_000...600_000
    /// Kinds that one request asks for: more than there are.
    public static let changeKinds = 64

    /// Characters of the keyword of a search.
    public static let keywordCharacters = 64

    // MARK: Events

    /// Events that a log may have beyond the app's setting before a row notes that it is shortened.
    ///
    /// This costs one row more for each such number of events.
    public static let logSlack: Int64 = 100

    // MARK: The history of applications

    /// Applications that have ended and are kept for one user; the oldest goes first.
    public static let handledApplications = 200
    /// How long one is kept: 90 days.
    public static let handledApplicationMilliseconds: Int64 = 90 * 24 * 3_600 * 1_000
    /// Ended applications that one new one may push out: more than one, so that old ones do not
    /// linger.
    public static let handledApplicationsForgotten = 8

    // MARK: Repeated requests

    /// How long the answer for a request identifier is kept: a day.
    public static let requestIDMilliseconds: Int64 = 24 * 3_600 * 1_000
    /// Answers kept for one user; the oldest goes first.
    public static let requestIDsPerUser = 10_000

    // MARK: Imports

    /// The longest name of an import that can be continued.
    public static let importIDBytes = 64
    /// The highest row number with which an import may begin: no import has so many rows.
    public static let importRows: Int64 = 1_000_000_000_000
    /// Rows between two reports of progress.
    public static let progressRows = 1_000
    /// Time between two reports of progress while rows come slowly, or not at all.
    public static let progressMilliseconds: Int64 = 1_000

    // MARK: Exports

    /// Rows between two points from which a broken export goes on.
    public static let exportRows = 250
    /// Bytes of stored rows after which such a point comes earlier.
    public static let exportBytes = 64 << 10
    /// How long the moment of an export is kept after its last row: an hour.
    public static let exportMilliseconds: Int64 = 3_600 * 1_000
    /// How long the moment is kept in all: a day, however slowly the export is read.
    ///
    /// While a moment is kept, every row that is changed or removed after it is kept too. So all
    /// apps pay in disk space for moments. The price grows with the age of the oldest moment, and
    /// hardly with their number.
    public static let exportLifeMilliseconds: Int64 = 24 * 3_600 * 1_000
    /// Moments of one app: one that is read, and one for which a client still has a token.
    ///
    /// Apps do not share moments, so no app takes another's.
    public static let openExportsPerApp = 2
    /// Moments beside those; only operators use them, and only if they get no other.
    public static let openExportsInReserve = 1

    // MARK: Checks

    /// Users between two reports of a check's progress.
    public static let checkedUsers = 50
    /// Unique identifiers between two such reports, after all users were looked at.
    public static let checkedUniqueIDs = 500
    /// Rows of the feed that a check reads at once.
    public static let checkedFeedRows = 500

    // MARK: Maintenance

    /// Rows that one step of background work changes: its transaction is as long as that of a full
    /// batch of writes.
    public static let rowsPerMaintenanceStep = 250
    /// How long after its end a deletion can be asked for: 30 days.
    public static let deletionRecordMilliseconds: Int64 = 30 * 24 * 3_600 * 1_000
    /// How long an import that stands still can be continued: 7 days.
    public static let importRecordMilliseconds: Int64 = 7 * 24 * 3_600 * 1_000
    /// Imports that one search for old ones reads.
    public static let importsPerSweep = 10_000

    // MARK: Values of a fixed form

    /// Letters of the keyword of an add source, after its prefix.
    public static let sourceKeywordBytes = 8
    /// A locale: the longest that RFC 5646 asks software to have room for.
    public static let localeBytes = 35
}
