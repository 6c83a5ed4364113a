public import Protobuf

// The messages of the lists of proto/relation/v1/follow.proto, where every field is explained. The
// three calls have the same fields, which stand in `FollowListRequest` and `FollowListResponse`.

/// The request of ListFollowing.
public typealias ListFollowingRequest = FollowListRequest<FollowingNames>

/// The response of ListFollowing.
public typealias ListFollowingResponse = FollowListResponse<FollowingNames>

/// The request of ListFollowers.
public typealias ListFollowersRequest = FollowListRequest<FollowersNames>

/// The response of ListFollowers.
public typealias ListFollowersResponse = FollowListResponse<FollowersNames>

/// The request of ListMutualFollows.
public typealias ListMutualFollowsRequest = FollowListRequest<MutualFollowsNames>

/// The response of ListMutualFollows.
public typealias ListMutualFollowsResponse = FollowListResponse<MutualFollowsNames>

/// The list that ListFollowing answers.
public enum FollowingNames: FollowListNames {
    @usableFromInline package static let requestSchema = Schema(
        "relation.v1.ListFollowingRequest", ListFollowingRequest.self)
    @usableFromInline package static let responseSchema = Schema(
        "relation.v1.ListFollowingResponse", ListFollowingResponse.self)
}

/// The list that ListFollowers answers.
public enum FollowersNames: FollowListNames {
    @usableFromInline package static let requestSchema = Schema(
        "relation.v1.ListFollowersRequest", ListFollowersRequest.self)
    @usableFromInline package static let responseSchema = Schema(
        "relation.v1.ListFollowersResponse", ListFollowersResponse.self)
}

/// The list that ListMutualFollows answers.
public enum MutualFollowsNames: FollowListNames {
    @usableFromInline package static let requestSchema = Schema(
        "relation.v1.ListMutualFollowsRequest", ListMutualFollowsRequest.self)
    @usableFromInline package static let responseSchema = Schema(
        "relation.v1.ListMutualFollowsResponse", ListMutualFollowsResponse.self)
}
