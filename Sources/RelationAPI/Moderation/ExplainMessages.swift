public import Protobuf
public import RelationModel

// The messages of the calls of proto/relation/v1/moderation.proto that explain answers, where every
// field is explained.

/// A row at which a rung looked.
public struct RungRow: CodedMessage {
    /// The user whose row it is.
    public var ownerUserID = ""
    /// The other user that the row is about; empty for a row about its owner alone.
    public var otherUserID = ""
    /// Whether there is such a row.
    public var present = false
    /// The version of the row: the owner's sequence when it changed last.
    public var sequence: Int64 = 0
    /// When the row was made; 0 if it is not present, or does not say.
    public var addTimeMs: Int64 = 0
    /// When a suspension ends or, in PEER_MARKS, when the muting does; 0 for no end, or no muting.
    public var endTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.RungRow", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "owner_user_id", &ownerUserID)
        visitor.field(2, "other_user_id", &otherUserID)
        visitor.field(3, "present", &present)
        visitor.field(4, "sequence", &sequence)
        visitor.field(5, "add_time_ms", &addTimeMs)
        visitor.field(6, "end_time_ms", &endTimeMs)
    }
}

/// One rung of the ladder of a rule.
public struct Rung: CodedMessage {
    /// The question.
    public var kind = RungKind.unspecified
    /// Whether the rule ended here: this rung gave the code.
    public var decided = false
    /// The rows at which it looked.
    public var rows: [RungRow] = []
    /// The setting of the app on which it depends, by its name in AppSettings; may be empty.
    public var setting = ""
    /// Whether that setting is on.
    public var settingOn = false
    /// The value that was looked at, by its name in its enum; empty if the rung looks at no enum.
    public var value = ""
    /// The number that was compared with a bound; 0 if the rung has none.
    public var count: Int64 = 0
    /// The bound with which it was compared; 0 if the rung has none, or the app has not set it.
    public var limit: Int64 = 0
    /// The hook that is asked before the call; empty but in HOOK.
    public var hookID = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.Rung", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "kind", &kind)
        visitor.field(2, "decided", &decided)
        visitor.field(3, "rows", &rows)
        visitor.field(4, "setting", &setting)
        visitor.field(5, "setting_on", &settingOn)
        visitor.field(6, "value", &value)
        visitor.field(7, "count", &count)
        visitor.field(8, "limit", &limit)
        visitor.field(9, "hook_id", &hookID)
    }
}

/// The request of ExplainSend.
public struct ExplainSendRequest: AppReadRequest, SizedReadRequest {
    public var options: ReadOptions?
    /// The sender.
    public var fromUserID = ""
    /// The receiver.
    public var toUserID = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainSendRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "from_user_id", &fromUserID)
        visitor.field(4, "to_user_id", &toUserID)
    }

    /// The rows at which the rule looks, and those that tell their versions.
    package var readSize: ReadSize { .items(1, rows: 12) }
}

/// The response of ExplainSend.
public struct ExplainSendResponse: ResultMessage {
    /// The code that CanSend answers, always set.
    public var code: SendStatus?
    /// The reason of the code; unspecified if there is nothing more to say.
    public var reason = Reason.none
    public var info = ""
    /// `muted` of CanSend's answer.
    public var muted = false
    /// `ignored` of CanSend's answer.
    public var ignored = false
    /// The rungs in the order in which the rule looked at them, up to the one that decides, and
    /// PEER_MARKS if the message may be sent.
    public var rungs: [Rung] = []
    /// The version of the app whose settings counted, as GetApp has it; 0 if the server has none.
    public var appVersion: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainSendResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "reason", &reason)
        visitor.field(3, "info", &info)
        visitor.field(4, "muted", &muted)
        visitor.field(5, "ignored", &ignored)
        visitor.field(6, "rungs", &rungs)
        visitor.field(7, "app_version", &appVersion)
    }
}

