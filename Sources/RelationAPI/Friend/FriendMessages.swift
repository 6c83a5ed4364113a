public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/friend.proto, where every field is explained.

/// A row of a user's friend list.
public struct Friend: Message {
    /// The friend.
    ///
    /// TIM's `identifier`.
    public var userID = ""
    /// The owner's own name for the friend; empty if there is none.
    ///
    /// At most 96 bytes. Tag_SNS_IM_Remark.
    public var remark = ""
    /// The owner's friend groups that the friend is in, in the order in which they were given.
    ///
    /// At most as many as the app's `limits.groups`; each has 1 to 30 bytes. Tag_SNS_IM_Group.
    public var groups: [String] = []
    /// How the friendship came about: `AddSource_Type_` and 1 to 8 letters, or empty.
    ///
    /// Tag_SNS_IM_AddSource.
    public var source = ""
    /// The text that came with the addition of the friend.
    ///
    /// At most 120 bytes. Tag_SNS_IM_AddWording.
    public var wording = ""
    /// When the row was made.
    ///
    /// Tag_SNS_IM_AddTime, in seconds there.
    public var addTimeMs: Int64 = 0
    /// When the remark was last set; 0 if never.
    ///
    /// Tag_SNS_IM_RemarkTime.
    public var remarkTimeMs: Int64 = 0
    /// The owner's sequence when the row last changed.
    public var sequence: Int64 = 0
    /// The values of custom fields, in the order of their keys.
    ///
    /// Values that the caller may not read are left out. Tag_SNS_Custom_X.
    public var custom: [CustomValue] = []
    /// The name that the owner sees: the remark, else the name, else the nick, else the id.
    ///
    /// The name is made of first, middle and last name, in the `display_order` of the request and
    /// divided by spaces; without these it is the field `name`. Answered only in searches, in lists
    /// sorted by names, and in lists whose request has a `display_order`. IMKit's list title,
    /// FBFriendPicker's cell text.
    public var displayName = ""
    /// The section of the list that the row stands in: `A` to `Z` or `#`.
    ///
    /// Answered only in lists sorted by names. FBFriendPicker's section index.
    public var section = ""
    /// The fields of the friend's profile that the owner may see.
    ///
    /// Answered only if the request asks for it. TIM's `profile` of TIMFriend.
    public var profile: Profile?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", remark: String = "", groups: [String] = [], source: String = "",
        wording: String = "", addTimeMs: Int64 = 0, remarkTimeMs: Int64 = 0, sequence: Int64 = 0,
        custom: [CustomValue] = [], displayName: String = "", section: String = "",
        profile: Profile? = nil
    ) {
        self.userID = userID
        self.remark = remark
        self.groups = groups
        self.source = source
        self.wording = wording
        self.addTimeMs = addTimeMs
        self.remarkTimeMs = remarkTimeMs
        self.sequence = sequence
        self.custom = custom
        self.displayName = displayName
        self.section = section
        self.profile = profile
    }
}

extension Friend: CodedMessage, CodedRow {
    @usableFromInline package static let schema = Schema("relation.v1.Friend", Friend.self)

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
    }
}

/// A section of a list that is sorted by names.
public struct FriendSection: Message {
    /// `A` to `Z` or `#`.
    public var letter = ""
    /// How many friends stand in it; at least 1.
    public var count: Int32 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(letter: String = "", count: Int32 = 0) {
        self.letter = letter
        self.count = count
    }
}

extension FriendSection: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.FriendSection", FriendSection.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "letter", &letter)
        visitor.field(2, "count", &count)
    }
}

