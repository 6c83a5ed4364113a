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
            FriendStatus.self, .success, .invalidParameter, .accountNotFound,
            .sensitiveText, .groupLimit, .groupAddNotFriend))

    /// Deletes friend groups; their members stay friends.
    public static let deleteFriendGroups = Method<
        DeleteFriendGroupsRequest, DeleteFriendGroupsResponse
    >(
        service, "DeleteFriendGroups", .write,
        answers: codes(FriendStatus.self, .success, .invalidParameter))

    /// Puts friends into a group.
    public static let addFriendsToGroup = Method<
        AddFriendsToGroupRequest, AddFriendsToGroupResponse
    >(
        service, "AddFriendsToGroup", .write,
        answers: codes(
            FriendStatus.self, .success, .invalidParameter, .accountNotFound,
            .groupUpdateNotFriend, .alreadyInGroup))

    /// Takes friends out of a group.
    public static let removeFriendsFromGroup = Method<
        RemoveFriendsFromGroupRequest, RemoveFriendsFromGroupResponse
    >(
        service, "RemoveFriendsFromGroup", .write,
        answers: codes(
            FriendStatus.self, .success, .invalidParameter, .accountNotFound,
            .notInGroup))

    /// Gives a group another name.
    public static let renameFriendGroup = Method<
        RenameFriendGroupRequest, RenameFriendGroupResponse
    >(
        service, "RenameFriendGroup", .write,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .sensitiveText))

    /// Reads friend groups and, if the request asks for them, their members.
    public static let getFriendGroups = Method<
        GetFriendGroupsRequest, GetFriendGroupsResponse
    >(
        service, "GetFriendGroups", .scan,
        answers: codes(FriendStatus.self, .success, .invalidParameter)
            + codes(ErrorReason.self, .invalidPageToken))
}
