public import Protobuf
import RelationModel

/// The invitations of users.
public enum InvitationMethods {
    private static let service: StaticString = "relation.v1.InvitationService"

    /// Makes an invitation of the caller, and answers its code.
    public static let createInvitation = Method<CreateInvitationRequest, CreateInvitationResponse>(
        service, "CreateInvitation", .write,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .sensitiveText),
        limits: [
            RequestLimit("max_uses", Int64(Limits.invitationUses), .items),
            RequestLimit("expiry_seconds", Limits.invitationSeconds.upperBound, .seconds),
        ])

    /// Lists the caller's invitations by pages, the latest first.
    public static let listInvitations = Method<ListInvitationsRequest, ListInvitationsResponse>(
        service, "ListInvitations", .read, answers: codes(ErrorReason.self, .invalidPageToken))

    /// Shows the invitation of a code to a user that holds the code.
    public static let getInvitation = Method<GetInvitationRequest, GetInvitationResponse>(
        service, "GetInvitation", .read,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .addRestricted))

    /// Ends an invitation of the caller.
    public static let revokeInvitation = Method<RevokeInvitationRequest, RevokeInvitationResponse>(
        service, "RevokeInvitation", .write, answers: codes(ErrorReason.self, .invitationNotFound))

    /// Uses the invitation of a code: the caller and its inviter become friends, or the caller
    /// applies to the inviter.
    public static let acceptInvitation = Method<AcceptInvitationRequest, AcceptInvitationResponse>(
        service, "AcceptInvitation", .write,
        answers: codes(
            FriendStatus.self, .success, .invalidParameter, .accountNotFound, .sensitiveText,
            .addDenied, .selfFriendFull, .pendencyLimit, .theirFriendFull, .inSelfBlacklist,
            .friendSideForbidsAdd, .inOtherSideBlacklist, .pending, .addRestricted))
}