/// The request of ListFriends.
public struct ListFriendsRequest: Message {
    /// The acting user, whose friends are listed.
    ///
    /// TIM's From_Account.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The most friends to answer: 0 means 100; more than 1000 means 1000.
    ///
    /// A page also ends at 1 MiB, so the list has ended only when the token is missing.
    public var pageSize: Int32 = 0
    /// The `next_page_token` of the page before; empty for the first page.
    ///
    /// A token that was made for another user, order, display order or direction is
    /// INVALID_ARGUMENT. A row that exists during the whole listing and keeps its place in the
    /// order appears exactly once.
    public var pageToken = ""
    /// The order of the list.
    public var order = FriendOrder.unspecified
    /// The direction of the order; not given, it is ascending.
    public var direction = SortDirection.unspecified
    /// The fields of Friend to answer; empty means all.
    ///
    /// `user_id` is always answered. Another path is INVALID_ARGUMENT.
    public var readMask: FieldMask?
    /// How `display_name` is formed.
    ///
    /// If this is given, `display_name` is answered in every order.
    public var displayOrder = DisplayOrder.unspecified
    /// Whether to answer, for each friend, the fields of its profile that the user may see.
    public var withProfiles = false
    /// The fields of Profile to answer; empty means all.
    ///
    /// Another path is INVALID_ARGUMENT, and so is the mask without `with_profiles`.
    public var profileMask: FieldMask?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: ReadOptions? = nil, pageSize: Int32 = 0,
        pageToken: String = "", order: FriendOrder = .unspecified,
        direction: SortDirection = .unspecified, readMask: FieldMask? = nil,
        displayOrder: DisplayOrder = .unspecified, withProfiles: Bool = false,
        profileMask: FieldMask? = nil
    ) {
        self.userID = userID
        self.options = options
        self.pageSize = pageSize
        self.pageToken = pageToken
        self.order = order
        self.direction = direction
        self.readMask = readMask
        self.displayOrder = displayOrder
        self.withProfiles = withProfiles
        self.profileMask = profileMask
    }
}

extension ListFriendsRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListFriendsRequest", ListFriendsRequest.self)

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
    }
}

extension ListFriendsRequest: PagedRequest {}

/// The response of ListFriends.
public typealias ListFriendsResponse = ListFriendsResponseForm<Friend>

/// ``ListFriendsResponse`` as the service has it: its rows are kept as their bytes.
package typealias ListFriendsResponseView = ListFriendsResponseForm<Encoded<Friend>>

/// The response of ListFriends.
///
/// A client has ``ListFriendsResponse``, whose rows are of type ``Friend``.
public struct ListFriendsResponseForm<Row: Message>: Message {
    /// The friends of this page.
    public var friends: [Row] = []
    /// The token of the next page; empty after the last page.
    public var nextPageToken = ""
    /// How many friends the user has.
    ///
    /// TIM's FriendNum.
    public var totalSize: Int32 = 0
    /// The user's sequence when the friend list last changed.
    ///
    /// A client compares it with the one it has, to learn whether its copy is fresh. TIM's
    /// StandardSequence.
    public var sequence: Int64 = 0
    /// The sections of the whole list, in ascending order, without those that are empty.
    ///
    /// Answered only if the list is sorted by names. FBFriendPicker's section index, which it shows
    /// from 6 friends on.
    public var sections: [FriendSection] = []

    @inlinable public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    @inlinable public init(
        friends: [Row] = [], nextPageToken: String = "", totalSize: Int32 = 0, sequence: Int64 = 0,
        sections: [FriendSection] = []
    ) {
        self.friends = friends
        self.nextPageToken = nextPageToken
        self.totalSize = totalSize
        self.sequence = sequence
        self.sections = sections
    }
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

extension ListFriendsResponseForm: PagedList {
    public var pageItems: [Row] { friends }
}

private let listFriendsResponse = FormSchemas(
    "relation.v1.ListFriendsResponse", ListFriendsResponse.self, ListFriendsResponseView.self)

/// The request of SearchFriends.
public struct SearchFriendsRequest: Message {
    /// The acting user, whose friends are searched.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The most friends to answer: 0 means 100; more than 1000 means 1000.
    ///
    /// A page also ends at 1 MiB, so the result has ended only when the token is missing.
    public var pageSize: Int32 = 0
    /// The `next_page_token` of the page before; empty for the first page.
    ///
    /// A token that was made for another user, keyword, `search_match` or display order is
    /// INVALID_ARGUMENT.
    public var pageToken = ""
    /// The text to look for: 1 to 64 characters, at least one of them visible.
    public var keyword = ""
    /// Where in a text the keyword is looked for.
    public var searchMatch = SearchMatch.unspecified
    /// How `display_name` is formed, which also sorts the result.
    public var displayOrder = DisplayOrder.unspecified
    /// The fields of Friend to answer; empty means all.
    ///
    /// `user_id` is always answered. Another path is INVALID_ARGUMENT.
    public var readMask: FieldMask?
    /// Whether to answer, for each friend, the fields of its profile that the user may see.
    public var withProfiles = false
    /// The fields of Profile to answer; empty means all.
    ///
    /// Another path is INVALID_ARGUMENT, and so is the mask without `with_profiles`.
    public var profileMask: FieldMask?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: ReadOptions? = nil, pageSize: Int32 = 0,
        pageToken: String = "", keyword: String = "", searchMatch: SearchMatch = .unspecified,
        displayOrder: DisplayOrder = .unspecified, readMask: FieldMask? = nil,
        withProfiles: Bool = false, profileMask: FieldMask? = nil
    ) {
        self.userID = userID
        self.options = options
        self.pageSize = pageSize
        self.pageToken = pageToken
        self.keyword = keyword
        self.searchMatch = searchMatch
        self.displayOrder = displayOrder
        self.readMask = readMask
        self.withProfiles = withProfiles
        self.profileMask = profileMask
    }
}

