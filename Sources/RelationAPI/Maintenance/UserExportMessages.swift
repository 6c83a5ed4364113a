public import Protobuf

// The messages of ExportUser of proto/relation/v1/maintenance.proto, where every field is
// explained.

/// The request of ExportUser.
public struct ExportUserRequest: AppReadRequest {
    public var options: ReadOptions?
    /// The user whose data is sent.
    public var exportedUserID = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportUserRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "exported_user_id", &exportedUserID)
    }
}

/// A message of ExportUser.
public struct ExportUserResponse: CodedMessage {
    /// A part of the user's data, or how far the export has come.
    public var part: Part?

    public init() {}

    package init(_ part: Part) {
        self.part = part
    }

    /// A part of the user's data, or how far the export has come.
    public enum Part: OneOf {
        /// A row of the user: the account first, then its profile, friend groups, friends,
        /// applications, blacklist, consents, subscriptions, follows, invitations and dismissed
        /// suggestions. Then come its custom status, digests of contacts, suspension, devices and
        /// the end of its sessions.
        case row(ExportAppResponse)
        /// How many others have the user on their lists.
        case mentions(ExportedMentions)
        /// An event of the user's log.
        case event(ChangeEvent)
        /// How far the export has come: sent after every few hundred parts, and at the end.
        case point(ExportPoint)
        /// A report that the user made, without `outcome`, `note` and `resolve_time_ms`, which are
        /// the moderators'.
        case madeReport(UserReport)

        @usableFromInline package static func visit(
            _ part: inout Part?, _ cases: inout some OneOfVisitor
        ) {
            cases.field(
                1, "row", &part,
                { if case .row(let value) = $0 { value } else { nil } }, Part.row)
            cases.field(
                2, "mentions", &part,
                { if case .mentions(let value) = $0 { value } else { nil } }, Part.mentions)
            cases.field(
                3, "event", &part,
                { if case .event(let value) = $0 { value } else { nil } }, Part.event)
            cases.field(
                4, "point", &part,
                { if case .point(let value) = $0 { value } else { nil } }, Part.point)
            cases.field(
                5, "made_report", &part,
                { if case .madeReport(let value) = $0 { value } else { nil } }, Part.madeReport)
        }
    }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportUserResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.oneof("part", &part)
    }
}

/// How many others have a user on their lists, where the user's own lists do not name them.
public struct ExportedMentions: CodedMessage {
    /// Users who have the user as a friend, and are not the user's friends.
    public var friends: Int64 = 0
    /// Users who have the user on their blacklists.
    public var blacklists: Int64 = 0
    /// Users with an application to or from the user, of which the user has deleted its own record.
    public var applications: Int64 = 0
    /// Subscriptions of others to the user.
    public var subscribers: Int64 = 0
    /// Followers of the user.
    public var followers: Int64 = 0
    /// Users who have dismissed the user as a suggestion.
    public var dismissals: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ExportedMentions", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "friends", &friends)
        visitor.field(2, "blacklists", &blacklists)
        visitor.field(3, "applications", &applications)
        visitor.field(4, "subscribers", &subscribers)
        visitor.field(5, "followers", &followers)
        visitor.field(6, "dismissals", &dismissals)
    }
}
