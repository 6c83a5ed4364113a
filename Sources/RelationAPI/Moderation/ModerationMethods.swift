public import Protobuf
import RelationModel

/// The moderation of an app's users.
public enum ModerationMethods {
    private static let service: StaticString = "relation.v1.ModerationService"

    /// Suspends users, or changes their suspensions.
    public static let suspendAccounts = Method<SuspendAccountsRequest, SuspendAccountsResponse>(
        service, "SuspendAccounts", .write, for: .administrators,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .accountNotFound),
        limits: [
            RequestLimit("items", Int64(Limits.suspensionItems), .items),
            RequestLimit("items.reason_text", Int64(Limits.suspensionReasonBytes), .bytes),
        ])

    /// Takes suspensions back.
    public static let reinstateAccounts = Method<
        ReinstateAccountsRequest, ReinstateAccountsResponse
    >(
        service, "ReinstateAccounts", .write, for: .administrators,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .accountNotFound),
        limits: [RequestLimit("user_ids", Int64(Limits.suspensionItems), .items)])

    /// Lists the suspensions that hold by pages.
    public static let listSuspensions = Method<ListSuspensionsRequest, ListSuspensionsResponse>(
        service, "ListSuspensions", .read, for: .administrators,
        answers: codes(ErrorReason.self, .invalidPageToken))

    /// Reports a user to the app's moderators.
    public static let reportUser = Method<ReportUserRequest, ReportUserResponse>(
        service, "ReportUser", .write,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .accountNotFound),
        limits: [
            RequestLimit("text", Int64(Limits.reportTextBytes), .bytes),
            RequestLimit("reference", Int64(Limits.reportReferenceBytes), .bytes),
        ])

    /// Lists reports by pages, the latest first.
    public static let listReports = Method<ListReportsRequest, ListReportsResponse>(
        service, "ListReports", .read, for: .administrators,
        answers: codes(ErrorReason.self, .invalidPageToken))

    /// Closes reports with an outcome, or changes the outcome.
    public static let resolveReports = Method<ResolveReportsRequest, ResolveReportsResponse>(
        service, "ResolveReports", .write, for: .administrators,
        answers: codes(FriendStatus.self, .success, .invalidParameter),
        limits: [
            RequestLimit("items", Int64(Limits.reportItems), .items),
            RequestLimit("items.note", Int64(Limits.reportNoteBytes), .bytes),
        ])

    /// Lists the fields of profiles and of friends' rows that are under review by pages, in the
    /// order of their ids: the one that waits longest comes first.
    public static let listReviews = Method<ListReviewsRequest, ListReviewsResponse>(
        service, "ListReviews", .read, for: .administrators,
        answers: codes(ErrorReason.self, .invalidPageToken))

    /// Approves or rejects new values of fields of profiles and of friends' rows.
    public static let decideReviews = Method<DecideReviewsRequest, DecideReviewsResponse>(
        service, "DecideReviews", .write, for: .administrators,
        answers: codes(FriendStatus.self, .success, .invalidParameter),
        limits: [
            RequestLimit("items", Int64(Limits.reviewItems), .items),
            RequestLimit("items.reason_text", Int64(Limits.reviewReasonBytes), .bytes),
        ])

    /// Explains what CanSend answers to the app about one sender and one receiver.
    public static let explainSend = Method<ExplainSendRequest, ExplainSendResponse>(
        service, "ExplainSend", .read, for: .administrators,
        answers: codes(
            SendStatus.self, .success, .inPeerBlacklist, .notFriend, .notPeerFriend, .notSelfFriend,
            .shutUp, .invalidParameter, .accountNotFound))

    /// Explains what AddFriends would answer about one caller and one other user.
    public static let explainAddFriend = Method<ExplainAddFriendRequest, ExplainAddFriendResponse>(
        service, "ExplainAddFriend", .read, for: .administrators,
        answers: codes(
            FriendStatus.self, .success, .invalidParameter, .accountNotFound, .addDenied,
            .selfFriendFull, .pendencyLimit, .theirFriendFull, .inSelfBlacklist,
            .friendSideForbidsAdd, .inOtherSideBlacklist, .pending, .addRestricted))

    /// Explains what Follow would answer about one caller and one other user.
    public static let explainFollow = Method<ExplainFollowRequest, ExplainFollowResponse>(
        service, "ExplainFollow", .read, for: .administrators,
        answers: codes(
            FollowStatus.self, .success, .invalidParameter, .accountNotFound, .inSelfBlacklist,
            .inOtherSideBlacklist, .addRestricted, .followingFull, .followersFull, .selfMutualFull,
            .theirMutualFull))

    /// Explains what AddToBlacklist would answer about one caller and one other user.
    public static let explainBlock = Method<ExplainBlockRequest, ExplainBlockResponse>(
        service, "ExplainBlock", .read, for: .administrators,
        answers: codes(
            FriendStatus.self, .success, .invalidParameter, .accountNotFound, .addRestricted,
            .blacklistFull, .alreadyInBlacklist))

    /// Explains what RespondToApplications would answer about one caller and one applicant.
    public static let explainRespond = Method<ExplainRespondRequest, ExplainRespondResponse>(
        service, "ExplainRespond", .read, for: .administrators,
        answers: codes(
            FriendStatus.self, .success, .invalidParameter, .accountNotFound, .addRestricted,
            .selfFriendFull, .theirFriendFull, .noApplication))

    /// Explains what AcceptInvitation would answer about one caller and one invitation.
    public static let explainAcceptInvitation = Method<
        ExplainAcceptInvitationRequest, ExplainAcceptInvitationResponse
    >(
        service, "ExplainAcceptInvitation", .read, for: .administrators,
        answers: codes(
            FriendStatus.self, .success, .invalidParameter, .accountNotFound, .addDenied,
            .selfFriendFull, .pendencyLimit, .theirFriendFull, .inSelfBlacklist,
            .friendSideForbidsAdd, .inOtherSideBlacklist, .pending, .addRestricted))

    /// Explains what CheckFriends answers to one caller about one other user.
    public static let explainCheckFriend = Method<
        ExplainCheckFriendRequest, ExplainCheckFriendResponse
    >(
        service, "ExplainCheckFriend", .read, for: .administrators,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .accountNotFound))

    /// Explains what GetProfiles answers to one caller about the fields of one profile.
    public static let explainProfile = Method<ExplainProfileRequest, ExplainProfileResponse>(
        service, "ExplainProfile", .read, for: .administrators,
        answers: codes(ProfileStatus.self, .success, .invalidParameter, .accountNotFound))

    /// Explains whether one caller may call UpdateProfile, and which hook is asked before.
    public static let explainUpdateProfile = Method<
        ExplainUpdateProfileRequest, ExplainUpdateProfileResponse
    >(
        service, "ExplainUpdateProfile", .read, for: .administrators,
        answers: codes(FriendStatus.self, .success, .accountNotFound, .addRestricted))
}