/// The request of ExplainAddFriend.
public struct ExplainAddFriendRequest: AppReadRequest, SizedReadRequest {
    public var options: ReadOptions?
    /// The caller of AddFriends.
    public var fromUserID = ""
    /// The user to add.
    public var toUserID = ""
    /// Which rows would be made.
    public var addType = AddType.unspecified
    /// `force` of AddFriends.
    public var force = false
    /// Whether the caller has a credential of its own; otherwise the app calls.
    public var asUser = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainAddFriendRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "from_user_id", &fromUserID)
        visitor.field(4, "to_user_id", &toUserID)
        visitor.field(5, "add_type", &addType)
        visitor.field(6, "force", &force)
        visitor.field(7, "as_user", &asUser)
    }

    /// The rule may look through the applications that ended.
    package var readSize: ReadSize { .scan }
}

/// The response of ExplainAddFriend.
public struct ExplainAddFriendResponse: ResultMessage {
    /// The code that AddFriends would answer, always set.
    public var code: FriendStatus?
    /// The reason of the code; unspecified if there is nothing more to say.
    public var reason = Reason.none
    public var info = ""
    /// The rungs in the order in which the rule looked at them, up to the one that decides.
    public var rungs: [Rung] = []
    /// The version of the app whose settings counted, as GetApp has it; 0 if the server has none.
    public var appVersion: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainAddFriendResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "reason", &reason)
        visitor.field(3, "info", &info)
        visitor.field(4, "rungs", &rungs)
        visitor.field(5, "app_version", &appVersion)
    }
}

/// The request of ExplainFollow.
public struct ExplainFollowRequest: AppReadRequest, SizedReadRequest {
    public var options: ReadOptions?
    /// The caller of Follow.
    public var fromUserID = ""
    /// The user to follow.
    public var toUserID = ""
    /// Whether the caller has a credential of its own; otherwise the app calls.
    public var asUser = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainFollowRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "from_user_id", &fromUserID)
        visitor.field(4, "to_user_id", &toUserID)
        visitor.field(5, "as_user", &asUser)
    }

    /// The rows at which the rule looks, and those that tell their versions.
    package var readSize: ReadSize { .items(1, rows: 40) }
}

/// The response of ExplainFollow.
public struct ExplainFollowResponse: ResultMessage {
    /// The code that Follow would answer, always set.
    public var code: FollowStatus?
    /// The reason of the code; unspecified if there is nothing more to say.
    public var reason = Reason.none
    public var info = ""
    /// The rungs in the order in which the rule looked at them, up to the one that decides.
    public var rungs: [Rung] = []
    /// The version of the app whose settings counted, as GetApp has it; 0 if the server has none.
    public var appVersion: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainFollowResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "reason", &reason)
        visitor.field(3, "info", &info)
        visitor.field(4, "rungs", &rungs)
        visitor.field(5, "app_version", &appVersion)
    }
}

/// The request of ExplainBlock.
public struct ExplainBlockRequest: AppReadRequest, SizedReadRequest {
    public var options: ReadOptions?
    /// The caller of AddToBlacklist.
    public var fromUserID = ""
    /// The user to block.
    public var toUserID = ""
    /// Whether the caller has a credential of its own; otherwise an administrator calls.
    public var asUser = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainBlockRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "from_user_id", &fromUserID)
        visitor.field(4, "to_user_id", &toUserID)
        visitor.field(5, "as_user", &asUser)
    }

    /// The rows at which the rule looks, and those that tell their versions.
    package var readSize: ReadSize { .items(1, rows: 20) }
}

/// The response of ExplainBlock.
public struct ExplainBlockResponse: ResultMessage {
    /// The code that AddToBlacklist would answer, always set.
    public var code: FriendStatus?
    /// The reason of the code; unspecified if there is nothing more to say.
    public var reason = Reason.none
    public var info = ""
    /// The rungs in the order in which the rule looked at them, up to the one that decides.
    public var rungs: [Rung] = []
    /// The version of the app whose settings counted, as GetApp has it; 0 if the server has none.
    public var appVersion: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainBlockResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "reason", &reason)
        visitor.field(3, "info", &info)
        visitor.field(4, "rungs", &rungs)
        visitor.field(5, "app_version", &appVersion)
    }
}

