public import Protobuf
public import RelationModel

// The messages of GetRelations, ListMutualFriends and SuggestFriends in
// proto/relation/v1/friend.proto, where every field is explained.

/// The request of GetRelations.
public typealias GetRelationsRequest = GetRelationsRequestForm<String>

/// ``GetRelationsRequest`` as the service has it: its ids are views.
package typealias GetRelationsRequestView = GetRelationsRequestForm<Text>

/// The request of GetRelations.
///
/// A client has ``GetRelationsRequest``, whose strings are `String`.
public struct GetRelationsRequestForm<Characters: TextForm>: Message {
    /// The acting user.
    public var userID = Characters()
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The users to ask about: 1 to 1000; with `with_custom` or `with_profiles` 1 to 100.
    ///
    /// In an app whose settings make cards long, the limit is lower, as GetLimits tells.
    public var userIDs: [Characters] = []
    /// Whether `friend_entry` holds the values of custom fields.
    public var withCustom = false
    /// Whether to answer, for each user, the fields of its profile that the caller may see.
    public var withProfiles = false
    /// The fields of Profile to answer; empty means all.
    ///
    /// Another path is INVALID_ARGUMENT, and so is the mask without `with_profiles`.
    public var profileMask: FieldMask?

    @inlinable public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    @inlinable public init(
        userID: Characters = Characters(), options: ReadOptions? = nil, userIDs: [Characters] = [],
        withCustom: Bool = false, withProfiles: Bool = false, profileMask: FieldMask? = nil
    ) {
        self.userID = userID
        self.options = options
        self.userIDs = userIDs
        self.withCustom = withCustom
        self.withProfiles = withProfiles
        self.profileMask = profileMask
    }
}

extension GetRelationsRequestForm: CodedMessage where Characters: Scalar {
    @usableFromInline package static var schema: Schema { getRelationsRequest }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "with_custom", &withCustom)
        visitor.field(5, "with_profiles", &withProfiles)
        visitor.field(6, "profile_mask", &profileMask)
    }
}

extension GetRelationsRequestForm: ReadRequest where Characters == Text {
    package var actingUser: String { String(userID) }
}

private let getRelationsRequest = Schema(
    "relation.v1.GetRelationsRequest", GetRelationsRequest.self)

/// The response of GetRelations.
public struct GetRelationsResponse: Message {
    /// One card for each id of the request, in its order.
    public var results: [RelationCard] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(results: [RelationCard] = []) {
        self.results = results
    }
}

extension GetRelationsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetRelationsResponse", GetRelationsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// Everything that one user and the caller are to each other.
public struct RelationCard: Message {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = ""
    /// The outcome, always set; the fields below are empty unless it is 0.
    public var code: FriendStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    public var info = ""
    /// Which of the two has the other as a friend; set if `code` is 0, also if it is NONE.
    public var relation: FriendRelation?
    /// The caller's row for the user, with its remark and its groups; absent if the user is no
    /// friend of the caller.
    public var friendEntry: Friend?
    /// Whether the caller has the user on its blacklist.
    public var blacklisted = false
    /// Whether the user has the caller on its blacklist.
    ///
    /// Absent without the scope `admin`, because no read tells a user who has it on a blacklist.
    public var blacklistedBy: Bool?
    /// The caller's application that waits for the user, without nick and face URL.
    public var sent: Pendency?
    /// The user's application that waits for the caller, without nick and face URL.
    public var received: Pendency?
    /// The fields of the user's profile that the caller may see.
    ///
    /// Answered only if the request asks for it.
    public var profile: Profile?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", code: FriendStatus? = nil, reason: Reason = .none, info: String = "",
        relation: FriendRelation? = nil, friendEntry: Friend? = nil, blacklisted: Bool = false,
        blacklistedBy: Bool? = nil, sent: Pendency? = nil, received: Pendency? = nil,
        profile: Profile? = nil
    ) {
        self.userID = userID
        self.code = code
        self.reason = reason
        self.info = info
        self.relation = relation
        self.friendEntry = friendEntry
        self.blacklisted = blacklisted
        self.blacklistedBy = blacklistedBy
        self.sent = sent
        self.received = received
        self.profile = profile
    }
}

extension RelationCard: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.RelationCard", RelationCard.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "relation", &relation)
        visitor.field(6, "friend_entry", &friendEntry)
        visitor.field(7, "blacklisted", &blacklisted)
        visitor.field(8, "blacklisted_by", &blacklistedBy)
        visitor.field(9, "sent", &sent)
        visitor.field(10, "received", &received)
        visitor.field(11, "profile", &profile)
    }
}

/// The request of ListMutualFriends.
public struct ListMutualFriendsRequest: Message {
    /// The acting user.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The most friends to answer: 0 means 100; more than 200 means 200.
    public var pageSize: Int32 = 0
    /// The `next_page_token` of the page before; empty for the first page.
    ///
    /// A token that was made for another user or another `other_user_id` is INVALID_ARGUMENT.
    public var pageToken = ""
    /// The user whose friend list is compared with the caller's.
    public var otherUserID = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: ReadOptions? = nil, pageSize: Int32 = 0,
        pageToken: String = "", otherUserID: String = ""
    ) {
        self.userID = userID
        self.options = options
        self.pageSize = pageSize
        self.pageToken = pageToken
        self.otherUserID = otherUserID
    }
}

