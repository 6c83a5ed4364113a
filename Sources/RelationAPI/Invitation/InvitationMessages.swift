public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/invitation.proto, where every field is explained.

/// An invitation of a user, without its code.
public struct Invitation: CodedMessage {
    /// The id of the invitation, which does not reveal its code.
    public var invitationID = ""
    /// Whether it is good, or how it ended.
    public var state = InvitationState.unspecified
    /// How many users may use it.
    public var maxUses: Int32 = 0
    /// How many users have used it.
    public var useCount: Int32 = 0
    /// The inviter's text.
    public var text = ""
    /// Whether a user that uses it becomes a friend without the inviter's answer.
    public var preApproved = false
    /// When it was made.
    public var createTimeMs: Int64 = 0
    /// When it expires, or would have.
    public var expireTimeMs: Int64 = 0
    /// When it ended: was revoked, was used up or expired; 0 if it is good.
    public var endTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.Invitation", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "invitation_id", &invitationID)
        visitor.field(2, "state", &state)
        visitor.field(3, "max_uses", &maxUses)
        visitor.field(4, "use_count", &useCount)
        visitor.field(5, "text", &text)
        visitor.field(6, "pre_approved", &preApproved)
        visitor.field(7, "create_time_ms", &createTimeMs)
        visitor.field(8, "expire_time_ms", &expireTimeMs)
        visitor.field(9, "end_time_ms", &endTimeMs)
    }
}

/// The request of CreateInvitation.
public struct CreateInvitationRequest: WriteRequest {
    /// The acting user: the inviter.
    public var userID = ""
    public var options: WriteOptions?
    /// How many users may use the invitation: 1 to 1,000.
    public var maxUses: Int32 = 0
    /// How long the invitation is good, in seconds: 60 to 31,536,000, which is a year.
    public var expirySeconds: Int64 = 0
    /// A text for those who hold the code; may be empty.
    public var text = ""
    /// Whether a user that uses the invitation becomes a friend without the inviter's answer,
    /// whatever the inviter's allow type is.
    public var preApproved = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateInvitationRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "max_uses", &maxUses)
        visitor.field(4, "expiry_seconds", &expirySeconds)
        visitor.field(5, "text", &text)
        visitor.field(6, "pre_approved", &preApproved)
    }
}

/// The response of CreateInvitation, whose `applied` says whether the invitation was made.
public struct CreateInvitationResponse: WriteResponse, ResultMessage {
    public var write = WriteOutcome()
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// The new invitation; absent if `code` is not 0.
    public var invitation: Invitation?
    /// The code to give to other users.
    public var invitationCode = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateInvitationResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "code", &code)
        visitor.field(5, "reason", &reason)
        visitor.field(6, "info", &info)
        visitor.field(7, "invitation", &invitation)
        visitor.secret(8, "invitation_code", &invitationCode)
        write.visitLast(&visitor)
    }
}

/// The request of ListInvitations.
public struct ListInvitationsRequest: UserReadRequest, SizedReadRequest, PagedRequest {
    /// The acting user, whose invitations are listed.
    public var userID = ""
    public var options: ReadOptions?
    /// The most invitations to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListInvitationsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }

    package var readSize: ReadSize { .page(pageSize) }
}

/// The response of ListInvitations.
public struct ListInvitationsResponse: CodedMessage, PagedList {
    /// The invitations of this page.
    public var invitations: [Invitation] = []
    public var nextPageToken = ""
    /// How many invitations the list has, those that have ended included.
    public var totalSize: Int32 = 0
    /// The user's sequence when its invitations last changed.
    public var sequence: Int64 = 0

    public init() {}

    public var pageItems: [Invitation] { invitations }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListInvitationsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "invitations", &invitations)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
    }
}

/// The request of GetInvitation.
public struct GetInvitationRequest: UserReadRequest, SizedReadRequest {
    /// The acting user, which holds the code.
    public var userID = ""
    public var options: ReadOptions?
    /// The code.
    public var invitationCode = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetInvitationRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.secret(3, "invitation_code", &invitationCode)
    }

    package var readSize: ReadSize { .rows(3) }
}

/// The response of GetInvitation.
public struct GetInvitationResponse: ResultMessage {
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// The inviter.
    public var inviterUserID = ""
    /// The inviter's present nick.
    public var nick = ""
    /// The inviter's present face URL.
    public var faceURL = ""
    /// The inviter's text.
    public var text = ""
    /// Whether a user that uses the invitation becomes a friend without the inviter's answer.
    public var preApproved = false
    /// Whether the invitation is good, or how it ended; never REVOKED.
    public var state = InvitationState.unspecified
    /// When the invitation expires, or would have.
    public var expireTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetInvitationResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "reason", &reason)
        visitor.field(3, "info", &info)
        visitor.field(4, "inviter_user_id", &inviterUserID)
        visitor.field(5, "nick", &nick)
        visitor.field(6, "face_url", &faceURL)
        visitor.field(7, "text", &text)
        visitor.field(8, "pre_approved", &preApproved)
        visitor.field(9, "state", &state)
        visitor.field(10, "expire_time_ms", &expireTimeMs)
    }
}

/// The request of RevokeInvitation.
public struct RevokeInvitationRequest: WriteRequest {
    /// The acting user: the inviter.
    public var userID = ""
    public var options: WriteOptions?
    /// The id of the invitation.
    public var invitationID = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RevokeInvitationRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "invitation_id", &invitationID)
    }
}

/// The response of RevokeInvitation, whose `applied` says whether the invitation was ended.
public struct RevokeInvitationResponse: WriteResponse {
    public var write = WriteOutcome()
    /// The invitation after the call.
    public var invitation: Invitation?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RevokeInvitationResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "invitation", &invitation)
        write.visitLast(&visitor)
    }
}

/// The request of AcceptInvitation.
public struct AcceptInvitationRequest: WriteRequest {
    /// The acting user, which holds the code.
    public var userID = ""
    public var options: WriteOptions?
    /// The code.
    public var invitationCode = ""
    /// The caller's text for the inviter, as `wording` of AddFriends; may be empty.
    public var wording = ""
    /// The caller's remark on the inviter, as `remark` of AddFriends; may be empty.
    public var remark = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.AcceptInvitationRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.secret(3, "invitation_code", &invitationCode)
        visitor.field(4, "wording", &wording)
        visitor.field(5, "remark", &remark)
    }
}

/// The response of AcceptInvitation, whose `applied` says whether a row was made.
public struct AcceptInvitationResponse: WriteResponse, ResultMessage {
    public var write = WriteOutcome()
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// The inviter; empty if the invitation could not be used.
    public var inviterUserID = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.AcceptInvitationResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "code", &code)
        visitor.field(5, "reason", &reason)
        visitor.field(6, "info", &info)
        visitor.field(7, "inviter_user_id", &inviterUserID)
        write.visitLast(&visitor)
    }
}
