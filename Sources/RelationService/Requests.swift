package import Protobuf
package import RelationAPI

/// A request that only reads.
package protocol ReadRequest: Message {
    /// Whether the call acts for a user, whom the request names.
    static var actsForUser: Bool { get }
    var actingUser: String { get }
    var options: ReadOptions? { get }
}

/// A request that changes something.
package protocol WriteRequest: Message {
    /// Whether the call acts for a user, whom the request names.
    static var actsForUser: Bool { get }
    var userID: String { get }
    var options: WriteOptions? { get set }
}

extension ReadRequest {
    package static var actsForUser: Bool { true }
}

extension WriteRequest {
    package static var actsForUser: Bool { true }
}

/// A request that only reads, and acts for the app: it names no user.
package protocol AppReadRequest: ReadRequest {}

extension AppReadRequest {
    package static var actsForUser: Bool { false }
    package var actingUser: String { "" }
}

/// A request that changes something, and acts for the app: it names no user.
///
/// Its request ids are those of all administrators of the app, its answer's sequence is 0, and the
/// events that it causes have no actor.
package protocol AppWriteRequest: WriteRequest {}

extension AppWriteRequest {
    package static var actsForUser: Bool { false }
    package var userID: String { "" }
}

/// The answer to a write: the fields that all of them begin with.
package protocol WriteResponse: Message {
    var sequence: Int64 { get set }
    var applied: Bool { get set }
    var replayed: Bool { get set }
}

extension CanSendRequest: ReadRequest {
    package var actingUser: String { String(userID) }
}
extension CheckBlacklistRequest: ReadRequest {
    package var actingUser: String { String(userID) }
}
extension ListChangesRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension GetSequenceRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension CheckAccountsRequest: AppReadRequest {}
extension ExportAppRequest: AppReadRequest {}
extension CheckIntegrityRequest: AppReadRequest {}
extension GetStatsRequest: AppReadRequest {}
extension CheckFriendsRequest: ReadRequest {
    package var actingUser: String { String(userID) }
}
extension FindProfileByUniqueIdRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension GetFriendGroupsRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension GetDeletionRequest: AppReadRequest {}
extension ListAppFriendsRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension ListClientAppsRequest: AppReadRequest {}
extension ListPermissionsRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension ReadUserRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension GetFriendsRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension GetProfilesRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension GetSelfProfileRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension ListApplicationsRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension GetVisibilityRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension ListAccountsRequest: AppReadRequest {}
extension ListBlacklistRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension ListFriendsRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension ListPendenciesRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension SearchFriendsRequest: ReadRequest {
    package var actingUser: String { userID }
}

extension GetRelationsRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension ListMutualFriendsRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension SuggestFriendsRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension SyncFriendsRequest: ReadRequest {
    package var actingUser: String { userID }
}

extension GetPresenceRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension ListSubscriptionsRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension QuerySubscriptionsRequest: ReadRequest {
    package var actingUser: String { userID }
}

