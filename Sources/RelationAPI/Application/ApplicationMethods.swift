public import Protobuf

/// The applications of a user.
public enum ApplicationMethods {
    private static let service: StaticString = "relation.v1.FriendApplicationService"

    /// Answers applications that wait for the caller.
    public static let respondToApplications = Method<
        RespondToApplicationsRequest, RespondToApplicationsResponse
    >(service, "RespondToApplications", .write)

    /// Lists the caller's pendencies, the latest first.
    public static let listPendencies = Method<
        ListPendenciesRequest, ListPendenciesResponse
    >(service, "ListPendencies", .read)
}
