public import Protobuf
import RelationModel

/// The accounts of an app.
public enum AccountMethods {
    private static let service: StaticString = "relation.v1.AccountService"

    /// Makes accounts from a stream of rows.
    public static let importAccounts = Method<ImportAccountsRequest, ImportAccountsResponse>(
        service, "ImportAccounts", .write, for: .administrators, shape: .bidirectional,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .sensitiveText))

    /// Lists the app's accounts.
    public static let listAccounts = Method<ListAccountsRequest, ListAccountsResponse>(
        service, "ListAccounts", .scan, for: .administrators,
        answers: codes(ErrorReason.self, .invalidPageToken))

    /// Says which users are accounts.
    public static let checkAccounts = Method<CheckAccountsRequest, CheckAccountsResponse>(
        service, "CheckAccounts", .read, for: .administrators,
        answers: codes(FriendStatus.self, .success, .invalidParameter),
        limits: [RequestLimit("user_ids", Int64(Limits.accountItems), .items)])

    /// Begins to delete accounts.
    public static let deleteAccounts = Method<DeleteAccountsRequest, DeleteAccountsResponse>(
        service, "DeleteAccounts", .write, for: .administrators,
        answers: codes(FriendStatus.self, .success, .invalidParameter, .accountNotFound),
        limits: [
            RequestLimit("user_ids", Int64(Limits.accountItems), .items),
            RequestLimit("erasure_key", Int64(Limits.erasureKeyBytes), .bytes),
        ])

    /// Says how far a deletion has come.
    public static let getDeletion = Method<GetDeletionRequest, GetDeletionResponse>(
        service, "GetDeletion", .read, for: .administrators,
        answers: codes(ErrorReason.self, .deletionNotFound))

    /// Ends the sessions of users.
    public static let revokeUserSessions = Method<
        RevokeUserSessionsRequest, RevokeUserSessionsResponse
    >(
        service, "RevokeUserSessions", .write, for: .administrators,
        answers: codes(FriendStatus.self, .success, .invalidParameter),
        limits: [RequestLimit("user_ids", Int64(Limits.revokedUsers), .items)])
}
