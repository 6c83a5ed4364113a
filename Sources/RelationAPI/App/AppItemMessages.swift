public import Protobuf
public import RelationModel

// The items in proto/relation/v1/app.proto, where every field is explained.

/// One app: a tenant.
///
/// No other app sees its users and rows.
public struct AppDescription: CodedMessage {
    /// The app's number, never 0.
    public var appID: UInt32 = 0
    /// The source whose limits, defaults and profile codes the app started with.
    public var preset = AppPreset.unspecified
    /// The name of the app, for people: at most 128 bytes; may be empty.
    public var name = ""
    /// Whether it takes calls.
    public var state = AppState.unspecified
    /// When it was made.
    public var createTimeMs: Int64 = 0
    /// How often the app was changed, plus 1: a new app has 1.
    public var version: Int64 = 0
    /// All settings in effect, including those that come from the preset.
    public var settings: AppSettingsMessage?
    /// The paths of the settings that were set, and so do not follow the preset, such as
    /// `limits.friends`.
    public var changedSettings: [String] = []
    /// The secrets of its users' signatures, the newest first, without the secret texts.
    public var secrets: [AppSecretDescription] = []
    /// The progress of the app's deletion; only while the app is being deleted.
    public var deletion: AppDeletionProgress?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.App", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "app_id", &appID)
        visitor.field(2, "preset", &preset)
        visitor.field(3, "name", &name)
        visitor.field(4, "state", &state)
        visitor.field(5, "create_time_ms", &createTimeMs)
        visitor.field(6, "version", &version)
        visitor.field(7, "settings", &settings)
        visitor.field(8, "changed_settings", &changedSettings)
        visitor.field(9, "secrets", &secrets)
        visitor.field(10, "deletion", &deletion)
    }
}

/// A secret with which an app signs its users' credentials.
public struct AppSecretDescription: CodedMessage {
    /// When it was made.
    public var createTimeMs: Int64 = 0
    /// Until when the secret is good; 0 for the newest, which has no end.
    public var expireTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.AppSecret", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "create_time_ms", &createTimeMs)
        visitor.field(2, "expire_time_ms", &expireTimeMs)
    }
}

/// The progress of the deletion of an app.
public struct AppDeletionProgress: CodedMessage {
    /// When it began.
    public var startTimeMs: Int64 = 0
    /// How many rows of the app were removed so far.
    public var removedRows: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.AppDeletion", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "start_time_ms", &startTimeMs)
        visitor.field(2, "removed_rows", &removedRows)
    }
}

