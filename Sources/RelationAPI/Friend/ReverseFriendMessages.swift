public import Protobuf
import RelationModel

// The messages of ListReverseFriends in proto/relation/v1/friend.proto, where every field is
// explained.

/// The request of ListReverseFriends.
public struct ListReverseFriendsRequest:
    UserReadRequest, SizedReadRequest, PagedRequest, JoiningRequest
{
    public var userID = ""
    public var options: ReadOptions?
    /// The most users to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// Whether to answer, for each user, the fields of its profile that GetProfiles answers to the
    /// caller.
    public var withProfiles = false
    /// The fields of Profile to answer; empty means all.
    public var profileMask: FieldMask?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListReverseFriendsRequest", Self.self)

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

/// The response of ListReverseFriends.
public struct ListReverseFriendsResponse: CodedMessage, PagedList {
    /// The users of this page.
    public var users: [ReverseFriend] = []
    public var nextPageToken = ""
    /// How many users have the caller as a friend without being the caller's friends: at most
    /// 10000, unless the app has `reports_reverse_friends`.
    public var totalSize: Int32 = 0
    /// Whether there were more than 10000, so that `total_size` is too low.
    public var bounded = false
    /// The user's sequence when the list last changed, as far as that was reported: a copy goes on
    /// from it with the events.
    public var sequence: Int64 = 0

    public init() {}

    public var pageItems: [ReverseFriend] { users }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListReverseFriendsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "users", &users)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "bounded", &bounded)
        visitor.field(5, "sequence", &sequence)
    }
}

/// A user that has the caller as a friend without being the caller's friend.
public struct ReverseFriend: CodedMessage {
    /// The user.
    public var userID = ""
    /// The fields of the user's profile that the caller may see.
    public var profile: Profile?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ReverseFriend", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "profile", &profile)
    }
}
