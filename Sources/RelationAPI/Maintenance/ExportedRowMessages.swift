public import Protobuf
public import RelationModel

// The rows of ExportApp of proto/relation/v1/maintenance.proto, where every field is explained.

/// An account of an export.
public struct ExportedAccount: CodedMessage {
    /// The user.
    public var userID = ""
    /// When the account was made.
    public var createTimeMs: Int64 = 0
    /// The user's sequence.
    public var sequence: Int64 = 0
    /// The sequence of the user's friend list.
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
    /// The window that `applications_today` counts, by its begin: days since 1970, in UTC, if it
    /// begins at midnight, as a day does; otherwise milliseconds since 1970.
    public var applicationDay: Int64 = 0
    /// How many applications the user sent in that window.
    public var applicationsToday: UInt32 = 0
    /// The sequences that the account had counted in other apps before it was imported.
    public var formerSequence: Int64 = 0
    /// See `friends_sequence`: the sequence of the user's consents.
    public var consentsSequence: Int64 = 0
    /// See `friends_sequence`: the sequence of the users that the user follows.
    public var followingSequence: Int64 = 0
    /// See `friends_sequence`: the sequence of the user's followers.
    public var followersSequence: Int64 = 0
    /// See `friends_sequence`: the sequence of the user's invitations.
    public var invitationsSequence: Int64 = 0
    /// See `friends_sequence`: the sequence of the user's dismissed suggestions.
    public var dismissalsSequence: Int64 = 0
    /// See `friends_sequence`: the sequence of the users that have the user as a friend.
    public var reverseFriendsSequence: Int64 = 0
    /// When the user was last seen online, as far as it is stored; 0 if never.
    public var lastSeenTimeMs: Int64 = 0
    /// The user's choices about how it may be found; absent if it has made none.
    public var findSettings: FindSettings?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ExportedAccount", Self.self)

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
        visitor.field(13, "consents_sequence", &consentsSequence)
        visitor.field(14, "following_sequence", &followingSequence)
        visitor.field(15, "followers_sequence", &followersSequence)
        visitor.field(16, "invitations_sequence", &invitationsSequence)
        visitor.field(17, "last_seen_time_ms", &lastSeenTimeMs)
        visitor.field(19, "find_settings", &findSettings)
        visitor.field(24, "dismissals_sequence", &dismissalsSequence)
        visitor.field(25, "reverse_friends_sequence", &reverseFriendsSequence)
    }
}

/// A profile of an export.
public struct ExportedProfile: CodedMessage {
    /// The profile with every field that is set, including custom values of retired fields.
    public var profile: Profile?
    /// The visibility that the user has chosen for the profile; always set.
    public var visibility: Visibility?
    /// The version that other users get who see all that others may; absent if the server does not
    /// know it, and then it is the profile's version.
    public var openVersion: Int64?
    /// The version that other users get who see only the card, likewise.
    public var cardVersion: Int64?
    /// The fields for which the user has chosen who may read them, and those that had such a
    /// choice, or a default of the app, when they changed last.
    public var fields: [ExportedFieldVisibility] = []
    /// The fields under review, with their new values.
    public var reviews: [ProfileReview] = []

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ExportedProfile", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "profile", &profile)
        visitor.field(2, "visibility", &visibility)
        visitor.field(3, "open_version", &openVersion)
        visitor.field(4, "card_version", &cardVersion)
        visitor.field(5, "fields", &fields)
        visitor.field(6, "reviews", &reviews)
    }
}

/// The choice for one field of a profile of an export.
public struct ExportedFieldVisibility: CodedMessage {
    /// The field's path.
    public var field = ""
    /// The users that may read it; always set, and NOT_SET without a choice.
    public var visibility: Visibility?
    /// The numbers of the friend groups that may read it, as in ExportedGroup.
    public var groupNumbers: [UInt32] = []
    /// The version of the profile after the last change of the field that its readers see.
    public var version: Int64 = 0
    /// The users that could read it before the last choice; always set.
    public var formerVisibility: Visibility?
    /// The groups that could read it before, likewise.
    public var formerGroupNumbers: [UInt32] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportedFieldVisibility", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "field", &field)
        visitor.field(2, "visibility", &visibility)
        visitor.field(3, "group_numbers", &groupNumbers)
        visitor.field(4, "version", &version)
        visitor.field(5, "former_visibility", &formerVisibility)
        visitor.field(6, "former_group_numbers", &formerGroupNumbers)
    }
}

/// A friend of an export.
public struct ExportedFriend: CodedMessage {
    /// The owner of the row.
    public var userID = ""
    /// The row, with every field.
    public var entry: Friend?
    /// The fields under review, with their new values.
    public var reviews: [ProfileReview] = []

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ExportedFriend", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "entry", &entry)
        visitor.field(3, "reviews", &reviews)
    }
}