/// The settings of an app.
public struct AppSettingsMessage: CodedMessage {
    /// The limits of its users.
    public var limits: AppLimitsMessage?
    /// The visibility of a user that never set one; not VISIBILITY_NOT_SET.
    public var defaultVisibility: Visibility?
    /// The allow type of a user that never set one.
    public var defaultAllowType: AllowType?
    /// How many new applications one user may make in a window of `applications_window_ms`, by
    /// default a day (UTC): at most 100,000; 0 allows any number.
    public var applicationsPerDay: UInt32?
    /// How long an application waits: at most ten years; 0 means for ever.
    public var applicationLifetimeMs: Int64?
    /// Whether a friendship continues when one side blacklists the other.
    public var keepsFriendshipOnBlacklist: Bool?
    /// Whether CanSend checks the friendship too, and not only the blacklist.
    public var checksFriendshipOnSend: Bool?
    /// Words that no text of a relation or profile may contain; the keyword of a source is not
    /// checked.
    public var forbiddenWords: StringList?
    /// Whether a user becomes an account when a write first names it, as the acting user or in an
    /// item, whatever the item's outcome.
    public var makesAccountsImplicitly: Bool?
    /// How long a client may keep a profile that it read, in seconds: at most 2,592,000.
    public var profileCacheSeconds: Int64?
    /// How long an event stays in its log: one minute to one year.
    public var logLifetimeMs: Int64?
    /// How many events of one user stay in its log: 1 to 1,000,000.
    public var logEvents: UInt32?
    /// How much the app's callers may do (ours).
    public var bounds: AppBoundsMessage?
    /// How many new applications may come in to one user in a window of
    /// `applications_received_window_ms`, by default a day (UTC): at most 100,000; 0 allows any
    /// number.
    public var applicationsReceivedPerDay: UInt32?
    /// How long a user whose application was refused may not apply again to the same user: at most
    /// 90 days; 0 for none.
    public var applicationCooldownMs: Int64?
    /// How long a new account may not add other users: at most 365 days; 0 for none.
    public var newAccountQuarantineMs: Int64?
    /// The users that may read single fields of a profile, if its user has not chosen (ours).
    public var fieldDefaults: FieldDefaultsMessage?
    /// Which deletions of accounts erase what others have of the user, and what they keep.
    public var erasure: ErasureSettingsMessage?
    /// Whether the app's stream is notified of new applications that carry a risk, with
    /// RISK_MARKED.
    public var marksRisks: Bool?
    /// Whether users are found over the whole app by FindUsers.
    public var findsUsers: Bool?
    /// The users that find a user that never chose: NO_USER or EVERYONE.
    public var defaultFindability: Findability?
    /// Whether the server answers the REST API of TIM, `/v4/…`, for this app: to administrators who
    /// show a UserSig.
    public var timREST: Bool?
    /// The user ids whose UserSig opens the REST API of TIM, with the scopes `read`, `write` and
    /// `admin`: at most 10, of 1 to 64 bytes.
    public var timAdministrators: StringList?
    /// The fields of profiles whose new values are reviewed, and what others see meanwhile (ours).
    public var reviewedFields: ReviewedFields?
    /// The fields of friends' rows whose new texts are reviewed: `remark`, `wording` and paths of
    /// custom fields, at most 100 (ours).
    public var reviewedFriendFields: StringList?
    /// Whether users learn who has come into the list of ListReverseFriends, or has left it,
    /// with REVERSE_FRIENDS_CHANGED in their logs, and the list is counted exactly.
    public var reportsReverseFriends: Bool?
    /// Whether FindUsers also finds users by the beginnings of their ids and unique ids, if the app
    /// lets its users be found (`finds_users`).
    public var findsIDBeginnings: Bool?
    /// Whether values that TIM stores without a check are kept as they come, in calls, in imports
    /// and in the REST API of TIM (ours).
    public var keepsTIMValues: Bool?
    /// How many days the app keeps what its relations were before they changed, for ListHistory and
    /// UndoChanges: at most 3650.
    public var historyDays: UInt32?
    /// How many bytes of that the app keeps at most: 1,048,576 to 1,099,511,627,776.
    public var historyBytes: Int64?
    /// How long the windows are in which `applications_per_day` counts: one minute to 90 days.
    public var applicationsWindowMs: Int64?
    /// Likewise for `applications_received_per_day`.
    public var applicationsReceivedWindowMs: Int64?
    /// How long the windows are in which ReportUser counts the reports of one user: one minute to
    /// 90 days.
    public var reportsWindowMs: Int64?
    /// Likewise for the digests that `limits.contact_lookups` counts.
    public var contactLookupsWindowMs: Int64?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.AppSettings", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "limits", &limits)
        visitor.field(2, "default_visibility", &defaultVisibility)
        visitor.field(3, "default_allow_type", &defaultAllowType)
        visitor.field(4, "applications_per_day", &applicationsPerDay)
        visitor.field(5, "application_lifetime_ms", &applicationLifetimeMs)
        visitor.field(6, "keeps_friendship_on_blacklist", &keepsFriendshipOnBlacklist)
        visitor.field(7, "checks_friendship_on_send", &checksFriendshipOnSend)
        visitor.field(8, "forbidden_words", &forbiddenWords)
        visitor.field(9, "makes_accounts_implicitly", &makesAccountsImplicitly)
        visitor.field(10, "profile_cache_seconds", &profileCacheSeconds)
        visitor.field(11, "log_lifetime_ms", &logLifetimeMs)
        visitor.field(12, "log_events", &logEvents)
        visitor.field(13, "bounds", &bounds)
        visitor.field(15, "applications_received_per_day", &applicationsReceivedPerDay)
        visitor.field(16, "application_cooldown_ms", &applicationCooldownMs)
        visitor.field(17, "new_account_quarantine_ms", &newAccountQuarantineMs)
        visitor.field(18, "field_defaults", &fieldDefaults)
        visitor.field(20, "finds_users", &findsUsers)
        visitor.field(21, "default_findability", &defaultFindability)
        visitor.field(22, "marks_risks", &marksRisks)
        visitor.field(24, "erasure", &erasure)
        visitor.field(29, "tim_rest", &timREST)
        visitor.field(30, "tim_administrators", &timAdministrators)
        visitor.field(34, "reviewed_fields", &reviewedFields)
        visitor.field(37, "reviewed_friend_fields", &reviewedFriendFields)
        visitor.field(39, "reports_reverse_friends", &reportsReverseFriends)
        visitor.field(40, "finds_id_beginnings", &findsIDBeginnings)
        visitor.field(46, "keeps_tim_values", &keepsTIMValues)
        visitor.field(50, "history_days", &historyDays)
        visitor.field(51, "history_bytes", &historyBytes)
        visitor.field(60, "applications_window_ms", &applicationsWindowMs)
        visitor.field(61, "applications_received_window_ms", &applicationsReceivedWindowMs)
        visitor.field(62, "reports_window_ms", &reportsWindowMs)
        visitor.field(63, "contact_lookups_window_ms", &contactLookupsWindowMs)
    }
}

