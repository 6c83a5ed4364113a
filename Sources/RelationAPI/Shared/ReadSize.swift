import RelationModel

/// How much a read looks at, as far as its request tells.
///
/// The loop of a connection answers small reads by itself. Longer ones go to other threads, so that
/// no caller waits for what another one has asked for.
package enum ReadSize: Sendable, Equatable {
    /// Some rows, or work that takes as long as to look them up.
    case rows(Int)
    /// As many rows as a user or an app has.
    case scan

    /// Items that the request names, each of which is looked up in some rows.
    fileprivate static func items(_ count: Int, rows: Int) -> ReadSize {
        .rows(count * rows)
    }

    /// A page of a list: rows that lie together cost less than rows that are looked up.
    fileprivate static func list(
        _ size: Int32, atMost limit: Int = Limits.maxPageRows
    ) -> ReadSize {
        .rows((pageRows(size, atMost: limit) + listedPerRow - 1) / listedPerRow)
    }

    /// A page of things that cost as much as a row that is looked up, or of such rows.
    fileprivate static func page(
        _ size: Int32, atMost limit: Int = Limits.maxPageRows
    ) -> ReadSize {
        .rows(pageRows(size, atMost: limit))
    }

    /// How many rows that lie together are read in the time in which one is looked up.
    private static let listedPerRow = 4

    /// The rows of a page: a size below 0 is refused, and 0 is the usual one.
    private static func pageRows(_ size: Int32, atMost limit: Int) -> Int {
        size <= 0 ? min(Limits.defaultPageRows, limit) : min(Int(size), limit)
    }
}

/// A request that only reads, and is answered by one message.
package protocol SizedReadRequest: ReadRequest {
    var readSize: ReadSize { get }
}

// The rows of an item are those that its rule looks up: accounts, both directions of a relation,
// profiles.

// MARK: Accounts and apps

extension CheckAccountsRequest: SizedReadRequest {
    package var readSize: ReadSize { .items(userIDs.count, rows: 1) }
}
extension ListAccountsRequest: SizedReadRequest {
    package var readSize: ReadSize { .scan }
}
extension GetDeletionRequest: SizedReadRequest {
    package var readSize: ReadSize { .rows(1) }
}
extension GetAppRequest: SizedReadRequest {
    package var readSize: ReadSize { .rows(1) }
}
extension ListAppsRequest: SizedReadRequest {
    package var readSize: ReadSize { .page(pageSize) }
}
extension GetLimitsRequest: SizedReadRequest {
    package var readSize: ReadSize { .rows(1) }
}
extension ListCustomFieldsRequest: SizedReadRequest {
    package var readSize: ReadSize { .page(pageSize) }
}
extension ListCredentialsRequest: SizedReadRequest {
    package var readSize: ReadSize { .page(pageSize) }
}
extension ListClientAppsRequest: SizedReadRequest {
    package var readSize: ReadSize { .page(pageSize) }
}
extension ListPermissionDefinitionsRequest: SizedReadRequest {
    package var readSize: ReadSize { .page(pageSize) }
}
extension GetStatsRequest: SizedReadRequest {
    package var readSize: ReadSize { .scan }
}

// MARK: Friends

extension CheckFriendsRequestView: SizedReadRequest {
    package var readSize: ReadSize { .items(userIDs.count, rows: 3) }
}
extension GetFriendsRequest: SizedReadRequest {
    package var readSize: ReadSize { .items(userIDs.count, rows: 2) }
}
extension ListFriendsRequest: SizedReadRequest {
    package var readSize: ReadSize { isJoined ? .scan : .list(pageSize) }

    /// Whether the answer has more than the stored rows: names, or profiles.
    package var isJoined: Bool {
        let isByName = order == .firstName || order == .lastName || order == .displayName
        return isByName || displayOrder != .unspecified || withProfiles
    }
}
extension SearchFriendsRequest: SizedReadRequest {
    package var readSize: ReadSize { .scan }
}
extension SyncFriendsRequest: SizedReadRequest {
    package var readSize: ReadSize { .page(pageSize) }
}
extension GetRelationsRequest: SizedReadRequest {
    package var readSize: ReadSize { .items(userIDs.count, rows: withProfiles ? 12 : 8) }
}
extension ListMutualFriendsRequest: SizedReadRequest {
    package var readSize: ReadSize { .scan }
}
extension SuggestFriendsRequest: SizedReadRequest {
    package var readSize: ReadSize { .scan }
}
extension GetFriendGroupsRequest: SizedReadRequest {
    package var readSize: ReadSize { .scan }
}
extension ListPendenciesRequest: SizedReadRequest {
    package var readSize: ReadSize { .page(numPerPage, atMost: Limits.pendenciesPerPage) }
}
extension ListApplicationsRequest: SizedReadRequest {
    package var readSize: ReadSize { .scan }
}

// MARK: Blacklist

extension ListBlacklistRequest: SizedReadRequest {
    package var readSize: ReadSize { .list(pageSize) }
}
extension CheckBlacklistRequestView: SizedReadRequest {
    package var readSize: ReadSize { .items(userIDs.count, rows: 3) }
}
extension CanSendRequestView: SizedReadRequest {
    package var readSize: ReadSize { .items(userIDs.count, rows: 3) }
}

// MARK: Profiles and consent

extension GetSelfProfileRequest: SizedReadRequest {
    package var readSize: ReadSize { .rows(1) }
}
extension GetProfilesRequest: SizedReadRequest {
    package var readSize: ReadSize { .items(userIDs.count, rows: 4) }
}
extension FindProfileByUniqueIdRequest: SizedReadRequest {
    package var readSize: ReadSize { .items(1, rows: 4) }
}
extension GetVisibilityRequest: SizedReadRequest {
    package var readSize: ReadSize { .rows(1) }
}
extension ListPermissionsRequest: SizedReadRequest {
    package var readSize: ReadSize { .page(pageSize, atMost: Limits.permissions) }
}
extension ReadUserRequest: SizedReadRequest {
    package var readSize: ReadSize { .items(1, rows: 4) }
}
extension ListAppFriendsRequest: SizedReadRequest {
    package var readSize: ReadSize { .scan }
}

// MARK: Changes, subscriptions, presence

extension ListChangesRequest: SizedReadRequest {
    /// Events of kinds that it does not ask for are looked at, too.
    package var readSize: ReadSize {
        kinds.isEmpty ? .page(pageSize, atMost: Limits.maxChanges) : .rows(Limits.changesLookedAt)
    }
}
extension GetSequenceRequest: SizedReadRequest {
    package var readSize: ReadSize { .rows(1) }
}
extension QuerySubscriptionsRequest: SizedReadRequest {
    package var readSize: ReadSize { .items(userIDs.count, rows: 2) }
}
extension ListSubscriptionsRequest: SizedReadRequest {
    /// The rows that it passes over are read, too.
    package var readSize: ReadSize {
        startIndex > 0 ? .scan : .list(pageSize, atMost: Limits.subscriptionPageRows)
    }
}
extension GetPresenceRequest: SizedReadRequest {
    package var readSize: ReadSize { .items(userIDs.count, rows: 4) }
}
