public import Protobuf
public import RelationModel

// The messages of GetRelations, ListMutualFriends and SuggestFriends in
// proto/relation/v1/friend.proto, where every field is explained.

/// The request of GetRelations.
public struct GetRelationsRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var userIDs: [String] = []
    public var withCustom = false
    public var withProfiles = false
    public var profileMask: FieldMask?

    public init() {}

    public static let schema = Schema("relation.v1.GetRelationsRequest", GetRelationsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "with_custom", &withCustom)
        visitor.field(5, "with_profiles", &withProfiles)
        visitor.field(6, "profile_mask", &profileMask)
    }
}

/// The response of GetRelations.
public struct GetRelationsResponse: Message {
    public var results: [RelationCard] = []

    public init() {}

    public static let schema = Schema("relation.v1.GetRelationsResponse", GetRelationsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// Everything that one user and the caller are to each other.
public struct RelationCard: Message, Equatable {
    public var userID = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    public var relation: FriendRelation?
    public var friendEntry: Friend?
    public var blacklisted = false
    public var blacklistedBy: Bool?
    public var sent: Pendency?
    public var received: Pendency?
    public var profile: Profile?

    public init() {}

    public static let schema = Schema("relation.v1.RelationCard", RelationCard.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
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
public struct ListMutualFriendsRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var pageSize: Int32 = 0
    public var pageToken = ""
    public var otherUserID = ""

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListMutualFriendsRequest", ListMutualFriendsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "other_user_id", &otherUserID)
    }
}

/// The response of ListMutualFriends.
public struct ListMutualFriendsResponse: Message {
    public var otherUserID = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    public var userIDs: [String] = []
    public var nextPageToken = ""
    public var totalSize: Int32 = 0
    public var bounded = false

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListMutualFriendsResponse", ListMutualFriendsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
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

/// The request of SuggestFriends.
public struct SuggestFriendsRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var pageSize: Int32 = 0
    public var pageToken = ""

    public init() {}

    public static let schema = Schema(
        "relation.v1.SuggestFriendsRequest", SuggestFriendsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }
}

/// The response of SuggestFriends.
public struct SuggestFriendsResponse: Message {
    public var suggestions: [FriendSuggestion] = []
    public var nextPageToken = ""
    public var totalSize: Int32 = 0
    public var bounded = false

    public init() {}

    public static let schema = Schema(
        "relation.v1.SuggestFriendsResponse", SuggestFriendsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "suggestions", &suggestions)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "bounded", &bounded)
    }
}

/// One user that the caller may know.
public struct FriendSuggestion: Message, Equatable {
    public var userID = ""
    public var mutualCount: Int32 = 0
    public var mutualUserIDs: [String] = []

    public init() {}

    public static let schema = Schema("relation.v1.FriendSuggestion", FriendSuggestion.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "mutual_count", &mutualCount)
        visitor.field(3, "mutual_user_ids", &mutualUserIDs)
    }
}
