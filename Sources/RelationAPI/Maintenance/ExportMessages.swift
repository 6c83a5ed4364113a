public import Protobuf
public import RelationModel

// The messages of ExportApp of proto/relation/v1/maintenance.proto, where every field is explained.

/// The request of ExportApp.
public struct ExportAppRequest: Message, AppReadRequest {
    public var options: ReadOptions?
    public var resumeToken = ""

    public init() {}

    public static let schema = Schema("relation.v1.ExportAppRequest", ExportAppRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "resume_token", &resumeToken)
    }
}

/// A message of ExportApp.
public struct ExportAppResponse: Message, Equatable {
    public var row: Row?

    public init() {}

    public init(_ row: Row) {
        self.row = row
    }

    public static let schema = Schema("relation.v1.ExportAppResponse", ExportAppResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.oneof("row", &row)
    }

    /// A row, or how far the export has come.
    public enum Row: OneOf, Equatable {
        case account(ExportedAccount)
        case profile(ExportedProfile)
        case friendEntry(ExportedFriend)
        case group(ExportedGroup)
        case application(ExportedApplication)
        case blacklistEntry(ExportedBlacklistEntry)
        case point(ExportPoint)
        case consent(ExportedConsent)
        case subscription(ExportedSubscription)

        public static func visit(_ row: inout Row?, _ cases: inout some OneOfVisitor) {
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
        }
    }
}

/// An account of an export.
public struct ExportedAccount: Message, Equatable {
    public var userID = ""
    public var createTimeMs: Int64 = 0
    public var sequence: Int64 = 0
    public var friendsSequence: Int64 = 0
    public var pendenciesSequence: Int64 = 0
    public var blacklistSequence: Int64 = 0
    public var groupsSequence: Int64 = 0
    public var readTimeMs: Int64 = 0
    public var subscriptionsSequence: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.ExportedAccount", ExportedAccount.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "create_time_ms", &createTimeMs)
        visitor.field(3, "sequence", &sequence)
        visitor.field(4, "friends_sequence", &friendsSequence)
        visitor.field(5, "pendencies_sequence", &pendenciesSequence)
        visitor.field(6, "blacklist_sequence", &blacklistSequence)
        visitor.field(7, "groups_sequence", &groupsSequence)
        visitor.field(8, "read_time_ms", &readTimeMs)
        visitor.field(9, "subscriptions_sequence", &subscriptionsSequence)
    }
}

/// A profile of an export.
public struct ExportedProfile: Message, Equatable {
    public var profile: Profile?
    public var visibility: Visibility?

    public init() {}

    public static let schema = Schema("relation.v1.ExportedProfile", ExportedProfile.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "profile", &profile)
        visitor.field(2, "visibility", &visibility)
    }
}

/// A friend of an export.
public struct ExportedFriend: Message, Equatable {
    public var userID = ""
    public var entry: Friend?

    public init() {}

    public static let schema = Schema("relation.v1.ExportedFriend", ExportedFriend.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "entry", &entry)
    }
}

/// A friend group of an export.
public struct ExportedGroup: Message, Equatable {
    public var userID = ""
    public var group: FriendGroup?
    public var number: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.ExportedGroup", ExportedGroup.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "group", &group)
        visitor.field(3, "number", &number)
    }
}

/// An application of an export, as it stands with one of its two sides.
public struct ExportedApplication: Message, Equatable {
    public var userID = ""
    public var application: FriendApplication?
    public var remark = ""
    public var group = ""
    public var custom: [CustomValue] = []

    public init() {}

    public static let schema = Schema("relation.v1.ExportedApplication", ExportedApplication.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "application", &application)
        visitor.field(3, "remark", &remark)
        visitor.field(4, "group", &group)
        visitor.field(5, "custom", &custom)
    }
}

/// A row of a blacklist of an export.
public struct ExportedBlacklistEntry: Message, Equatable {
    public var userID = ""
    public var entry: BlacklistEntry?

    public init() {}

    public static let schema = Schema(
        "relation.v1.ExportedBlacklistEntry", ExportedBlacklistEntry.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "entry", &entry)
    }
}

/// The answer of a user of an export to a client app about a permission.
public struct ExportedConsent: Message, Equatable {
    public var userID = ""
    public var clientAppID = ""
    public var permission: UserPermission?

    public init() {}

    public static let schema = Schema("relation.v1.ExportedConsent", ExportedConsent.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "client_app_id", &clientAppID)
        visitor.field(3, "permission", &permission)
    }
}

/// A user that a user of an export follows.
public struct ExportedSubscription: Message, Equatable {
    public var userID = ""
    public var subscription: Subscription?

    public init() {}

    public static let schema = Schema(
        "relation.v1.ExportedSubscription", ExportedSubscription.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "subscription", &subscription)
    }
}

/// How far an export has come.
public struct ExportPoint: Message, Equatable {
    public var resumeToken = ""
    public var timeMs: Int64 = 0
    public var rows: Int64 = 0
    public var complete = false

    public init() {}

    public static let schema = Schema("relation.v1.ExportPoint", ExportPoint.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "resume_token", &resumeToken)
        visitor.field(2, "time_ms", &timeMs)
        visitor.field(3, "rows", &rows)
        visitor.field(4, "complete", &complete)
    }
}
