public import Protobuf
import RelationModel

// The messages of DismissSuggestions, RestoreSuggestions and ListDismissedSuggestions in
// proto/relation/v1/friend.proto, where every field is explained.

/// The request of DismissSuggestions.
public struct DismissSuggestionsRequest: WriteRequest, ItemsRequest {
    public var userID = ""
    public var options: WriteOptions?
    /// The users to dismiss: 1 to 100.
    public var userIDs: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DismissSuggestionsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.DismissSuggestionsResponse", DismissSuggestionsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }
}

/// The response of DismissSuggestions.
public typealias DismissSuggestionsResponse = ItemsAnswer<DismissSuggestionsRequest, FriendResult>

/// The request of RestoreSuggestions.
public struct RestoreSuggestionsRequest: WriteRequest, ItemsRequest {
    public var userID = ""
    public var options: WriteOptions?
    /// The users that may be suggested again: 1 to 100.
    public var userIDs: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RestoreSuggestionsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.RestoreSuggestionsResponse", RestoreSuggestionsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }
}

/// The response of RestoreSuggestions.
public typealias RestoreSuggestionsResponse = ItemsAnswer<RestoreSuggestionsRequest, FriendResult>

/// The request of ListDismissedSuggestions.
public struct ListDismissedSuggestionsRequest:
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
        "relation.v1.ListDismissedSuggestionsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "with_profiles", &withProfiles)
        visitor.field(6, "profile_mask", &profileMask)
    }

    package var readSize: ReadSize { withProfiles ? .scan : .list(pageSize) }
}

/// The response of ListDismissedSuggestions.
public struct ListDismissedSuggestionsResponse: CodedMessage, PagedList {
    /// The users of this page.
    public var users: [DismissedSuggestion] = []
    public var nextPageToken = ""
    /// How many users the caller has dismissed.
    public var totalSize: Int32 = 0
    /// The user's sequence when the list last changed.
    public var sequence: Int64 = 0

    public init() {}

    public var pageItems: [DismissedSuggestion] { users }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListDismissedSuggestionsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "users", &users)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
    }
}

/// A user that SuggestFriends does not name, because the caller has dismissed it.
public struct DismissedSuggestion: CodedMessage {
    /// The user.
    public var userID = ""
    /// When the caller dismissed the user.
    public var dismissTimeMs: Int64 = 0
    /// The fields of the user's profile that the caller may see.
    public var profile: Profile?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DismissedSuggestion", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "dismiss_time_ms", &dismissTimeMs)
        visitor.field(3, "profile", &profile)
    }
}