/// The fields of profiles that have a default visibility of their own, by who may read them.
public struct FieldDefaultsMessage: CodedMessage {
    /// No other user may read them.
    public var oneself: StringList?
    /// The user's friends may read them.
    public var friends: StringList?
    /// The user's followers may read them.
    public var followers: StringList?
    /// Every user may read them, whatever the app's `default_visibility`.
    public var everyone: StringList?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FieldDefaults", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "oneself", &oneself)
        visitor.field(2, "friends", &friends)
        visitor.field(3, "followers", &followers)
        visitor.field(4, "everyone", &everyone)
    }
}

/// The fields of profiles whose new values are reviewed.
public struct ReviewedFields: CodedMessage {
    /// Others see the value that was approved before, until the new one is approved.
    public var held: StringList?
    /// Others see the new value at once, until it is rejected.
    public var shown: StringList?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ReviewedFields", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "held", &held)
        visitor.field(2, "shown", &shown)
    }
}

/// The settings of an app for the erasure of deleted users.
public struct ErasureSettingsMessage: CodedMessage {
    /// Whether every DeleteAccounts erases, as with `erase`.
    public var always: Bool?
    /// Whether an erasure leaves the events that name the user in the logs of others and in the
    /// app's stream, until they are too old or too many as all events are.
    public var keepsLogs: Bool?
    /// Whether an erasure leaves applications that have ended in the lists of others, for 90 days
    /// or until 200 later ones.
    public var keepsApplications: Bool?
    /// Whether an erasure leaves the answers that are kept for `request_id`, for a day.
    public var keepsAnswers: Bool?
    /// Whether an erasure leaves the end of the user's sessions under its id.
    public var keepsSessionEnds: Bool?
    /// Whether an erasure leaves the texts of reports that the user made, until the reports are
    /// dropped.
    public var keepsReports: Bool?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ErasureSettings", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "always", &always)
        visitor.field(2, "keeps_logs", &keepsLogs)
        visitor.field(3, "keeps_applications", &keepsApplications)
        visitor.field(4, "keeps_answers", &keepsAnswers)
        visitor.field(5, "keeps_session_ends", &keepsSessionEnds)
        visitor.field(6, "keeps_reports", &keepsReports)
    }
}

