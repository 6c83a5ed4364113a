public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/friend.proto, where every field is explained.

/// A row of a user's friend list.
public struct Friend: CodedMessage, CodedRow {
    /// The friend.
    public var userID = ""
    /// The owner's own name for the friend; empty if there is none.
    public var remark = ""
    /// The owner's friend groups that the friend is in, in the order in which they were given.
    public var groups: [String] = []
    /// How the friendship came about: `AddSource_Type_` and 1 to 8 letters, or empty.
    public var source = ""
    /// The text that came with the addition of the friend.
    public var wording = ""
    /// When the row was made.
    public var addTimeMs: Int64 = 0
    /// When the remark was last set; 0 if never.
    public var remarkTimeMs: Int64 = 0
    /// The owner's sequence when the row last changed.
    public var sequence: Int64 = 0
    /// The values of custom fields, in the order of their keys.
    public var custom: [CustomValue] = []
    /// The name that the owner sees: the remark, else the name, else the nick, else the id.
    public var displayName = ""
    /// The section of the list that the row stands in: `A` to `Z` or `#`.
    public var section = ""
    /// The fields of the friend's profile that the owner may see; in the answer of GetFriends,
    /// those that GetProfiles answers to the caller.
    public var profile: Profile?
    /// Whether the friend is among the owner's favourites.
    public var starred = false
    /// The position of a friend that the owner pinned to the top of the list: 1 or more, the lowest
    /// first; 0 if the friend is not pinned.
    public var pinOrder: Int32 = 0
    /// Up to when the friend's messages come without a notice; 0 or a time that is past if they
    /// come with one.
    public var muteUntilMs: Int64 = 0
    /// Whether the owner ignores the friend: a softer way than the blacklist, of which the friend
    /// never learns.
    public var ignored = false

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.Friend", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "remark", &remark)
        visitor.field(3, "groups", &groups)
        visitor.field(4, "source", &source)
        visitor.field(5, "wording", &wording)
        visitor.field(6, "add_time_ms", &addTimeMs)
        visitor.field(7, "remark_time_ms", &remarkTimeMs)
        visitor.field(8, "sequence", &sequence)
        visitor.field(9, "custom", &custom)
        visitor.field(10, "display_name", &displayName)
        visitor.field(11, "section", &section)
        visitor.field(12, "profile", &profile)
        visitor.field(13, "starred", &starred)
        visitor.field(14, "pin_order", &pinOrder)
        visitor.field(15, "mute_until_ms", &muteUntilMs)
        visitor.field(16, "ignored", &ignored)
    }
}

/// A section of a list that is sorted by names.
public struct FriendSection: CodedMessage {
    /// `A` to `Z` or `#`.
    public var letter = ""
    /// How many friends stand in it; at least 1.
    public var count: Int32 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FriendSection", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "letter", &letter)
        visitor.field(2, "count", &count)
    }
}

/// The request of ListFriends.
public struct ListFriendsRequest:
    UserReadRequest, SizedReadRequest, PagedRequest, JoiningRequest
{
    /// The acting user, whose friends are listed.
    public var userID = ""
    public var options: ReadOptions?
    /// The most friends to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// The order of the list.
    public var order = FriendOrder.unspecified
    /// The direction of the order; not given, it is ascending.
    public var direction = SortDirection.unspecified
    /// The fields of Friend to answer; empty means all.
    public var readMask: FieldMask?
    /// How `display_name` is formed.
    public var displayOrder = DisplayOrder.unspecified
    /// Whether to answer, for each friend, the fields of its profile that the user may see.
    public var withProfiles = false
    /// The fields of Profile to answer; empty means all.
    public var profileMask: FieldMask?
    /// Lists only the friends in this group of the user; empty lists all.
    public var group = ""
    /// Lists only the friends with this relation: BOTH_WAY those that have the user too, MY_UNI
    /// those that have it not.
    public var relation = FriendRelation.none
    /// Lists only the friends with this mark.
    public var mark = FriendMark.unspecified

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListFriendsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "order", &order)
        visitor.field(6, "direction", &direction)
        visitor.field(7, "read_mask", &readMask)
        visitor.field(8, "display_order", &displayOrder)
        visitor.field(9, "with_profiles", &withProfiles)
        visitor.field(10, "profile_mask", &profileMask)
        visitor.field(11, "group", &group)
        visitor.field(12, "relation", &relation)
        visitor.field(13, "mark", &mark)
    }

    package var readSize: ReadSize {
        // The rows of a group's members are looked up.
        isJoined || isSelected || options?.isPast == true
            ? .scan : group.isEmpty ? .list(pageSize) : .page(pageSize)
    }

    /// Whether a walk over the whole list finds the friends that are listed, or their order.
    package var isSelected: Bool {
        relation != .none || mark != .unspecified || order == .pin
    }

    /// Whether the answer has more than the stored rows: names, or profiles.
    package var isJoined: Bool {
        let isByName = order == .firstName || order == .lastName || order == .displayName
        return isByName || displayOrder != .unspecified || withProfiles
    }
}

/// The response of ListFriends.
public typealias ListFriendsResponse = ListFriendsResponseForm<Friend>