/// A friend group of an export.
public struct ExportedGroup: CodedMessage {
    /// The owner of the group.
    public var userID = ""
    /// The group.
    public var group: FriendGroup?
    /// The group's position among its owner's groups; they are listed in ascending order of it.
    public var number: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ExportedGroup", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "group", &group)
        visitor.field(3, "number", &number)
    }
}

/// An application of an export, as it stands with one of its two sides.
public struct ExportedApplication: CodedMessage {
    /// The user on that side.
    public var userID = ""
    /// The application.
    public var application: FriendApplication?
    /// The remark and the group that the applicant's row gets if the application is accepted.
    public var remark = ""
    /// See `remark`.
    public var group = ""
    /// The custom values that the applicant's row gets if the application is accepted.
    public var custom: [CustomValue] = []
    /// More groups that the applicant's row gets, after `group`.
    public var groups: [String] = []
    /// The wording, if it is under review: only of an application that waits, with its applicant,
    /// who has no row of the other user.
    public var reviews: [ProfileReview] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportedApplication", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "application", &application)
        visitor.field(3, "remark", &remark)
        visitor.field(4, "group", &group)
        visitor.field(5, "custom", &custom)
        visitor.field(6, "groups", &groups)
        visitor.field(7, "reviews", &reviews)
    }
}

/// A row of a blacklist of an export.
public struct ExportedBlacklistEntry: CodedMessage {
    /// The owner of the blacklist.
    public var userID = ""
    /// The row.
    public var entry: BlacklistEntry?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportedBlacklistEntry", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "entry", &entry)
    }
}

/// The answer of a user of an export to a client app about a permission.
public struct ExportedConsent: CodedMessage {
    /// The user.
    public var userID = ""
    /// The client app.
    public var clientAppID = ""
    /// The permission at the time of the snapshot.
    public var permission: UserPermission?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ExportedConsent", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "client_app_id", &clientAppID)
        visitor.field(3, "permission", &permission)
    }
}

/// A user to which a user of an export subscribes.
public struct ExportedSubscription: CodedMessage {
    /// The subscriber.
    public var userID = ""
    /// The subscription.
    public var subscription: Subscription?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportedSubscription", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "subscription", &subscription)
    }
}

/// A user that a user of an export follows.
public struct ExportedFollow: CodedMessage {
    /// The follower.
    public var userID = ""
    /// The followed user, with the time at which the follow began.
    public var entry: FollowEntry?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ExportedFollow", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "entry", &entry)
    }
}

/// A user that a user of an export has dismissed with DismissSuggestions.
public struct ExportedDismissedSuggestion: CodedMessage {
    /// The user that dismissed the other one.
    public var userID = ""
    /// The dismissed user, with the time of the call.
    public var entry: DismissedSuggestion?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportedDismissedSuggestion", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "entry", &entry)
    }
}

/// The custom status of a user of an export.
public struct ExportedStatus: CodedMessage {
    /// The user.
    public var userID = ""
    /// The text.
    public var text = ""
    /// When it ends; 0 if it holds until it is changed.
    public var expireTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ExportedStatus", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "text", &text)
        visitor.field(3, "expire_time_ms", &expireTimeMs)
    }
}

/// The devices of a user of an export: those whose last seen is stored.
public struct ExportedDevices: CodedMessage {
    /// The user.
    public var userID = ""
    /// The devices, in the order of their ids: 1 to 20.
    public var devices: [ExportedDevice] = []

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ExportedDevices", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "devices", &devices)
    }
}

/// A device of a user of an export.
public struct ExportedDevice: CodedMessage {
    /// The device's id.
    public var deviceID = ""
    /// The kind of device, as it was reported.
    public var platform = ""
    /// When the device was last seen online, as far as it is stored.
    public var lastSeenTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ExportedDevice", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "device_id", &deviceID)
        visitor.field(2, "platform", &platform)
        visitor.field(3, "last_seen_time_ms", &lastSeenTimeMs)
    }
}

/// The digests of the phone numbers and mail addresses of a user of an export.
public struct ExportedContactDigests: CodedMessage {
    /// The user.
    public var userID = ""
    /// The digests of phone numbers, in the order of their bytes.
    public var phones: [[UInt8]] = []
    /// The digests of mail addresses, in the order of their bytes.
    public var emails: [[UInt8]] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportedContactDigests", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "phones", &phones)
        visitor.field(3, "emails", &emails)
    }
}

/// An invitation of an export.
public struct ExportedInvitation: CodedMessage {
    /// The inviter.
    public var userID = ""
    /// The invitation.
    public var invitation: Invitation?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportedInvitation", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "invitation", &invitation)
    }
}

/// A user's note in an export that it used an invitation.
public struct ExportedInvitationUse: CodedMessage {
    /// The user.
    public var userID = ""
    /// The id of the invitation.
    public var invitationID = ""
    /// When the invitation expires.
    public var expireTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportedInvitationUse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "invitation_id", &invitationID)
        visitor.field(3, "expire_time_ms", &expireTimeMs)
    }
}
