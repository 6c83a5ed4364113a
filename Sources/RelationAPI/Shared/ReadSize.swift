import Protobuf
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

    /// Items that are looked up in some rows each.
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

    /// Whether the bytes of a request show, before they are decoded, that it asks for more than so
    /// many rows.
    ///
    /// So a loop decodes no request that it would only hand to another thread, where it is decoded
    /// again. False is no promise: ``readSize`` decides when the request is decoded.
    static func asks(forMoreThan rows: Int, in bytes: UnsafeRawBufferPointer) -> Bool
}

extension SizedReadRequest {
    package static func asks(forMoreThan rows: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
        false
    }
}

/// A request that names in `user_ids` the users whom it asks about.
package protocol NamingReadRequest: SizedReadRequest {
    associatedtype Name
    var userIDs: [Name] { get }
    static var users: NamedUsers { get }
}

/// The users whom a request names, each of whom is looked up in some rows.
package struct NamedUsers: Sendable {
    fileprivate let field: RepeatedField
    /// The rows of each, at least.
    fileprivate let rows: Int

    fileprivate init(_ schema: Schema, rows: Int) {
        field = RepeatedField(schema, "user_ids")
        self.rows = rows
    }
}

extension NamingReadRequest {
    package var readSize: ReadSize { .rows(userIDs.count * Self.users.rows) }

    package static func asks(forMoreThan rows: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
        users.field.hasMore(than: rows / users.rows, in: bytes)
    }
}

// The rows of an item are those that its rule looks up: accounts, both directions of a relation,
// profiles.

// MARK: Accounts and apps

extension CheckAccountsRequest: NamingReadRequest {
    package static let users = NamedUsers(schema, rows: 1)
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
extension ListBackupsRequest: SizedReadRequest {
    package var readSize: ReadSize { .page(pageSize) }
}
extension ListOperatorKeysRequest: SizedReadRequest {
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

extension CheckFriendsRequestView: SizedReadRequest, NamingReadRequest {
    package static var users: NamedUsers { .ofCheckFriends }
}
extension GetFriendsRequest: NamingReadRequest {
    package static let users = NamedUsers(schema, rows: 2)
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
extension GetRelationsRequestView: SizedReadRequest, NamingReadRequest {
    package static var users: NamedUsers { .ofGetRelations }
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
extension CheckBlacklistRequestView: SizedReadRequest, NamingReadRequest {
    package static var users: NamedUsers { .ofCheckBlacklist }
}
extension CanSendRequestView: SizedReadRequest, NamingReadRequest {
    package static var users: NamedUsers { .ofCanSend }
}

// MARK: Profiles and consent

extension GetSelfProfileRequest: SizedReadRequest {
    package var readSize: ReadSize { .rows(1) }
}
extension GetProfilesRequest: NamingReadRequest {
    package static let users = NamedUsers(schema, rows: 4)
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
extension QuerySubscriptionsRequest: NamingReadRequest {
    package static let users = NamedUsers(schema, rows: 2)
}
extension ListSubscriptionsRequest: SizedReadRequest {
    /// The rows that it passes over are read, too.
    package var readSize: ReadSize {
        startIndex > 0 ? .scan : .list(pageSize, atMost: Limits.subscriptionPageRows)
    }
}
extension GetPresenceRequest: NamingReadRequest {
    package static let users = NamedUsers(schema, rows: 4)
}

// A message of two forms is generic, and has no constants of its own.

extension NamedUsers {
    fileprivate static let ofCheckFriends = NamedUsers(CheckFriendsRequestView.schema, rows: 3)
    fileprivate static let ofGetRelations = NamedUsers(GetRelationsRequestView.schema, rows: 8)
    fileprivate static let ofCheckBlacklist = NamedUsers(
        CheckBlacklistRequestView.schema, rows: 3)
    fileprivate static let ofCanSend = NamedUsers(CanSendRequestView.schema, rows: 3)
}
