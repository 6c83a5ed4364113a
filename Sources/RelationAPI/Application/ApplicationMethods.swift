public import Protobuf
import RelationModel

/// The applications of a user.
public enum ApplicationMethods {
    private static let service: StaticString = "relation.v1.FriendApplicationService"

    /// Answers applications that wait for the caller.
    public static let respondToApplications = Method<
        RespondToApplicationsRequest, RespondToApplicationsResponse
    >(
        service, "RespondToApplications", .write,
        answers: codes(
            FriendStatus.self, .success, .invalidParameter, .accountNotFound, .sensitiveText,
            .selfFriendFull, .theirFriendFull, .noApplication, .refusedByHook,
            .writePermissionRequired, .tagNotFound)
            + codes(ErrorReason.self, .hookSilent, .tooManyQuestions),
        limits: [
            RequestLimit("items", Int64(Limits.respondItems), .items),
            RequestLimit("items.groups", Int64(Limits.groupMemberships), .items),
        ])

    /// Lists the caller's pendencies, the latest first.
    public static let listPendencies = Method<ListPendenciesRequest, ListPendenciesResponse>(
        service, "ListPendencies", .read,
        limits: [RequestLimit("num_per_page", Int64(Limits.pendenciesPerPage), .items)])

    /// Removes pendencies from the caller's own list; the applications live on.
    public static let deletePendencies = Method<DeletePendenciesRequest, DeletePendenciesResponse>(
        service, "DeletePendencies", .write,
        answers: codes(
            FriendStatus.self, .success, .invalidParameter, .accountNotFound, .noApplication),
        limits: [
            RequestLimit("user_ids", Int64(Limits.applicationItems), .items),
            RequestLimit("application_ids", Int64(Limits.applicationItems), .items),
        ])

    /// Marks the applications that came in up to a time as read.
    public static let reportPendencies = Method<ReportPendenciesRequest, ReportPendenciesResponse>(
        service, "ReportPendencies", .write)

    /// Lists the caller's applications by pages, both those that wait and those that have ended.
    public static let listApplications = Method<ListApplicationsRequest, ListApplicationsResponse>(
        service, "ListApplications", .scan, answers: codes(ErrorReason.self, .invalidPageToken),
        limits: [RequestLimit("statuses", Int64(Limits.applicationStatuses), .items)])

    /// Takes the caller's own applications back, on both sides.
    public static let withdrawApplications = Method<
        WithdrawApplicationsRequest, WithdrawApplicationsResponse
    >(
        service, "WithdrawApplications", .write,
        answers: codes(
            FriendStatus.self, .success, .invalidParameter, .accountNotFound, .noApplication),
        limits: [
            RequestLimit("user_ids", Int64(Limits.applicationItems), .items),
            RequestLimit("application_ids", Int64(Limits.applicationItems), .items),
        ])
}
