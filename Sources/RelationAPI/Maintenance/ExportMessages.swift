public import Protobuf

// The messages of ExportApp of proto/relation/v1/maintenance.proto, where every field is explained.

/// The request of ExportApp.
public struct ExportAppRequest: AppReadRequest {
    public var options: ReadOptions?
    /// The `resume_token` of an export that broke; the rows after it are sent.
    public var resumeToken = ""
    /// Whether the export has the digests of API keys and the secrets of users' signatures.
    public var includeSecrets = false

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ExportAppRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "resume_token", &resumeToken)
        visitor.field(4, "include_secrets", &includeSecrets)
    }
}

/// A message of ExportApp.
public struct ExportAppResponse: CodedMessage {
    /// A row, or how far the export has come.
    public var row: Row?

    public init() {}

    package init(_ row: Row) {
        self.row = row
    }

    /// A row, or how far the export has come.
    public enum Row: OneOf {
        /// An account.
        case account(ExportedAccount)
        /// The account's profile.
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
        /// A user to which the account subscribes.
        case subscription(ExportedSubscription)
        /// The app.
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
        /// A follow of the account.
        case follow(ExportedFollow)
        /// An invitation that the account made.
        case invitation(ExportedInvitation)
        /// An invitation that the account used.
        case invitationUse(ExportedInvitationUse)
        /// The end of a user's sessions.
        case sessionEnd(ExportedSessionEnd)
        /// A user that the account does not want as a suggestion any more.
        case dismissedSuggestion(ExportedDismissedSuggestion)
        /// The custom status of the account.
        case status(ExportedStatus)
        /// A webhook of the app.
        case hook(ExportedHook)
        /// The suspension of the account.
        case suspension(Suspension)
        /// A report about the account.
        case report(UserReport)
        /// The digests of the account's phone numbers and mail addresses.
        case contactDigests(ExportedContactDigests)
        /// The devices of the account, with the times at which they were last seen.
        case devices(ExportedDevices)

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
            cases.field(
                17, "follow", &row,
                { if case .follow(let value) = $0 { value } else { nil } }, Row.follow)
            cases.field(
                18, "invitation", &row,
                { if case .invitation(let value) = $0 { value } else { nil } }, Row.invitation)
            cases.field(
                19, "invitation_use", &row,
                { if case .invitationUse(let value) = $0 { value } else { nil } },
                Row.invitationUse)
            cases.field(
                20, "session_end", &row,
                { if case .sessionEnd(let value) = $0 { value } else { nil } }, Row.sessionEnd)
            visitLater(&row, &cases)
        }

        private static func visitLater(_ row: inout Row?, _ cases: inout some OneOfVisitor) {
            cases.field(
                21, "dismissed_suggestion", &row,
                { if case .dismissedSuggestion(let value) = $0 { value } else { nil } },
                Row.dismissedSuggestion)
            cases.field(
                22, "status", &row,
                { if case .status(let value) = $0 { value } else { nil } }, Row.status)
            cases.field(
                24, "contact_digests", &row,
                { if case .contactDigests(let value) = $0 { value } else { nil } },
                Row.contactDigests)
            cases.field(
                26, "suspension", &row,
                { if case .suspension(let value) = $0 { value } else { nil } }, Row.suspension)
            cases.field(
                27, "report", &row,
                { if case .report(let value) = $0 { value } else { nil } }, Row.report)
            cases.field(
                31, "hook", &row,
                { if case .hook(let value) = $0 { value } else { nil } }, Row.hook)
            cases.field(
                60, "devices", &row,
                { if case .devices(let value) = $0 { value } else { nil } }, Row.devices)
        }
    }

    @usableFromInline package static let schema = Schema("relation.v1.ExportAppResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.oneof("row", &row)
    }
}

/// How far an export has come.
public struct ExportPoint: CodedMessage {
    /// The token with which an export goes on after the rows that were sent before this message.
    public var resumeToken = ""
    /// The time of the snapshot.
    public var timeMs: Int64 = 0
    /// How many rows were sent so far, including those of earlier streams of the same export.
    public var rows: Int64 = 0
    /// Whether all rows were sent.
    public var complete = false
    /// The version of the form of the export, 1 at present.
    public var format: Int32 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ExportPoint", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "resume_token", &resumeToken)
        visitor.field(2, "time_ms", &timeMs)
        visitor.field(3, "rows", &rows)
        visitor.field(4, "complete", &complete)
        visitor.field(5, "format", &format)
    }
}

/// A message of ImportApp to the client.
public struct ImportAppResponse: CodedMessage {
    /// The row or the progress that the message reports.
    public var answer: Answer?

    public init() {}

    /// The row or the progress that the message reports.
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

    @usableFromInline package static let schema = Schema("relation.v1.ImportAppResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.oneof("answer", &answer)
    }
}
