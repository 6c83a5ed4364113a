package import Memory
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
    public var userIDs: [Characters] = []
    /// Whether `friend_entry` holds the values of custom fields.
    public var withCustom = false
    /// Whether to answer, for each user, the fields of its profile that the caller may see.
    public var withProfiles = false
    /// The fields of Profile to answer; empty means all.
    public var profileMask: FieldMask?

    @inlinable public init() {}
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

extension GetRelationsRequestForm: ReadRequest, SizedReadRequest, NamingReadRequest
where Characters == Text {
    package var actingUser: String { String(userID) }

    package static var users: NamedUsers { getRelationsUsers }
    package var readSize: ReadSize {
        options?.isPast == true ? .scan : .items(userIDs.count, rows: withProfiles ? 12 : 8)
    }
}

private let getRelationsUsers = NamedUsers(GetRelationsRequestView.schema, rows: 8)

private let getRelationsRequest = Schema(
    "relation.v1.GetRelationsRequest", GetRelationsRequest.self)

/// The response of GetRelations.
public struct GetRelationsResponse: CodedMessage {
    /// One card for each id of the request, in its order.
    public var results: [RelationCard] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetRelationsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// Everything that one user and the caller are to each other.
public struct RelationCard: ResultMessage {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = ""
    /// The outcome, always set; the fields below are empty unless it is 0.
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// Which of the two has the other as a friend; set if `code` is 0, also if it is NONE.
    public var relation: FriendRelation?
    /// The caller's row for the user, with its remark and its groups; absent if the user
    /// is not a friend of the caller.
    public var friendEntry: Friend?
    /// Whether the caller has the user on its blacklist.
    public var blacklisted = false
    /// Whether the user has the caller on its blacklist.
    public var blacklistedBy: Bool?
    /// The caller's application that waits for the user, without nick and face URL.
    public var sent: FriendApplication?
    /// The user's application that waits for the caller, without nick and face URL.
    public var received: FriendApplication?
    /// The fields of the user's profile that the caller may see.
    public var profile: Profile?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.RelationCard", Self.self)

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
public struct ListMutualFriendsRequest:
    UserReadRequest, SizedReadRequest, PagedRequest, JoiningRequest
{
    public var userID = ""
    public var options: ReadOptions?
    /// The most friends to answer: 0 means 100; more than 200 means 200.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// The user whose friend list is compared with the caller's.
    public var otherUserID = ""
    /// Whether to answer, for each shared friend, the fields of its profile that GetProfiles
    /// answers to the caller.
    public var withProfiles = false
    /// The fields of Profile to answer; empty means all.
    public var profileMask: FieldMask?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListMutualFriendsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "other_user_id", &otherUserID)
        visitor.field(6, "with_profiles", &withProfiles)
        visitor.field(7, "profile_mask", &profileMask)
    }

    package var readSize: ReadSize { .scan }
}

/// The response of ListMutualFriends.
public struct ListMutualFriendsResponse: ResultMessage, PagedList {
    /// The other user, as the request named it; at most the first 256 bytes of a malformed id.
    public var otherUserID = ""
    /// The outcome, always set; the fields below are empty unless it is 0.
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// The shared friends of this page whose friend list the caller may see, in the order of the
    /// bytes of their ids.
    public var userIDs: [String] = []
    public var nextPageToken = ""
    /// How many friends the two share, on all pages and including those that no page names.
    public var totalSize: Int32 = 0
    /// Whether a list was so long that only its first 10000 friends, by the bytes of their ids,
    /// were looked at.
    public var bounded = false
    /// One profile for each of `user_ids`, in their order.
    public var profiles: [Profile] = []

    public init() {}

    public var pageItems: [String] { userIDs }

    public var refusal: ListRefusal? { ListRefusal(unlessSuccess: code, reason, info) }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListMutualFriendsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "other_user_id", &otherUserID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "user_ids", &userIDs)
        visitor.field(6, "next_page_token", &nextPageToken)
        visitor.field(7, "total_size", &totalSize)
        visitor.field(8, "bounded", &bounded)
        visitor.field(9, "profiles", &profiles)
    }
}

/// The request of SuggestFriends.
public struct SuggestFriendsRequest:
    UserReadRequest, SizedReadRequest, PagedRequest, JoiningRequest
{
    public var userID = ""
    public var options: ReadOptions?
    /// The most users to answer: 0 means 100; more than 200 means 200.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// Whether to answer, for each suggestion, the fields of the user's profile that GetProfiles
    /// answers to the caller.
    public var withProfiles = false
    /// The fields of Profile to answer; empty means all.
    public var profileMask: FieldMask?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.SuggestFriendsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "with_profiles", &withProfiles)
        visitor.field(6, "profile_mask", &profileMask)
    }

    package var readSize: ReadSize { .scan }
}

/// The response of SuggestFriends.
public struct SuggestFriendsResponse: CodedMessage, PagedList {
    /// The suggestions of this page, the best first.
    public var suggestions: [FriendSuggestion] = []
    public var nextPageToken = ""
    /// How many suggestions all pages together have: at most 200.
    public var totalSize: Int32 = 0
    /// Whether not every row was looked at, so that a count may be too low.
    public var bounded = false

    public init() {}

    public var pageItems: [FriendSuggestion] { suggestions }

    @usableFromInline package static let schema = Schema(
        "relation.v1.SuggestFriendsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "suggestions", &suggestions)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "bounded", &bounded)
    }
}

/// One user that the caller may know.
public struct FriendSuggestion: CodedMessage {
    /// The user.
    public var userID = ""
    /// How many of the caller's friends have the user as a friend: only friends whose friend list
    /// the caller may see.
    public var mutualCount: Int32 = 0
    /// Up to 10 of these friends, by the bytes of their ids.
    public var mutualUserIDs: [String] = []
    /// The fields of the user's profile that the caller may see.
    public var profile: Profile?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FriendSuggestion", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "mutual_count", &mutualCount)
        visitor.field(3, "mutual_user_ids", &mutualUserIDs)
        visitor.field(4, "profile", &profile)
    }
}
