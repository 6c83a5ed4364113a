public import Protobuf
import RelationModel

/// Work on an app's data as a whole.
public enum MaintenanceMethods {
    private static let service: StaticString = "relation.v1.MaintenanceService"

    /// Writes friendships from a stream of rows, without verification, and without a look at
    /// blacklists.
    public static let importFriends = Method<ImportFriendsRequest, ImportFriendsResponse>(
        service, "ImportFriends", .write, for: .administrators, shape: .bidirectional,
        answers: codes(
            FriendStatus.self, .invalidParameter, .accountNotFound, .sensitiveText, .selfFriendFull,
            .groupLimit, .theirFriendFull, .tagNotFound))

    /// Writes rows of blacklists from a stream, with their times.
    public static let importBlacklists = Method<
        ImportBlacklistsRequest, ImportBlacklistsResponse
    >(
        service, "ImportBlacklists", .write, for: .administrators, shape: .bidirectional,
        answers: codes(FriendStatus.self, .invalidParameter, .accountNotFound, .blacklistFull))

    /// Writes follows from a stream of rows, with their times.
    public static let importFollows = Method<ImportFollowsRequest, ImportFollowsResponse>(
        service, "ImportFollows", .write, for: .administrators, shape: .bidirectional,
        answers: codes(
            FollowStatus.self, .invalidParameter, .accountNotFound, .followingFull, .followersFull,
            .selfMutualFull, .theirMutualFull))

    /// Writes fields of profiles from a stream of rows.
    public static let importProfiles = Method<ImportProfilesRequest, ImportProfilesResponse>(
        service, "ImportProfiles", .write, for: .administrators, shape: .bidirectional,
        answers: codes(
            ProfileStatus.self, .invalidParameter, .accountNotFound, .sensitiveText, .tagNotFound,
            .sizeLimit, .valueError, .invalidValueFormat, .keyNotExist, .customKeyNotExist,
            .customCountLimit, .lengthLimit, .onlyNumbers, .valueRange, .auditFailed))

    /// Sends everything that the app's users have, as it was at one moment.
    public static let exportApp = Method<ExportAppRequest, ExportAppResponse>(
        service, "ExportApp", .scan, for: .administrators, shape: .serverStreaming,
        answers: codes(ErrorReason.self, .invalidResumeToken, .pointGone, .tooManyExports))

    /// Sends everything that the app has of one user, as it was at one moment.
    public static let exportUser = Method<ExportUserRequest, ExportUserResponse>(
        service, "ExportUser", .scan, for: .administrators, shape: .serverStreaming,
        answers: codes(ErrorReason.self, .userNotFound, .tooManyExports))

    /// Reads an export into an empty app.
    public static let importApp = Method<ImportAppRequest, ImportAppResponse>(
        service, "ImportApp", .write, for: .administrators, shape: .bidirectional,
        answers: codes(FriendStatus.self, .success, .invalidParameter)
            + codes(ErrorReason.self, .appNotEmpty, .exportFormatNewer))

    /// Looks at every row, and repairs rows that do not fit together.
    public static let checkIntegrity = Method<CheckIntegrityRequest, CheckIntegrityResponse>(
        service, "CheckIntegrity", .scan, for: .administrators, shape: .serverStreaming,
        answers: codes(ErrorReason.self, .tooManyExports))

    /// Counts the rows of the app, and gives the size of the store.
    public static let getStats = Method<GetStatsRequest, GetStatsResponse>(
        service, "GetStats", .scan, for: .administrators)

    /// Lists the changes of relations that the app has kept by pages, the latest first.
    public static let listHistory = Method<ListHistoryRequest, ListHistoryResponse>(
        service, "ListHistory", .read, for: .administrators,
        answers: codes(ErrorReason.self, .invalidPageToken),
        limits: [RequestLimit("kinds", Int64(Limits.changeKinds), .items)])

    /// Takes changes of relations back, so that rows of friends and of blacklists become what they
    /// were.
    public static let undoChanges = Method<UndoChangesRequest, UndoChangesResponse>(
        service, "UndoChanges", .write, for: .administrators,
        answers: codes(
            FriendStatus.self, .success, .invalidParameter, .selfFriendFull, .groupLimit,
            .blacklistFull),
        limits: [RequestLimit("positions", Int64(Limits.undoItems), .items)])

    /// Lists the records of the app's audit by pages, the oldest first.
    public static let listAuditRecords = Method<ListAuditRecordsRequest, ListAuditRecordsResponse>(
        service, "ListAuditRecords", .read, for: .administrators,
        answers: codes(ErrorReason.self, .invalidPageToken))
}