extension ListMutualFriendsRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListMutualFriendsRequest", ListMutualFriendsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "other_user_id", &otherUserID)
    }
}

extension ListMutualFriendsRequest: PagedRequest {}

/// The response of ListMutualFriends.
public struct ListMutualFriendsResponse: Message {
    /// The other user, as the request named it; at most the first 256 bytes of a malformed id.
    public var otherUserID = ""
    /// The outcome, always set; the fields below are empty unless it is 0.
    public var code: FriendStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    public var info = ""
    /// The shared friends of this page whose friend list the caller may see, in the order of the
    /// bytes of their ids.
    ///
    /// Empty if the caller may not see the other user's list. A user that sees more of a profile
    /// than id, name and portrait sees the friend list too.
    public var userIDs: [String] = []
    /// The token of the next page; empty after the last page.
    public var nextPageToken = ""
    /// How many friends the two share, on all pages and including those that no page names.
    ///
    /// Facebook's total_count.
    public var totalSize: Int32 = 0
    /// Whether a list was so long that only its first 10000 friends, by the bytes of their ids,
    /// were looked at.
    ///
    /// There may then be more shared friends.
    public var bounded = false

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        otherUserID: String = "", code: FriendStatus? = nil, reason: Reason = .none,
        info: String = "", userIDs: [String] = [], nextPageToken: String = "", totalSize: Int32 = 0,
        bounded: Bool = false
    ) {
        self.otherUserID = otherUserID
        self.code = code
        self.reason = reason
        self.info = info
        self.userIDs = userIDs
        self.nextPageToken = nextPageToken
        self.totalSize = totalSize
        self.bounded = bounded
    }
}

extension ListMutualFriendsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListMutualFriendsResponse", ListMutualFriendsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "other_user_id", &otherUserID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "user_ids", &userIDs)
        visitor.field(6, "next_page_token", &nextPageToken)
        visitor.field(7, "total_size", &totalSize)
        visitor.field(8, "bounded", &bounded)
    }
}

extension ListMutualFriendsResponse: PagedList {
    public var pageItems: [String] { userIDs }

    public var refusal: ListRefusal? { ListRefusal(unlessSuccess: code, reason, info) }
}

/// The request of SuggestFriends.
public struct SuggestFriendsRequest: Message {
    /// The acting user.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The most users to answer: 0 means 100; more than 200 means 200.
    public var pageSize: Int32 = 0
    /// The `next_page_token` of the page before; empty for the first page.
    ///
    /// A token that was made for another user is INVALID_ARGUMENT. Each page is counted anew: if
    /// friendships change between two pages, a suggestion may be missing or come twice.
    public var pageToken = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: ReadOptions? = nil, pageSize: Int32 = 0,
        pageToken: String = ""
    ) {
        self.userID = userID
        self.options = options
        self.pageSize = pageSize
        self.pageToken = pageToken
    }
}

extension SuggestFriendsRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.SuggestFriendsRequest", SuggestFriendsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }
}

extension SuggestFriendsRequest: PagedRequest {}

/// The response of SuggestFriends.
public struct SuggestFriendsResponse: Message {
    /// The suggestions of this page, the best first.
    ///
    /// All pages together name the 200 best.
    public var suggestions: [FriendSuggestion] = []
    /// The token of the next page; empty after the last page.
    public var nextPageToken = ""
    /// How many suggestions all pages together have: at most 200.
    public var totalSize: Int32 = 0
    /// Whether not every row was looked at, so that a count may be too low.
    ///
    /// At most 5000 friends of the caller are looked at, and 100000 rows of their lists together.
    /// Of lists that are too long, each gives an even share.
    public var bounded = false

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        suggestions: [FriendSuggestion] = [], nextPageToken: String = "", totalSize: Int32 = 0,
        bounded: Bool = false
    ) {
        self.suggestions = suggestions
        self.nextPageToken = nextPageToken
        self.totalSize = totalSize
        self.bounded = bounded
    }
}

extension SuggestFriendsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.SuggestFriendsResponse", SuggestFriendsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "suggestions", &suggestions)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "bounded", &bounded)
    }
}

extension SuggestFriendsResponse: PagedList {
    public var pageItems: [FriendSuggestion] { suggestions }
}

/// One user that the caller may know.
public struct FriendSuggestion: Message {
    /// The user.
    public var userID = ""
    /// How many of the caller's friends have the user as a friend.
    public var mutualCount: Int32 = 0
    /// Up to 10 of these friends, by the bytes of their ids: only friends whose friend list the
    /// caller may see.
    public var mutualUserIDs: [String] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", mutualCount: Int32 = 0, mutualUserIDs: [String] = []) {
        self.userID = userID
        self.mutualCount = mutualCount
        self.mutualUserIDs = mutualUserIDs
    }
}

extension FriendSuggestion: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.FriendSuggestion", FriendSuggestion.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "mutual_count", &mutualCount)
        visitor.field(3, "mutual_user_ids", &mutualUserIDs)
    }
}
