public import Protobuf
import RelationModel

/// The friend groups.
public enum GroupMethods {
    private static let service: StaticString = "relation.v1.FriendGroupService"

    /// Makes friend groups, each with the same members.
    public static let createFriendGroups = Method<
        CreateFriendGroupsRequest, CreateFriendGroupsResponse
    >(
        service, "CreateFriendGroups", .write,
        answers: codes(
            FriendStatus.self, .success, .invalidParameter, .accountNotFound, .sensitiveText,
            .groupLimit, .groupAddNotFriend),
        limits: [
            RequestLimit("names", Int64(Limits.groupNames), .items),
            RequestLimit("user_ids", Int64(Limits.groupMembers), .items),
            RequestLimit("names by user_ids", Int64(Limits.groupMemberships), .items),
        ])

    /// Deletes friend groups; their members stay friends.
    public static let deleteFriendGroups = Method<
        DeleteFriendGroupsRequest, DeleteFriendGroupsResponse
    >(
        service, "DeleteFriendGroups", .write,
        answers: codes(FriendStatus.self, .success, .invalidParameter),
        limits: [RequestLimit("names", Int64(Limits.groupNames), .items)])

    /// Puts friends into a group.
    public static let addFriendsToGroup = Method<
        AddFriendsToGroupRequest, AddFriendsToGroupResponse
    >(
        service, "AddFriendsToGroup", .write,
        answers: codes(
            FriendStatus.self, .success, .invalidParameter, .accountNotFound, .groupUpdateNotFriend,
            .alreadyInGroup),
        limits: [RequestLimit("user_ids", Int64(Limits.groupMembers), .items)])

    /// Takes friends out of a group.
    public static let removeFriendsFromGroup = Method<
        RemoveFriendsFromGroupRequest, RemoveFriendsFromGroupResponse
    >(
        service, "RemoveFriendsFromGroup", .write,
        answers: codes(
            FriendStatus.self, .success, .invalidParameter, .accountNotFound, .notInGroup),
        limits: [RequestLimit("user_ids", Int64(Limits.groupMembers), .items)])

    /// Gives a group another name.
    public static let renameFriendGroup = Method<
        RenameFriendGroupRequest, RenameFriendGroupResponse
    >(
        service, "RenameFriendGroup", .write,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .sensitiveText))

    /// Reads friend groups and, if the request asks for them, their members.
    public static let getFriendGroups = Method<GetFriendGroupsRequest, GetFriendGroupsResponse>(
        service, "GetFriendGroups", .scan,
        answers: codes(FriendStatus.self, .success, .invalidParameter)
            + codes(ErrorReason.self, .invalidPageToken),
        limits: [RequestLimit("names", Int64(Limits.groupNames), .items)])
}
