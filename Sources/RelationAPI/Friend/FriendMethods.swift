public import Protobuf
import RelationModel

/// The friend lists.
public enum FriendMethods {
    private static let service: StaticString = "relation.v1.FriendService"

    /// Adds friends, or sends an application to each user that asks to confirm.
    public static let addFriends = Method<AddFriendsRequest, AddFriendsResponse>(
        service, "AddFriends", .write,
        answers: codes(
            FriendStatus.self, .success, .invalidParameter, .accountNotFound, .sensitiveText,
            .addDenied, .selfFriendFull, .groupLimit, .pendencyLimit, .theirFriendFull,
            .inSelfBlacklist, .friendSideForbidsAdd, .inOtherSideBlacklist, .pending,
            .addRestricted, .refusedByHook, .writePermissionRequired, .tagNotFound)
            + codes(ErrorReason.self, .hookSilent, .tooManyQuestions),
        limits: [
            RequestLimit("items", Int64(Limits.addFriendsItems), .items),
            RequestLimit("items.groups", Int64(Limits.groupMemberships), .items),
        ])

    /// Deletes friends, with the remark and the groups in their rows.
    public static let deleteFriends = Method<DeleteFriendsRequest, DeleteFriendsResponse>(
        service, "DeleteFriends", .write,
        answers: codes(
            FriendStatus.self, .success, .invalidParameter, .accountNotFound, .notFriend),
        limits: [RequestLimit("user_ids", Int64(Limits.deleteFriendsItems), .items)])

    /// Empties the caller's friend list.
    public static let deleteAllFriends = Method<DeleteAllFriendsRequest, DeleteAllFriendsResponse>(
        service, "DeleteAllFriends", .write)