/// ``ListFriendsResponse`` as the service has it: its rows are kept as their bytes.
package typealias ListFriendsResponseView = ListFriendsResponseForm<Encoded<Friend>>

/// The response of ListFriends.
///
/// A client has ``ListFriendsResponse``, whose rows are of type ``Friend``.
public struct ListFriendsResponseForm<Row: Message>: PagedList {
    /// The friends of this page.
    public var friends: [Row] = []
    public var nextPageToken = ""
    /// How many friends the user has; with `group`, `relation` or `mark`, how many of them the
    /// request lists.
    public var totalSize: Int32 = 0
    /// The user's sequence when the friend list last changed.
    public var sequence: Int64 = 0
    /// The sections of the whole list, in ascending order, without those that are empty.
    public var sections: [FriendSection] = []

    @inlinable public init() {}

    public var pageItems: [Row] { friends }
}

extension ListFriendsResponseForm: CodedMessage where Row: CodedRow {
    @usableFromInline package static var schema: Schema { listFriendsResponse.schema(Row.self) }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.rows(1, "friends", &friends)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
        visitor.field(5, "sections", &sections)
    }
}

private let listFriendsResponse = FormSchemas(
    "relation.v1.ListFriendsResponse", ListFriendsResponse.self, ListFriendsResponseView.self)

/// The request of SearchFriends.
public struct SearchFriendsRequest:
    UserReadRequest, SizedReadRequest, PagedRequest, JoiningRequest
{
    /// The acting user, whose friends are searched.
    public var userID = ""
    public var options: ReadOptions?
    /// The most friends to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// The text to look for: 1 to 64 characters, at least one of them visible.
    public var keyword = ""
    /// Where in a text the keyword is looked for.
    public var searchMatch = SearchMatch.unspecified
    /// How `display_name` is formed, which also sorts the result.
    public var displayOrder = DisplayOrder.unspecified
    /// The fields of Friend to answer; empty means all.
    public var readMask: FieldMask?
    /// Whether to answer, for each friend, the fields of its profile that the user may see.
    public var withProfiles = false
    /// The fields of Profile to answer; empty means all.
    public var profileMask: FieldMask?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.SearchFriendsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "keyword", &keyword)
        visitor.field(6, "search_match", &searchMatch)
        visitor.field(7, "display_order", &displayOrder)
        visitor.field(8, "read_mask", &readMask)
        visitor.field(9, "with_profiles", &withProfiles)
        visitor.field(10, "profile_mask", &profileMask)
    }

    package var readSize: ReadSize { .scan }
}

/// The response of SearchFriends.
public typealias SearchFriendsResponse = SearchFriendsResponseForm<Friend>

/// ``SearchFriendsResponse`` as the service has it: its rows are kept as their bytes.
package typealias SearchFriendsResponseView = SearchFriendsResponseForm<Encoded<Friend>>

/// The response of SearchFriends.
///
/// A client has ``SearchFriendsResponse``, whose rows are of type ``Friend``.
public struct SearchFriendsResponseForm<Row: Message>: PagedList {
    /// The friends of this page.
    public var friends: [Row] = []
    public var nextPageToken = ""
    /// How many friends match.
    public var totalSize: Int32 = 0
    /// The user's sequence when the friend list last changed.
    public var sequence: Int64 = 0

    @inlinable public init() {}

    public var pageItems: [Row] { friends }
}

extension SearchFriendsResponseForm: CodedMessage where Row: CodedRow {
    @usableFromInline package static var schema: Schema { searchFriendsResponse.schema(Row.self) }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.rows(1, "friends", &friends)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
    }
}

private let searchFriendsResponse = FormSchemas(
    "relation.v1.SearchFriendsResponse", SearchFriendsResponse.self, SearchFriendsResponseView.self)

/// The request of GetFriends.
public struct GetFriendsRequest: UserReadRequest, NamingReadRequest, JoiningRequest {
    public var userID = ""
    public var options: ReadOptions?
    /// The users to read: 1 to 100.
    public var userIDs: [String] = []
    /// The fields of Friend to answer; empty means all.
    public var readMask: FieldMask?
    /// Whether to answer, for each friend, the fields of its profile that GetProfiles answers to
    /// the caller.
    public var withProfiles = false
    /// The fields of Profile to answer; empty means all.
    public var profileMask: FieldMask?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.GetFriendsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "read_mask", &readMask)
        visitor.field(5, "with_profiles", &withProfiles)
        visitor.field(6, "profile_mask", &profileMask)
    }

    package static let users = NamedUsers(schema, rows: 2)
    package var readSize: ReadSize { .items(userIDs.count, rows: withProfiles ? 6 : 2) }
}

/// The response of GetFriends.
public struct GetFriendsResponse: CodedMessage {
    /// One answer for each id of the request, in its order.
    public var results: [GetFriendResult] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetFriendsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// The answer for one user of GetFriends.
public struct GetFriendResult: ResultMessage {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// The row; only if `code` is 0.
    public var friendEntry: Friend?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.GetFriendResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "friend_entry", &friendEntry)
    }
}
