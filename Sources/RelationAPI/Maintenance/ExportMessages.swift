public import Protobuf
public import RelationModel

// The messages of ExportApp of proto/relation/v1/maintenance.proto, where every field is explained.

/// The request of ExportApp.
public struct ExportAppRequest: Message {
    /// How the read is carried out.
    ///
    /// `min_sequence` is read when the export begins.
    public var options: ReadOptions?
    /// The `resume_token` of an export that broke; the rows after it are sent.
    ///
    /// Empty begins a new export. A text that is no token of this app's exports is
    /// INVALID_ARGUMENT, reason INVALID_RESUME_TOKEN.
    public var resumeToken = ""
    /// Whether the export has the digests of API keys and the secrets of users' signatures.
    ///
    /// Only operators may set it; otherwise the call is PERMISSION_DENIED, reason SCOPE_MISSING.
    public var includeSecrets = false

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        options: ReadOptions? = nil, resumeToken: String = "", includeSecrets: Bool = false
    ) {
        self.options = options
        self.resumeToken = resumeToken
        self.includeSecrets = includeSecrets
    }
}

extension ExportAppRequest: AppReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportAppRequest", ExportAppRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "resume_token", &resumeToken)
        visitor.field(4, "include_secrets", &includeSecrets)
    }
}

/// A message of ExportApp.
public struct ExportAppResponse: Message {
    /// A row, or how far the export has come.
    ///
    /// A client skips a message without a case that it knows: it is a row of a newer kind, which
    /// `rows` of the progress counts.
    public var row: Row?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(row: Row? = nil) {
        self.row = row
    }

    package init(_ row: Row) {
        self.row = row
    }

    /// A row, or how far the export has come.
    public enum Row: OneOf {
        /// An account.
        ///
        /// The rows up to the next account belong to it.
        case account(ExportedAccount)
        /// The account's profile.
        ///
        /// An account that never set anything has none.
        case profile(ExportedProfile)
        /// A row of the account's friend list.
        case friendEntry(ExportedFriend)
        /// A friend group of the account.
        case group(ExportedGroup)
        /// An application of the account, whether it waits or has ended.
        case application(ExportedApplication)
        /// A row of the account's blacklist.
        case blacklistEntry(ExportedBlacklistEntry)
        /// How far the export has come: sent first, after every few hundred rows, and at the end.
        case point(ExportPoint)
        /// The answer of the account's user to a client app about a permission.
        case consent(ExportedConsent)
        /// A user that the account follows.
        case subscription(ExportedSubscription)
        /// The app.
        ///
        /// It comes after the first point, and before the definitions and the accounts.
        case app(ExportedApp)
        /// How much the app's callers may do, if the app has bounds of its own.
        case bounds(AppBoundsMessage)
        /// A custom field, whether it is in use or retired.
        case customField(CustomFieldMessage)
        /// A client app.
        case clientApp(ClientAppDescription)
        /// A permission that the app defined, or a built-in one with a lifetime of the app's
        /// choice.
        case permission(PermissionDefinition)
        /// An API key or client certificate.
        case credential(ExportedCredential)
        /// A secret of users' signatures, the newest first.
        case secret(ExportedSecret)

        @usableFromInline package static func visit(
            _ row: inout Row?, _ cases: inout some OneOfVisitor
        ) {
            cases.field(
                1, "account", &row,
                { if case .account(let value) = $0 { value } else { nil } }, Row.account)
            cases.field(
                2, "profile", &row,
                { if case .profile(let value) = $0 { value } else { nil } }, Row.profile)
            cases.field(
                3, "friend_entry", &row,
                { if case .friendEntry(let value) = $0 { value } else { nil } }, Row.friendEntry)
            cases.field(
                4, "group", &row,
                { if case .group(let value) = $0 { value } else { nil } }, Row.group)
            cases.field(
                5, "application", &row,
                { if case .application(let value) = $0 { value } else { nil } }, Row.application)
            cases.field(
                6, "blacklist_entry", &row,
                { if case .blacklistEntry(let value) = $0 { value } else { nil } },
                Row.blacklistEntry)
            cases.field(
                7, "point", &row,
                { if case .point(let value) = $0 { value } else { nil } }, Row.point)
            cases.field(
                8, "consent", &row,
                { if case .consent(let value) = $0 { value } else { nil } }, Row.consent)
            cases.field(
                9, "subscription", &row,
                { if case .subscription(let value) = $0 { value } else { nil } },
                Row.subscription)
            cases.field(
                10, "app", &row,
                { if case .app(let value) = $0 { value } else { nil } }, Row.app)
            cases.field(
                11, "bounds", &row,
                { if case .bounds(let value) = $0 { value } else { nil } }, Row.bounds)
            cases.field(
                12, "custom_field", &row,
                { if case .customField(let value) = $0 { value } else { nil } }, Row.customField)
            cases.field(
                13, "client_app", &row,
                { if case .clientApp(let value) = $0 { value } else { nil } }, Row.clientApp)
            cases.field(
                14, "permission", &row,
                { if case .permission(let value) = $0 { value } else { nil } }, Row.permission)
            cases.field(
                15, "credential", &row,
                { if case .credential(let value) = $0 { value } else { nil } }, Row.credential)
            cases.field(
                16, "secret", &row,
                { if case .secret(let value) = $0 { value } else { nil } }, Row.secret)
        }
    }
}

