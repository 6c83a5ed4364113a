public import Protobuf

// The messages of the lists of proto/relation/v1/follow.proto, where every field is explained.

/// The request of ListFollowing.
public struct ListFollowingRequest:
    UserReadRequest, SizedReadRequest, PagedRequest, JoiningRequest
{
    /// The acting user, whose follows are listed.
    public var userID = ""
    public var options: ReadOptions?
    /// The most entries to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// Whether to answer, for each user, the fields of its profile that GetProfiles answers to the
    /// caller.
    public var withProfiles = false
    /// The fields of Profile to answer; empty means all.
    public var profileMask: FieldMask?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListFollowingRequest", Self.self)

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

/// The response of ListFollowing.
public struct ListFollowingResponse: CodedMessage, PagedList {
    /// The entries of this page.
    public var entries: [FollowEntry] = []
    public var nextPageToken = ""
    /// How many users the caller follows.
    public var totalSize: Int32 = 0
    /// The user's sequence when the list last changed.
    public var sequence: Int64 = 0

    public init() {}

    public var pageItems: [FollowEntry] { entries }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListFollowingResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "entries", &entries)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
    }
}

/// The request of ListFollowers.
public struct ListFollowersRequest:
    UserReadRequest, SizedReadRequest, PagedRequest, JoiningRequest
{
    /// The acting user, whose followers are listed.
    public var userID = ""
    public var options: ReadOptions?
    /// The most entries to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// Whether to answer, for each user, the fields of its profile that GetProfiles answers to the
    /// caller.
    public var withProfiles = false
    /// The fields of Profile to answer; empty means all.
    public var profileMask: FieldMask?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListFollowersRequest", Self.self)

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

/// The response of ListFollowers.
public struct ListFollowersResponse: CodedMessage, PagedList {
    /// The entries of this page.
    public var entries: [FollowEntry] = []
    public var nextPageToken = ""
    /// How many users follow the caller.
    public var totalSize: Int32 = 0
    /// The user's sequence when the list last changed.
    public var sequence: Int64 = 0

    public init() {}

    public var pageItems: [FollowEntry] { entries }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListFollowersResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "entries", &entries)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
    }
}

/// The request of ListMutualFollows.
public struct ListMutualFollowsRequest:
    UserReadRequest, SizedReadRequest, PagedRequest, JoiningRequest
{
    /// The acting user, whose mutual follows are listed.
    public var userID = ""
    public var options: ReadOptions?
    /// The most entries to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// Whether to answer, for each user, the fields of its profile that GetProfiles answers to the
    /// caller.
    public var withProfiles = false
    /// The fields of Profile to answer; empty means all.
    public var profileMask: FieldMask?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListMutualFollowsRequest", Self.self)

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

/// The response of ListMutualFollows.
public struct ListMutualFollowsResponse: CodedMessage, PagedList {
    /// The entries of this page.
    public var entries: [FollowEntry] = []
    public var nextPageToken = ""
    /// How many users follow the caller and are followed by it.
    public var totalSize: Int32 = 0
    /// The user's sequence when it last changed whom it follows, or who follows it.
    public var sequence: Int64 = 0

    public init() {}

    public var pageItems: [FollowEntry] { entries }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListMutualFollowsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "entries", &entries)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
    }
}
