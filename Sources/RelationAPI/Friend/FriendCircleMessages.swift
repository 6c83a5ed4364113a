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
    public var code = FriendStatus.success
    public var info = ""
    public var relation = Relation.none
    public var friend: Friend?
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
        visitor.field(3, "info", &info)
        visitor.field(4, "relation", &relation)
        visitor.field(5, "friend", &friend)
        visitor.field(6, "blacklisted", &blacklisted)
        visitor.field(7, "blacklisted_by", &blacklistedBy)
        visitor.field(8, "sent", &sent)
        visitor.field(9, "received", &received)
        visitor.field(10, "profile", &profile)
    }
}

/// The request of ListMutualFriends.
public struct ListMutualFriendsRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var otherID = ""
    public var maxResults: Int32 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListMutualFriendsRequest", ListMutualFriendsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "other_id", &otherID)
        visitor.field(4, "max_results", &maxResults)
    }
}

/// The response of ListMutualFriends.
public struct ListMutualFriendsResponse: Message {
    public var userID = ""
    public var code = FriendStatus.success
    public var info = ""
    public var totalSize: Int32 = 0
    public var userIDs: [String] = []
    public var bounded = false

    public init() {}

    public static let schema = Schema(
        "relation.v1.ListMutualFriendsResponse", ListMutualFriendsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "info", &info)
        visitor.field(4, "total_size", &totalSize)
        visitor.field(5, "user_ids", &userIDs)
        visitor.field(6, "bounded", &bounded)
    }
}

/// The request of SuggestFriends.
public struct SuggestFriendsRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var maxResults: Int32 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.SuggestFriendsRequest", SuggestFriendsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "max_results", &maxResults)
    }
}

/// The response of SuggestFriends.
public struct SuggestFriendsResponse: Message {
    public var suggestions: [FriendSuggestion] = []
    public var bounded = false

    public init() {}

    public static let schema = Schema(
        "relation.v1.SuggestFriendsResponse", SuggestFriendsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "suggestions", &suggestions)
        visitor.field(2, "bounded", &bounded)
    }
}

/// One user that the caller may know.
public struct FriendSuggestion: Message, Equatable {
    public var userID = ""
    public var commonCount: Int32 = 0
    public var commonIDs: [String] = []

    public init() {}

    public static let schema = Schema("relation.v1.FriendSuggestion", FriendSuggestion.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "common_count", &commonCount)
        visitor.field(3, "common_ids", &commonIDs)
    }
}
