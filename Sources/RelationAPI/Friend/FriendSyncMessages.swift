public import Protobuf

// The messages of SyncFriends in proto/relation/v1/friend.proto, where every field is explained.

/// The request of SyncFriends.
public struct SyncFriendsRequest: Message {
    /// The acting user, whose friend list is compared.
    ///
    /// TIM's From_Account.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The most changes to answer, of both kinds together: 0 means 100; more than 1000 means 1000.
    ///
    /// A page also ends at 1 MiB, so the changes have ended only when the token is missing.
    public var pageSize: Int32 = 0
    /// The `next_page_token` of the page before; empty for the first page.
    ///
    /// A token that was made for another user or another `since_sequence` is INVALID_ARGUMENT. A
    /// change that comes while pages are read stands on a later page. So after the last page the
    /// copy is the list at that page's `sequence`.
    public var pageToken = ""
    /// The `sequence` that the last page of SyncFriends or the first page of ListFriends answered;
    /// 0 for an empty copy.
    ///
    /// It is the same for every page. Any sequence of the user is accepted (ours). TIM's
    /// StandardSequence.
    public var sinceSequence: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: ReadOptions? = nil, pageSize: Int32 = 0,
        pageToken: String = "", sinceSequence: Int64 = 0
    ) {
        self.userID = userID
        self.options = options
        self.pageSize = pageSize
        self.pageToken = pageToken
        self.sinceSequence = sinceSequence
    }
}

extension SyncFriendsRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.SyncFriendsRequest", SyncFriendsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "since_sequence", &sinceSequence)
    }
}

extension SyncFriendsRequest: PagedRequest {}

/// The response of SyncFriends.
public typealias SyncFriendsResponse = SyncFriendsResponseForm<Friend>

/// ``SyncFriendsResponse`` as the service has it: its rows are kept as their bytes.
package typealias SyncFriendsResponseView = SyncFriendsResponseForm<Encoded<Friend>>

/// The response of SyncFriends.
///
/// A client has ``SyncFriendsResponse``, whose rows are of type ``Friend``.
public struct SyncFriendsResponseForm<Row: Message>: Message {
    /// The friends that are new or changed, each with its present row, in the order of the changes.
    public var friends: [Row] = []
    /// The token of the next page; empty after the last page.
    public var nextPageToken = ""
    /// How many friends the user has.
    ///
    /// TIM's FriendNum.
    public var totalSize: Int32 = 0
    /// The user's sequence when the friend list last changed.
    ///
    /// Keep it after the last page, and send it the next time. TIM's StandardSequence.
    public var sequence: Int64 = 0
    /// The users that are no friends any more, in the order of the removals.
    ///
    /// The copy may lack some of them.
    public var removedUserIDs: [String] = []
    /// Whether the copy cannot be brought up to date.
    ///
    /// The reason may be that the copy is older than the removals that the app remembers: as long
    /// as it keeps its log, 7 days by default. Or the copy's sequence is from a time that this
    /// server has not seen, or of another history of the app.
    ///
    /// Drop the copy, and the pages before this one: this page begins the whole list. False on the
    /// pages after it (ours). TIM's NeedUpdateAll, and `recover`.
    public var resync = false

    @inlinable public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    @inlinable public init(
        friends: [Row] = [], nextPageToken: String = "", totalSize: Int32 = 0, sequence: Int64 = 0,
        removedUserIDs: [String] = [], resync: Bool = false
    ) {
        self.friends = friends
        self.nextPageToken = nextPageToken
        self.totalSize = totalSize
        self.sequence = sequence
        self.removedUserIDs = removedUserIDs
        self.resync = resync
    }
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

extension SyncFriendsResponseForm: PagedAnswer {}

private let syncFriendsResponse = FormSchemas(
    "relation.v1.SyncFriendsResponse", SyncFriendsResponse.self, SyncFriendsResponseView.self)