extension AddFriendsRequest: WriteRequest {}
extension AddFriendsResponse: WriteResponse {}
extension AddFriendsToGroupRequest: WriteRequest {}
extension AddFriendsToGroupResponse: WriteResponse {}
extension AddToBlacklistRequest: WriteRequest {}
extension AddToBlacklistResponse: WriteResponse {}
extension CreateFriendGroupsRequest: WriteRequest {}
extension CreateFriendGroupsResponse: WriteResponse {}
extension DeleteAllFriendsRequest: WriteRequest {}
extension DeleteAllFriendsResponse: WriteResponse {}
extension DeleteFriendGroupsRequest: WriteRequest {}
extension DeleteFriendGroupsResponse: WriteResponse {}
extension DeleteAccountsRequest: AppWriteRequest {}
extension DeleteAccountsResponse: WriteResponse {}
extension DeclinePermissionsRequest: WriteRequest {}
extension DeclinePermissionsResponse: WriteResponse {}
extension DefinePermissionsRequest: AppWriteRequest {}
extension DefinePermissionsResponse: WriteResponse {}
extension GrantPermissionsRequest: WriteRequest {}
extension GrantPermissionsResponse: WriteResponse {}
extension RegisterClientAppRequest: AppWriteRequest {}
extension RegisterClientAppResponse: WriteResponse {}
extension RevokePermissionsRequest: WriteRequest {}
extension RevokePermissionsResponse: WriteResponse {}
extension DeleteFriendsRequest: WriteRequest {}
extension DeleteFriendsResponse: WriteResponse {}
extension DeletePendenciesRequest: WriteRequest {}
extension DeletePendenciesResponse: WriteResponse {}
extension RemoveFriendsFromGroupRequest: WriteRequest {}
extension RemoveFriendsFromGroupResponse: WriteResponse {}
extension RemoveFromBlacklistRequest: WriteRequest {}
extension RemoveFromBlacklistResponse: WriteResponse {}
extension RenameFriendGroupRequest: WriteRequest {}
extension RenameFriendGroupResponse: WriteResponse {}
extension ReportPendenciesRequest: WriteRequest {}
extension ReportPendenciesResponse: WriteResponse {}
extension RespondToApplicationsRequest: WriteRequest {}
extension RespondToApplicationsResponse: WriteResponse {}
extension SetVisibilityRequest: WriteRequest {}
extension SetVisibilityResponse: WriteResponse {}
extension ReportPresenceRequest: AppWriteRequest {}
extension ReportPresenceResponse: WriteResponse {}
extension SubscribeRequest: WriteRequest {}
extension SubscribeResponse: WriteResponse {}
extension UnsubscribeRequest: WriteRequest {}
extension UnsubscribeResponse: WriteResponse {}
extension UpdateFriendsRequest: WriteRequest {}
extension UpdateFriendsResponse: WriteResponse {}
extension UpdateProfileRequest: WriteRequest {}
extension UpdateProfileResponse: WriteResponse {}
extension WithdrawApplicationsRequest: WriteRequest {}
extension WithdrawApplicationsResponse: WriteResponse {}

/// The answer to a write of several items, which says one result for each.
package protocol ItemsResponse: WriteResponse {
    var results: [FriendResult] { get set }
}

extension AddFriendsResponse: ItemsResponse {}
extension AddFriendsToGroupResponse: ItemsResponse {}
extension AddToBlacklistResponse: ItemsResponse {}
extension DeleteFriendsResponse: ItemsResponse {}
extension DeletePendenciesResponse: ItemsResponse {}
extension RemoveFriendsFromGroupResponse: ItemsResponse {}
extension RemoveFromBlacklistResponse: ItemsResponse {}
extension RespondToApplicationsResponse: ItemsResponse {}
extension UpdateFriendsResponse: ItemsResponse {}
extension WithdrawApplicationsResponse: ItemsResponse {}

// AppService

extension GetAppRequest: AppReadRequest {}
extension ListAppsRequest: AppReadRequest {}
extension ListCredentialsRequest: AppReadRequest {}
extension ListCustomFieldsRequest: AppReadRequest {}
extension GetLimitsRequest: ReadRequest {
    package var actingUser: String { userID }
}
extension CreateAppRequest: AppWriteRequest {}
extension CreateAppResponse: WriteResponse {}
extension UpdateAppRequest: AppWriteRequest {}
extension UpdateAppResponse: WriteResponse {}
extension DeleteAppRequest: AppWriteRequest {}
extension DeleteAppResponse: WriteResponse {}
extension CreateCredentialRequest: AppWriteRequest {}
extension CreateCredentialResponse: WriteResponse {}
extension RevokeCredentialRequest: AppWriteRequest {}
extension RevokeCredentialResponse: WriteResponse {}
extension RotateAppSecretRequest: AppWriteRequest {}
extension RotateAppSecretResponse: WriteResponse {}
extension DefineCustomFieldsRequest: AppWriteRequest {}
extension DefineCustomFieldsResponse: WriteResponse {}
extension RetireCustomFieldRequest: AppWriteRequest {}
extension RetireCustomFieldResponse: WriteResponse {}