extension SearchFriendsRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.SearchFriendsRequest", SearchFriendsRequest.self)

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
}

extension SearchFriendsRequest: PagedRequest {}

/// The response of SearchFriends.
public typealias SearchFriendsResponse = SearchFriendsResponseForm<Friend>

/// ``SearchFriendsResponse`` as the service has it: its rows are kept as their bytes.
package typealias SearchFriendsResponseView = SearchFriendsResponseForm<Encoded<Friend>>

/// The response of SearchFriends.
///
/// A client has ``SearchFriendsResponse``, whose rows are of type ``Friend``.
public struct SearchFriendsResponseForm<Row: Message>: Message {
    /// The friends of this page.
    public var friends: [Row] = []
    /// The token of the next page; empty after the last page.
    public var nextPageToken = ""
    /// How many friends match.
    public var totalSize: Int32 = 0
    /// The user's sequence when the friend list last changed.
    public var sequence: Int64 = 0

    @inlinable public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    @inlinable public init(
        friends: [Row] = [], nextPageToken: String = "", totalSize: Int32 = 0, sequence: Int64 = 0
    ) {
        self.friends = friends
        self.nextPageToken = nextPageToken
        self.totalSize = totalSize
        self.sequence = sequence
    }
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

extension SearchFriendsResponseForm: PagedList {
    public var pageItems: [Row] { friends }
}

private let searchFriendsResponse = FormSchemas(
    "relation.v1.SearchFriendsResponse", SearchFriendsResponse.self, SearchFriendsResponseView.self)

/// The request of GetFriends.
public struct GetFriendsRequest: Message {
    /// The acting user.
    ///
    /// TIM's From_Account.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The users to read: 1 to 100.
    ///
    /// In an app whose settings make rows long, the limit is lower, as GetLimits tells. TIM's
    /// To_Account.
    public var userIDs: [String] = []
    /// The fields of Friend to answer; empty means all.
    ///
    /// `user_id` is always answered. Another path is INVALID_ARGUMENT, and so are `display_name`,
    /// `section` and `profile`, which only lists and searches answer. TIM's TagList.
    public var readMask: FieldMask?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: ReadOptions? = nil, userIDs: [String] = [],
        readMask: FieldMask? = nil
    ) {
        self.userID = userID
        self.options = options
        self.userIDs = userIDs
        self.readMask = readMask
    }
}

extension GetFriendsRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetFriendsRequest", GetFriendsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "read_mask", &readMask)
    }
}

/// The response of GetFriends.
public struct GetFriendsResponse: Message {
    /// One answer for each id of the request, in its order.
    public var results: [GetFriendResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(results: [GetFriendResult] = []) {
        self.results = results
    }
}

extension GetFriendsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetFriendsResponse", GetFriendsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// The answer for one user of GetFriends.
public struct GetFriendResult: Message {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = ""
    /// The outcome, always set.
    public var code: FriendStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    public var info = ""
    /// The row; only if `code` is 0.
    public var friendEntry: Friend?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", code: FriendStatus? = nil, reason: Reason = .none, info: String = "",
        friendEntry: Friend? = nil
    ) {
        self.userID = userID
        self.code = code
        self.reason = reason
        self.info = info
        self.friendEntry = friendEntry
    }
}

extension GetFriendResult: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetFriendResult", GetFriendResult.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "friend_entry", &friendEntry)
    }
}