/// The request of ExplainRespond.
public struct ExplainRespondRequest: AppReadRequest, SizedReadRequest {
    public var options: ReadOptions?
    /// The caller of RespondToApplications.
    public var fromUserID = ""
    /// The applicant.
    public var toUserID = ""
    /// The answer to explain; absent means AGREE_AND_ADD, since nothing is written.
    public var responseType: FriendResponseType?
    /// The id of the application that is meant; empty for whichever waits.
    public var applicationID = ""
    /// Whether the caller has a credential of its own; otherwise an administrator calls.
    public var asUser = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainRespondRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "from_user_id", &fromUserID)
        visitor.field(4, "to_user_id", &toUserID)
        visitor.field(5, "response_type", &responseType)
        visitor.field(6, "application_id", &applicationID)
        visitor.field(7, "as_user", &asUser)
    }

    /// The rows at which the rule looks, and those that tell their versions.
    package var readSize: ReadSize { .items(1, rows: 30) }
}

/// The response of ExplainRespond.
public struct ExplainRespondResponse: ResultMessage {
    /// The code that RespondToApplications would answer, always set.
    public var code: FriendStatus?
    /// The reason of the code; unspecified if there is nothing more to say.
    public var reason = Reason.none
    public var info = ""
    /// The rungs in the order in which the rule looked at them, up to the one that decides.
    public var rungs: [Rung] = []
    /// The version of the app whose settings counted, as GetApp has it; 0 if the server has none.
    public var appVersion: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainRespondResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "reason", &reason)
        visitor.field(3, "info", &info)
        visitor.field(4, "rungs", &rungs)
        visitor.field(5, "app_version", &appVersion)
    }
}

/// The request of ExplainAcceptInvitation.
public struct ExplainAcceptInvitationRequest: AppReadRequest, SizedReadRequest {
    public var options: ReadOptions?
    /// The caller of AcceptInvitation.
    public var fromUserID = ""
    /// The id of the invitation, as ListInvitations returns it.
    public var invitationID = ""
    /// Whether the caller has a credential of its own; otherwise the app calls.
    public var asUser = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainAcceptInvitationRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "from_user_id", &fromUserID)
        visitor.field(4, "invitation_id", &invitationID)
        visitor.field(5, "as_user", &asUser)
    }

    /// The rule may look through the applications that ended.
    package var readSize: ReadSize { .scan }
}

/// The response of ExplainAcceptInvitation.
public struct ExplainAcceptInvitationResponse: ResultMessage {
    /// The code that AcceptInvitation would answer, always set.
    public var code: FriendStatus?
    /// The reason of the code; unspecified if there is nothing more to say.
    public var reason = Reason.none
    public var info = ""
    /// The rungs in the order in which the rule looked at them, up to the one that decides.
    public var rungs: [Rung] = []
    /// The version of the app whose settings counted, as GetApp has it; 0 if the server has none.
    public var appVersion: Int64 = 0
    /// The inviter, if the invitation may be used.
    public var inviterUserID = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainAcceptInvitationResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "reason", &reason)
        visitor.field(3, "info", &info)
        visitor.field(4, "rungs", &rungs)
        visitor.field(5, "app_version", &appVersion)
        visitor.field(6, "inviter_user_id", &inviterUserID)
    }
}

/// The request of ExplainCheckFriend.
public struct ExplainCheckFriendRequest: AppReadRequest, SizedReadRequest {
    public var options: ReadOptions?
    /// The caller of CheckFriends.
    public var fromUserID = ""
    /// The user to check.
    public var toUserID = ""
    /// `check_type` of CheckFriends; UNSPECIFIED means BIDIRECTION, as there.
    public var checkType = CheckType.unspecified

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainCheckFriendRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "from_user_id", &fromUserID)
        visitor.field(4, "to_user_id", &toUserID)
        visitor.field(5, "check_type", &checkType)
    }

    /// The rows at which the rule looks, and those that tell their versions.
    package var readSize: ReadSize { .items(1, rows: 12) }
}