/// The limits of an app's users.
public struct AppLimitsMessage: CodedMessage {
    /// Friends of one user: at most 10,000.
    public var friends: UInt32?
    /// Users on one blacklist: at most 10,000.
    public var blacklistedUsers: UInt32?
    /// Friend groups of one user: at most 1,000.
    public var groups: UInt32?
    /// Waiting applications of one user in each direction: at most 1,000.
    public var pendencies: UInt32?
    /// The name of a friend group: 1 to 256.
    public var groupName: UInt32?
    /// A remark: at most 512.
    public var remark: UInt32?
    /// The wording of an application: at most 256.
    public var wording: UInt32?
    /// A nick: at most 1,024.
    public var nick: UInt32?
    /// A face URL: at most 1,024.
    public var faceURL: UInt32?
    /// A self signature: at most 1,024.
    public var selfSignature: UInt32?
    /// A location: at most 256 bytes.
    public var locationBytes: UInt32?
    /// A unique id: 1 to 64.
    public var uniqueID: UInt32?
    /// An email: at most 256.
    public var email: UInt32?
    /// A birthday as a text: at most 256.
    public var birthdayText: UInt32?
    /// A location as a text: at most 256.
    public var locationText: UInt32?
    /// The highest level.
    public var level: UInt32?
    /// The highest role.
    public var role: UInt32?
    /// How many profiles one GetProfiles may ask for: 1 to 100.
    public var profilesPerCall: UInt32?
    /// Custom fields of a profile: at most 100.
    public var profileKeys: UInt32?
    /// Custom fields of a friend: at most 100.
    public var friendKeys: UInt32?
    /// The value of a custom field that is a text: at most 1,024.
    public var customValue: UInt32?
    /// How many users one user may subscribe to, for each type: at most 10,000.
    public var subscriptions: UInt32?
    /// How many users may subscribe to one user, for each type: at most 50,000.
    public var subscribers: UInt32?
    /// How many users one user may follow with Follow: at most 20,000.
    public var followings: UInt32?
    /// How many followers one user may have: at most 4,000,000,000.
    public var followers: UInt32?
    /// How many mutual follows one user may have: at most 20,000.
    public var mutualFollows: UInt32?
    /// How many invitations that are good one user may have: at most 1,000.
    public var invitations: UInt32?
    /// How many users one user may dismiss with DismissSuggestions: at most 20,000.
    public var dismissedSuggestions: UInt32?
    /// The custom status of a user: at most 256.
    public var status: UInt32?
    /// Fields of a profile for which one user has chosen who may read them: at most 100.
    public var fieldVisibilities: UInt32?
    /// How many consumers of its changes the app may have: at most 1,000.
    public var consumers: UInt32?
    /// How many digests one user may ask FindContacts for in a window of
    /// `contact_lookups_window_ms`, by default a day (UTC): at most 1,000,000.
    public var contactLookups: UInt32?
    /// How many fields of all users may be under review, of profiles and of friends' rows: at most
    /// 100,000.
    public var reviews: UInt32?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.AppLimits", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "friends", &friends)
        visitor.field(2, "blacklisted_users", &blacklistedUsers)
        visitor.field(3, "groups", &groups)
        visitor.field(4, "pendencies", &pendencies)
        visitor.field(5, "group_name", &groupName)
        visitor.field(6, "remark", &remark)
        visitor.field(7, "wording", &wording)
        visitor.field(8, "nick", &nick)
        visitor.field(9, "face_url", &faceURL)
        visitor.field(10, "self_signature", &selfSignature)
        visitor.field(11, "location_bytes", &locationBytes)
        visitor.field(12, "unique_id", &uniqueID)
        visitor.field(13, "email", &email)
        visitor.field(14, "birthday_text", &birthdayText)
        visitor.field(15, "location_text", &locationText)
        visitor.field(16, "level", &level)
        visitor.field(17, "role", &role)
        visitor.field(18, "profiles_per_call", &profilesPerCall)
        visitor.field(19, "profile_keys", &profileKeys)
        visitor.field(20, "friend_keys", &friendKeys)
        visitor.field(21, "custom_value", &customValue)
        visitor.field(22, "subscriptions", &subscriptions)
        visitor.field(23, "subscribers", &subscribers)
        visitor.field(24, "followings", &followings)
        visitor.field(25, "followers", &followers)
        visitor.field(26, "mutual_follows", &mutualFollows)
        visitor.field(27, "invitations", &invitations)
        visitor.field(28, "dismissed_suggestions", &dismissedSuggestions)
        visitor.field(29, "status", &status)
        visitor.field(30, "field_visibilities", &fieldVisibilities)
        visitor.field(31, "contact_lookups", &contactLookups)
        visitor.field(41, "consumers", &consumers)
        visitor.field(45, "reviews", &reviews)
    }
}