extension ExportAppResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportAppResponse", ExportAppResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.oneof("row", &row)
    }
}

/// An account of an export.
public struct ExportedAccount: Message {
    /// The user.
    public var userID = ""
    /// When the account was made.
    public var createTimeMs: Int64 = 0
    /// The user's sequence.
    public var sequence: Int64 = 0
    /// The sequence of the user's friend list.
    ///
    /// The fields below hold those of the user's applications that wait, blacklist, friend groups
    /// and subscriptions.
    public var friendsSequence: Int64 = 0
    /// See `friends_sequence`.
    public var pendenciesSequence: Int64 = 0
    /// See `friends_sequence`.
    public var blacklistSequence: Int64 = 0
    /// See `friends_sequence`.
    public var groupsSequence: Int64 = 0
    /// Applications up to this time are read.
    public var readTimeMs: Int64 = 0
    /// See `friends_sequence`: the sequence of the user's subscriptions.
    public var subscriptionsSequence: Int64 = 0
    /// The day that `applications_today` counts: days since 1970, in UTC.
    public var applicationDay: Int64 = 0
    /// How many applications the user sent on that day.
    public var applicationsToday: UInt32 = 0
    /// The sequences that the account had counted in other apps before it was imported.
    ///
    /// An import adds `sequence` to it; ids of applications count on from the sum.
    public var formerSequence: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", createTimeMs: Int64 = 0, sequence: Int64 = 0,
        friendsSequence: Int64 = 0, pendenciesSequence: Int64 = 0, blacklistSequence: Int64 = 0,
        groupsSequence: Int64 = 0, readTimeMs: Int64 = 0, subscriptionsSequence: Int64 = 0,
        applicationDay: Int64 = 0, applicationsToday: UInt32 = 0, formerSequence: Int64 = 0
    ) {
        self.userID = userID
        self.createTimeMs = createTimeMs
        self.sequence = sequence
        self.friendsSequence = friendsSequence
        self.pendenciesSequence = pendenciesSequence
        self.blacklistSequence = blacklistSequence
        self.groupsSequence = groupsSequence
        self.readTimeMs = readTimeMs
        self.subscriptionsSequence = subscriptionsSequence
        self.applicationDay = applicationDay
        self.applicationsToday = applicationsToday
        self.formerSequence = formerSequence
    }
}

extension ExportedAccount: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportedAccount", ExportedAccount.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "create_time_ms", &createTimeMs)
        visitor.field(3, "sequence", &sequence)
        visitor.field(4, "friends_sequence", &friendsSequence)
        visitor.field(5, "pendencies_sequence", &pendenciesSequence)
        visitor.field(6, "blacklist_sequence", &blacklistSequence)
        visitor.field(7, "groups_sequence", &groupsSequence)
        visitor.field(8, "read_time_ms", &readTimeMs)
        visitor.field(9, "subscriptions_sequence", &subscriptionsSequence)
        visitor.field(10, "application_day", &applicationDay)
        visitor.field(11, "applications_today", &applicationsToday)
        visitor.field(12, "former_sequence", &formerSequence)
    }
}

/// A profile of an export.
public struct ExportedProfile: Message {
    /// The profile with every field that is set, including custom values of retired fields.
    public var profile: Profile?
    /// The visibility that the user has chosen for the profile; always set.
    public var visibility: Visibility?
    /// The version that other users get who see all that others may; absent if the server does not
    /// know it, and then it is the profile's version.
    public var openVersion: Int64?
    /// The version that other users get who see only the card, likewise.
    public var cardVersion: Int64?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        profile: Profile? = nil, visibility: Visibility? = nil, openVersion: Int64? = nil,
        cardVersion: Int64? = nil
    ) {
        self.profile = profile
        self.visibility = visibility
        self.openVersion = openVersion
        self.cardVersion = cardVersion
    }
}

extension ExportedProfile: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportedProfile", ExportedProfile.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "profile", &profile)
        visitor.field(2, "visibility", &visibility)
        visitor.field(3, "open_version", &openVersion)
        visitor.field(4, "card_version", &cardVersion)
    }
}

/// A friend of an export.
public struct ExportedFriend: Message {
    /// The owner of the row.
    public var userID = ""
    /// The row, with every field.
    public var entry: Friend?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", entry: Friend? = nil) {
        self.userID = userID
        self.entry = entry
    }
}

extension ExportedFriend: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportedFriend", ExportedFriend.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "entry", &entry)
    }
}

/// A friend group of an export.
public struct ExportedGroup: Message {
    /// The owner of the group.
    public var userID = ""
    /// The group.
    public var group: FriendGroup?
    /// The group's place among its owner's groups; they are listed in ascending order of it.
    public var number: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", group: FriendGroup? = nil, number: Int64 = 0) {
        self.userID = userID
        self.group = group
        self.number = number
    }
}

