public import Protobuf
import RelationModel

/// The follows of users.
public enum FollowMethods {
    private static let service: StaticString = "relation.v1.FollowService"

    /// Lets the caller follow users.
    public static let follow = Method<FollowRequest, FollowResponse>(
        service, "Follow", .write,
        answers: codes(
            FollowStatus.self, .success, .invalidParameter, .accountNotFound, .inSelfBlacklist,
            .inOtherSideBlacklist, .addRestricted, .followingFull, .followersFull, .selfMutualFull,
            .theirMutualFull, .refusedByHook)
            + codes(ErrorReason.self, .hookSilent, .tooManyQuestions),
        limits: [RequestLimit("user_ids", Int64(Limits.followItems), .items)])

    /// Ends follows of the caller.
    public static let unfollow = Method<UnfollowRequest, UnfollowResponse>(
        service, "Unfollow", .write,
        answers: codes(FollowStatus.self, .success, .invalidParameter, .accountNotFound),
        limits: [RequestLimit("user_ids", Int64(Limits.followItems), .items)])

    /// Lists the users that the caller follows by pages, the newest follow first, and those of one
    /// millisecond in the descending order of the bytes of the id (order ours).
    public static let listFollowing = Method<ListFollowingRequest, ListFollowingResponse>(
        service, "ListFollowing", .read, answers: codes(ErrorReason.self, .invalidPageToken))

    /// Lists the followers of the caller by pages, in the order of ListFollowing.
    public static let listFollowers = Method<ListFollowersRequest, ListFollowersResponse>(
        service, "ListFollowers", .read, answers: codes(ErrorReason.self, .invalidPageToken))

    /// Lists the users that follow the caller and that the caller follows, by pages, in the order
    /// of ListFollowing; the time is that of the later one of the two follows (ours).
    public static let listMutualFollows = Method<
        ListMutualFollowsRequest, ListMutualFollowsResponse
    >(
        service, "ListMutualFollows", .read, answers: codes(ErrorReason.self, .invalidPageToken))

    /// Says which of two users, the caller and another, follows the other.
    public static let checkFollows = Method<CheckFollowsRequest, CheckFollowsResponse>(
        service, "CheckFollows", .read,
        answers: codes(FollowStatus.self, .success, .invalidParameter, .accountNotFound),
        limits: [RequestLimit("user_ids", Int64(Limits.followItems), .items)])

    /// Counts the followers, the follows and the mutual follows of users.
    public static let getFollowCounts = Method<GetFollowCountsRequest, GetFollowCountsResponse>(
        service, "GetFollowCounts", .read,
        answers: codes(FollowStatus.self, .success, .invalidParameter, .accountNotFound),
        limits: [RequestLimit("user_ids", Int64(Limits.followItems), .items)])
}