/// An API key of an app, without its secret.
public struct Credential: CodedMessage {
    /// The public part of the credential.
    public var credentialID = ""
    /// The name of the credential, for people.
    public var name = ""
    /// The scopes of the credential.
    public var scopes: [Scope] = []
    /// When it was made.
    public var createTimeMs: Int64 = 0
    /// Until when it is good; 0 means for ever.
    public var expireTimeMs: Int64 = 0
    /// For a client certificate, the SHA-256 of its DER encoding; empty for an API key.
    public var certificateSHA256: [UInt8] = []
    /// When a call with it last began, to the minute; 0 if none has.
    ///
    /// A server stores the time once an hour and at its stop: that of another server, or from
    /// before a crash, may be so old.
    public var lastUseTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.Credential", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "credential_id", &credentialID)
        visitor.field(2, "name", &name)
        visitor.field(3, "scopes", &scopes)
        visitor.field(4, "create_time_ms", &createTimeMs)
        visitor.field(5, "expire_time_ms", &expireTimeMs)
        visitor.field(6, "certificate_sha256", &certificateSHA256)
        visitor.field(60, "last_use_time_ms", &lastUseTimeMs)
    }
}

/// A field that an app adds to profiles or to friends.
public struct CustomFieldMessage: CodedMessage {
    /// The kind of row that the field belongs to.
    public var owner = CustomFieldOwner.unspecified
    /// The field's name, without the prefix of its tag: 1 to 8 letters (TIM); with
    /// APP_PRESET_RONGCLOUD 1 to 32 letters, digits and underscores.
    public var key = ""
    /// The type of the field's value.
    public var valueType = CustomFieldType.unspecified
    /// Whether only callers with the scope `admin` may read it.
    public var adminReads = false
    /// Whether only callers with the scope `admin` may write it.
    public var adminWrites = false
    /// Whether the field is retired.
    public var retired = false

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.CustomField", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "owner", &owner)
        visitor.field(2, "key", &key)
        visitor.field(3, "value_type", &valueType)
        visitor.field(4, "admin_reads", &adminReads)
        visitor.field(5, "admin_writes", &adminWrites)
        visitor.field(6, "retired", &retired)
    }
}

/// The outcome for one custom field.
public struct CustomFieldResult: ResultMessage {
    /// The kind of row that the field belongs to, as the request names it.
    public var owner = CustomFieldOwner.unspecified
    /// The field's key, as the request names it; at most the first 256 bytes of a malformed one.
    public var key = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// Whether the field was made, changed, retired or brought back.
    public var changed = false

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.CustomFieldResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "owner", &owner)
        visitor.field(2, "key", &key)
        visitor.field(3, "code", &code)
        visitor.field(4, "reason", &reason)
        visitor.field(5, "info", &info)
        visitor.field(6, "changed", &changed)
    }
}

/// One limit.
public struct LimitMessage: CodedMessage {
    /// A setting of the app by its path, such as `limits.friends`, or a list of a request, such as
    /// `AddFriends.items`.
    public var name = ""
    /// The value of the limit.
    public var value: Int64 = 0
    /// The unit of the limit.
    public var unit = LimitUnit.unspecified
    /// How much of the limit the acting user uses now, or the app for `limits.profile_keys` and
    /// `limits.friend_keys`.
    public var inUse: Int64?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.Limit", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "value", &value)
        visitor.field(3, "unit", &unit)
        visitor.field(4, "in_use", &inUse)
    }
}