/// The response of ExplainCheckFriend.
public struct ExplainCheckFriendResponse: ResultMessage {
    /// The code that CheckFriends answers, always set.
    public var code: FriendStatus?
    /// The reason of the code; unspecified if there is nothing more to say.
    public var reason = Reason.none
    public var info = ""
    /// The relation that CheckFriends answers; absent if `code` is not 0.
    public var relation: FriendRelation?
    /// The rungs in the order in which the rule looked at them, up to the one that decides.
    public var rungs: [Rung] = []
    /// The version of the app whose settings counted, as GetApp has it; 0 if the server has none.
    public var appVersion: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainCheckFriendResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "reason", &reason)
        visitor.field(3, "info", &info)
        visitor.field(4, "relation", &relation)
        visitor.field(5, "rungs", &rungs)
        visitor.field(6, "app_version", &appVersion)
    }
}

/// A field of a profile or of an event, with the ladder of the rule that shows or hides it.
public struct ExplainedField: CodedMessage {
    /// The field's path, such as `email` or `custom.Blood`.
    public var field = ""
    /// The state that an answer with `with_unset_fields` has in `field_access`; UNSPECIFIED if the
    /// field is there.
    public var state = FieldAccessState.unspecified
    /// The rungs in the order in which the rule looked at them, up to the one that decides; then
    /// FIELD_REVIEW, if a profile is looked at, and FIELD_VALUE.
    public var rungs: [Rung] = []

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ExplainedField", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "field", &field)
        visitor.field(2, "state", &state)
        visitor.field(3, "rungs", &rungs)
    }
}

/// The request of ExplainProfile.
public struct ExplainProfileRequest: AppReadRequest, SizedReadRequest {
    public var options: ReadOptions?
    /// The caller of GetProfiles.
    public var fromUserID = ""
    /// The user of the profile.
    public var toUserID = ""
    /// The fields to explain, as in GetProfiles; all fields if it is absent or empty.
    public var readMask: FieldMask?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainProfileRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "from_user_id", &fromUserID)
        visitor.field(4, "to_user_id", &toUserID)
        visitor.field(5, "read_mask", &readMask)
    }

    /// Each field may ask for rows of its own.
    package var readSize: ReadSize { .scan }
}

/// The response of ExplainProfile.
public struct ExplainProfileResponse: ResultMessage {
    /// The code that GetProfiles answers for the user, always set.
    public var code: ProfileStatus?
    /// The reason of the code; unspecified if there is nothing more to say.
    public var reason = Reason.none
    public var info = ""
    /// The rungs that come before all fields.
    public var rungs: [Rung] = []
    /// The fields in the order of Profile, then the custom fields in the order of their keys; empty
    /// if `code` is not 0.
    public var fields: [ExplainedField] = []
    /// The version of the app whose settings counted, as GetApp has it; 0 if the server has none.
    public var appVersion: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainProfileResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "reason", &reason)
        visitor.field(3, "info", &info)
        visitor.field(4, "rungs", &rungs)
        visitor.field(5, "fields", &fields)
        visitor.field(6, "app_version", &appVersion)
    }
}

/// The request of ExplainUpdateProfile.
public struct ExplainUpdateProfileRequest: AppReadRequest, SizedReadRequest {
    public var options: ReadOptions?
    /// The caller of UpdateProfile.
    public var fromUserID = ""
    /// Whether the caller has a credential of its own; otherwise an administrator calls.
    public var asUser = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainUpdateProfileRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "from_user_id", &fromUserID)
        visitor.field(4, "as_user", &asUser)
    }

    /// The rows at which the rule looks, and those that tell their versions.
    package var readSize: ReadSize { .items(1, rows: 8) }
}

/// The response of ExplainUpdateProfile.
public struct ExplainUpdateProfileResponse: ResultMessage {
    /// The outcome, always set.
    public var code: FriendStatus?
    /// The reason of the code; unspecified if there is nothing more to say.
    public var reason = Reason.none
    public var info = ""
    /// The rungs in the order in which the rule looked at them, up to the one that decides.
    public var rungs: [Rung] = []
    /// The version of the app whose settings counted, as GetApp has it; 0 if the server has none.
    public var appVersion: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExplainUpdateProfileResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "reason", &reason)
        visitor.field(3, "info", &info)
        visitor.field(4, "rungs", &rungs)
        visitor.field(5, "app_version", &appVersion)
    }
}
