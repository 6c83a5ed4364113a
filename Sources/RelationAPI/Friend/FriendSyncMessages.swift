public import Protobuf

// The messages of SyncFriends in proto/relation/v1/friend.proto, where every field is explained.

/// The request of SyncFriends.
public struct SyncFriendsRequest: UserReadRequest, SizedReadRequest, PagedRequest {
    /// The acting user, whose friend list is compared.
    public var userID = ""
    public var options: ReadOptions?
    /// The most changes to answer, of both kinds together: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// The `sequence` that the last page of SyncFriends or the first page of ListFriends answered;
    /// 0 for an empty copy.
    public var sinceSequence: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.SyncFriendsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "since_sequence", &sinceSequence)
    }

    package var readSize: ReadSize { .page(pageSize) }
}

/// The response of SyncFriends.
public typealias SyncFriendsResponse = SyncFriendsResponseForm<Friend>

/// ``SyncFriendsResponse`` as the service has it: its rows are kept as their bytes.
package typealias SyncFriendsResponseView = SyncFriendsResponseForm<Encoded<Friend>>

/// The response of SyncFriends.
///
/// A client has ``SyncFriendsResponse``, whose rows are of type ``Friend``.
public struct SyncFriendsResponseForm<Row: Message>: PagedAnswer {
    /// The friends that are new or changed, each with its present row, in the order of the changes.
    public var friends: [Row] = []
    public var nextPageToken = ""
    /// How many friends the user has.
    public var totalSize: Int32 = 0
    /// The user's sequence when the friend list last changed.
    public var sequence: Int64 = 0
    /// The users that are no longer friends, in the order of the removals.
    public var removedUserIDs: [String] = []
    /// Whether the copy cannot be brought up to date.
    public var resync = false

    @inlinable public init() {}
}

extension SyncFriendsResponseForm: CodedMessage where Row: CodedRow {
    @usableFromInline package static var schema: Schema { syncFriendsResponse.schema(Row.self) }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.rows(1, "friends", &friends)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
        visitor.field(5, "removed_user_ids", &removedUserIDs)
        visitor.field(6, "resync", &resync)
    }
}

private let syncFriendsResponse = FormSchemas(
    "relation.v1.SyncFriendsResponse", SyncFriendsResponse.self, SyncFriendsResponseView.self)