    /// Says how users stand to the caller.
    public static let checkFriends = Method<CheckFriendsRequest, CheckFriendsResponse>(
        service, "CheckFriends", .read,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .accountNotFound),
        limits: [RequestLimit("user_ids", Int64(Limits.checkFriendsItems), .items)])

    /// ``checkFriends`` as the service answers it: with views.
    package static let checkFriendsView = Method<CheckFriendsRequestView, CheckFriendsResponseView>(
        like: checkFriends)

    /// Lists the caller's friends by pages.
    public static let listFriends = Method<ListFriendsRequest, ListFriendsResponse>(
        service, "ListFriends", .read,
        answers: codes(ErrorReason.self, .invalidPageToken, .historyNotKept, .tooManyChanges))

    /// ``listFriends`` as the service answers it: with its rows as bytes.
    package static let listFriendsView = Method<ListFriendsRequest, ListFriendsResponseView>(
        like: listFriends)

    /// Finds the caller's friends by their names.
    public static let searchFriends = Method<SearchFriendsRequest, SearchFriendsResponse>(
        service, "SearchFriends", .scan, answers: codes(ErrorReason.self, .invalidPageToken),
        limits: [RequestLimit("keyword", Int64(Limits.keywordCharacters), .characters)])

    /// ``searchFriends`` as the service answers it: with its rows as bytes.
    package static let searchFriendsView = Method<SearchFriendsRequest, SearchFriendsResponseView>(
        like: searchFriends)

    /// Reads the named friends.
    public static let getFriends = Method<GetFriendsRequest, GetFriendsResponse>(
        service, "GetFriends", .read,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .accountNotFound),
        limits: [
            RequestLimit("user_ids", Int64(Limits.getFriendsItems), .items),
            RequestLimit("user_ids, with profiles", Int64(Limits.getFriendsItems), .items),
        ])

    /// Changes remark, groups, marks and custom values of friends.
    public static let updateFriends = Method<UpdateFriendsRequest, UpdateFriendsResponse>(
        service, "UpdateFriends", .write,
        answers: codes(
            FriendStatus.self, .success, .invalidParameter, .accountNotFound, .sensitiveText,
            .groupLimit, .refusedByHook, .writePermissionRequired, .tagNotFound)
            + codes(ErrorReason.self, .hookSilent, .tooManyQuestions),
        limits: [
            RequestLimit("items", Int64(Limits.updateFriendsItems), .items),
            RequestLimit("items.tags", Int64(Limits.tagValues), .items),
            RequestLimit("items.groups", Int64(Limits.groupMemberships), .items),
        ])

    /// Reports the changes of the caller's list since a sequence.
    public static let syncFriends = Method<SyncFriendsRequest, SyncFriendsResponse>(
        service, "SyncFriends", .read, answers: codes(ErrorReason.self, .invalidPageToken))

    /// ``syncFriends`` as the service answers it: with its rows as bytes.
    package static let syncFriendsView = Method<SyncFriendsRequest, SyncFriendsResponseView>(
        like: syncFriends)

    /// Reports everything that users and the caller are to each other.
    public static let getRelations = Method<GetRelationsRequest, GetRelationsResponse>(
        service, "GetRelations", .read,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .accountNotFound)
            + codes(ErrorReason.self, .historyNotKept, .tooManyChanges),
        limits: [
            RequestLimit("user_ids", Int64(Limits.relationItems), .items),
            RequestLimit(
                "user_ids, with profiles or custom fields", Int64(Limits.fullRelationItems),
                .items),
        ])

    /// ``getRelations`` as the service answers it: with views.
    package static let getRelationsView = Method<GetRelationsRequestView, GetRelationsResponse>(
        like: getRelations)

    /// Lists by pages the friends that the caller shares with another user.
    public static let listMutualFriends = Method<
        ListMutualFriendsRequest, ListMutualFriendsResponse
    >(
        service, "ListMutualFriends", .scan,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .accountNotFound)
            + codes(ErrorReason.self, .invalidPageToken),
        limits: [RequestLimit("page_size", Int64(Limits.sharedFriendPageRows), .items)])

    /// Suggests friends of friends.
    public static let suggestFriends = Method<SuggestFriendsRequest, SuggestFriendsResponse>(
        service, "SuggestFriends", .scan, answers: codes(ErrorReason.self, .invalidPageToken),
        limits: [RequestLimit("page_size", Int64(Limits.sharedFriendPageRows), .items)])

    /// Lists by pages the users that have the caller as a friend, and that it does not have.
    public static let listReverseFriends = Method<
        ListReverseFriendsRequest, ListReverseFriendsResponse
    >(service, "ListReverseFriends", .scan, answers: codes(ErrorReason.self, .invalidPageToken))

    /// Counts the friends that the caller has in common with each of several users.
    public static let getMutualFriendCounts = Method<
        GetMutualFriendCountsRequest, GetMutualFriendCountsResponse
    >(
        service, "GetMutualFriendCounts", .scan,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .accountNotFound),
        limits: [RequestLimit("user_ids", Int64(Limits.mutualCountItems), .items)])

    /// Dismisses suggestions.
    public static let dismissSuggestions = Method<
        DismissSuggestionsRequest, DismissSuggestionsResponse
    >(
        service, "DismissSuggestions", .write,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .accountNotFound),
        limits: [RequestLimit("user_ids", Int64(Limits.dismissalItems), .items)])

    /// Lets dismissed users be suggested again.
    public static let restoreSuggestions = Method<
        RestoreSuggestionsRequest, RestoreSuggestionsResponse
    >(
        service, "RestoreSuggestions", .write,
        answers: codes(FriendStatus.self, .success, .invalidParameter),
        limits: [RequestLimit("user_ids", Int64(Limits.dismissalItems), .items)])

    /// Lists by pages the users that the caller has dismissed.
    public static let listDismissedSuggestions = Method<
        ListDismissedSuggestionsRequest, ListDismissedSuggestionsResponse
    >(
        service, "ListDismissedSuggestions", .read,
        answers: codes(ErrorReason.self, .invalidPageToken))
}
