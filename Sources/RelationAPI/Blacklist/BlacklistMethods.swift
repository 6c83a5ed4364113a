public import Protobuf
import RelationModel

/// The blacklists.
public enum BlacklistMethods {
    private static let service: StaticString = "relation.v1.BlacklistService"

    /// Puts users on the caller's blacklist.
    public static let addToBlacklist = Method<AddToBlacklistRequest, AddToBlacklistResponse>(
        service, "AddToBlacklist", .write,
        answers: codes(
            FriendStatus.self, .success, .invalidParameter, .accountNotFound, .blacklistFull,
            .alreadyInBlacklist, .refusedByHook)
            + codes(ErrorReason.self, .hookSilent, .tooManyQuestions),
        limits: [RequestLimit("user_ids", Int64(Limits.blacklistItems), .items)])

    /// Removes users from the caller's blacklist, and restores nothing.
    public static let removeFromBlacklist = Method<
        RemoveFromBlacklistRequest, RemoveFromBlacklistResponse
    >(
        service, "RemoveFromBlacklist", .write,
        answers: codes(
            FriendStatus.self, .success, .invalidParameter, .accountNotFound, .notInBlacklist),
        limits: [RequestLimit("user_ids", Int64(Limits.blacklistItems), .items)])

    /// Lists the caller's blacklist by pages, in the order of `add_time_ms` and then of the bytes
    /// of the id (order ours).
    public static let listBlacklist = Method<ListBlacklistRequest, ListBlacklistResponse>(
        service, "ListBlacklist", .read, answers: codes(ErrorReason.self, .invalidPageToken))

    /// ``listBlacklist`` as the service answers it: with its rows as bytes.
    package static let listBlacklistView = Method<ListBlacklistRequest, ListBlacklistResponseView>(
        like: listBlacklist)

    /// Says which of two users, the caller and another, has the other on its blacklist.
    public static let checkBlacklist = Method<CheckBlacklistRequest, CheckBlacklistResponse>(
        service, "CheckBlacklist", .read,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .accountNotFound),
        limits: [RequestLimit("user_ids", Int64(Limits.blacklistItems), .items)])

    /// ``checkBlacklist`` as the service answers it: with views.
    package static let checkBlacklistView = Method<
        CheckBlacklistRequestView, CheckBlacklistResponseView
    >(like: checkBlacklist)

    /// Says to which users the caller may send a message.
    public static let canSend = Method<CanSendRequest, CanSendResponse>(
        service, "CanSend", .read,
        answers: codes(
            SendStatus.self, .success, .inPeerBlacklist, .notFriend, .notPeerFriend, .notSelfFriend,
            .shutUp, .invalidParameter, .accountNotFound),
        limits: [RequestLimit("user_ids", Int64(Limits.canSendItems), .items)])

    /// ``canSend`` as the service answers it: with views.
    package static let canSendView = Method<CanSendRequestView, CanSendResponseView>(like: canSend)
}