extension ExportedGroup: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportedGroup", ExportedGroup.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "group", &group)
        visitor.field(3, "number", &number)
    }
}

/// An application of an export, as it stands with one of its two sides.
public struct ExportedApplication: Message {
    /// The user on that side.
    public var userID = ""
    /// The application.
    ///
    /// Nick and face URL are left out, because they belong to the other user's profile.
    public var application: FriendApplication?
    /// The remark and the group that the applicant's row gets if the application is accepted.
    public var remark = ""
    /// See `remark`.
    public var group = ""
    /// The custom values that the applicant's row gets if the application is accepted.
    public var custom: [CustomValue] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", application: FriendApplication? = nil, remark: String = "",
        group: String = "", custom: [CustomValue] = []
    ) {
        self.userID = userID
        self.application = application
        self.remark = remark
        self.group = group
        self.custom = custom
    }
}

extension ExportedApplication: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportedApplication", ExportedApplication.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "application", &application)
        visitor.field(3, "remark", &remark)
        visitor.field(4, "group", &group)
        visitor.field(5, "custom", &custom)
    }
}

/// A row of a blacklist of an export.
public struct ExportedBlacklistEntry: Message {
    /// The owner of the blacklist.
    public var userID = ""
    /// The row.
    public var entry: BlacklistEntry?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", entry: BlacklistEntry? = nil) {
        self.userID = userID
        self.entry = entry
    }
}

extension ExportedBlacklistEntry: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportedBlacklistEntry", ExportedBlacklistEntry.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "entry", &entry)
    }
}

/// The answer of a user of an export to a client app about a permission.
public struct ExportedConsent: Message {
    /// The user.
    public var userID = ""
    /// The client app.
    public var clientAppID = ""
    /// The permission at the moment that the export shows.
    ///
    /// A grant whose time had run out then is EXPIRED. Kind and access are left out, because they
    /// belong to the permission's definition.
    public var permission: UserPermission?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", clientAppID: String = "", permission: UserPermission? = nil) {
        self.userID = userID
        self.clientAppID = clientAppID
        self.permission = permission
    }
}

extension ExportedConsent: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportedConsent", ExportedConsent.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "client_app_id", &clientAppID)
        visitor.field(3, "permission", &permission)
    }
}

/// A user that a user of an export follows.
public struct ExportedSubscription: Message {
    /// The subscriber.
    public var userID = ""
    /// The subscription.
    ///
    /// It may have ended at the moment that the export shows.
    public var subscription: Subscription?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", subscription: Subscription? = nil) {
        self.userID = userID
        self.subscription = subscription
    }
}

extension ExportedSubscription: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportedSubscription", ExportedSubscription.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "subscription", &subscription)
    }
}

/// How far an export has come.
public struct ExportPoint: Message {
    /// The token with which an export goes on after the rows that were sent before this message.
    public var resumeToken = ""
    /// The moment that the export shows.
    public var timeMs: Int64 = 0
    /// How many rows were sent so far, including those of earlier streams of the same export.
    public var rows: Int64 = 0
    /// Whether all rows were sent.
    public var complete = false
    /// The version of the form of the export, 1 at present: a server that knows an older one only
    /// cannot import it.
    ///
    /// A server before ImportApp sends 0.
    public var format: Int32 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        resumeToken: String = "", timeMs: Int64 = 0, rows: Int64 = 0, complete: Bool = false,
        format: Int32 = 0
    ) {
        self.resumeToken = resumeToken
        self.timeMs = timeMs
        self.rows = rows
        self.complete = complete
        self.format = format
    }
}

extension ExportPoint: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportPoint", ExportPoint.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "resume_token", &resumeToken)
        visitor.field(2, "time_ms", &timeMs)
        visitor.field(3, "rows", &rows)
        visitor.field(4, "complete", &complete)
        visitor.field(5, "format", &format)
    }
}

/// A message of ImportApp to the client.
public struct ImportAppResponse: Message {
    /// The row or the progress that the message tells.
    ///
    /// A client skips a message without a case that it knows.
    public var answer: Answer?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(answer: Answer? = nil) {
        self.answer = answer
    }

    /// The row or the progress that the message tells.
    public enum Answer: OneOf {
        /// A row that was refused, or has a reason.
        case row(ImportAppRowResult)
        /// How far the import has come.
        case progress(ImportProgress)

        @usableFromInline package static func visit(
            _ answer: inout Answer?, _ cases: inout some OneOfVisitor
        ) {
            cases.field(
                1, "row", &answer,
                { if case .row(let row) = $0 { row } else { nil } }, Answer.row)
            cases.field(
                2, "progress", &answer,
                { if case .progress(let progress) = $0 { progress } else { nil } }, Answer.progress)
        }
    }
}

extension ImportAppResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ImportAppResponse", ImportAppResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.oneof("answer", &answer)
    }
}
