public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/friend.proto, where every field is explained.

/// A row of a user's friend list.
public struct Friend: Message, Equatable {
    public var userID = ""
    public var remark = ""
    public var groups: [String] = []
    public var source = ""
    public var wording = ""
    public var addTimeMs: Int64 = 0
    public var remarkTimeMs: Int64 = 0
    public var sequence: Int64 = 0
    public var custom: [CustomValue] = []
    public var displayName = ""
    public var section = ""
    public var profile: Profile?

    public init() {}

    public static let schema = Schema("relation.v1.Friend", Friend.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
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
public struct FriendSection: Message, Equatable {
    public var letter = ""
    public var count: Int32 = 0

    public init() {}

    public static let schema = Schema("relation.v1.FriendSection", FriendSection.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "letter", &letter)
        visitor.field(2, "count", &count)
    }
}

/// One user to add.
public struct AddFriend: Message, Equatable {
    public var userID = ""
    public var remark = ""
    public var wording = ""
    public var source = ""
    public var group = ""
    public var custom: [CustomValue] = []

    public init() {}

    public static let schema = Schema("relation.v1.AddFriend", AddFriend.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "remark", &remark)
        visitor.field(3, "wording", &wording)
        visitor.field(4, "source", &source)
        visitor.field(5, "group", &group)
        visitor.field(6, "custom", &custom)
    }
}

/// The request of AddFriends.
public struct AddFriendsRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var items: [AddFriend] = []
    public var addType = AddType.unspecified
    public var force = false

    public init() {}

    public static let schema = Schema("relation.v1.AddFriendsRequest", AddFriendsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
        visitor.field(4, "add_type", &addType)
        visitor.field(5, "force", &force)
    }
}

/// The response of AddFriends.
public struct AddFriendsResponse: Message, ItemsResponse, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [FriendResult] = []

    public init() {}

    public static let schema = Schema("relation.v1.AddFriendsResponse", AddFriendsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of DeleteFriends.
public struct DeleteFriendsRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var userIDs: [String] = []
    public var deleteType = DeleteType.unspecified

    public init() {}

    public static let schema = Schema("relation.v1.DeleteFriendsRequest", DeleteFriendsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "delete_type", &deleteType)
    }
}

/// The response of DeleteFriends.
public struct DeleteFriendsResponse: Message, ItemsResponse, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [FriendResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.DeleteFriendsResponse", DeleteFriendsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of DeleteAllFriends.
public struct DeleteAllFriendsRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var deleteType = DeleteType.unspecified

    public init() {}

    public static let schema = Schema(
        "relation.v1.DeleteAllFriendsRequest", DeleteAllFriendsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "delete_type", &deleteType)
    }
}

/// The response of DeleteAllFriends.
public struct DeleteAllFriendsResponse: Message, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var removedRows: Int64 = 0
    public var removedReverseRows: Int64 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.DeleteAllFriendsResponse", DeleteAllFriendsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "removed_rows", &removedRows)
        visitor.field(5, "removed_reverse_rows", &removedReverseRows)
    }
}

/// The request of CheckFriends.
public struct CheckFriendsRequest: Message, ReadRequest {
    public var userID = Text()
    public var options: ReadOptions?
    public var userIDs: [Text] = []
    public var checkType = CheckType.unspecified

    public init() {}

    public static let schema = Schema("relation.v1.CheckFriendsRequest", CheckFriendsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "check_type", &checkType)
    }
}

/// The response of CheckFriends.
public struct CheckFriendsResponse: Message {
    public var results: [CheckFriendResult] = []

    public init() {}

    public static let schema = Schema("relation.v1.CheckFriendsResponse", CheckFriendsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// How one user stands to the caller.
public struct CheckFriendResult: Message, Equatable {
    public var userID = Text()
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = Text()
    public var relation: FriendRelation?

    public init() {}

    public static let schema = Schema("relation.v1.CheckFriendResult", CheckFriendResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "relation", &relation)
    }
}

/// The request of ListFriends.
public struct ListFriendsRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var pageSize: Int32 = 0
    public var pageToken = ""
    public var order = FriendOrder.unspecified
    public var direction = SortDirection.unspecified
    public var readMask: FieldMask?
    public var displayOrder = DisplayOrder.unspecified
    public var withProfiles = false
    public var profileMask: FieldMask?

    public init() {}

    public static let schema = Schema("relation.v1.ListFriendsRequest", ListFriendsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
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

/// The response of ListFriends.
public struct ListFriendsResponse: Message {
    public var friends: [Encoded<Friend>] = []
    public var nextPageToken = ""
    public var totalSize: Int32 = 0
    public var sequence: Int64 = 0
    public var sections: [FriendSection] = []

    public init() {}

    public static let schema = Schema("relation.v1.ListFriendsResponse", ListFriendsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "friends", &friends)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
        visitor.field(5, "sections", &sections)
    }
}

/// The request of SearchFriends.
public struct SearchFriendsRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var pageSize: Int32 = 0
    public var pageToken = ""
    public var keyword = ""
    public var searchMatch = SearchMatch.unspecified
    public var displayOrder = DisplayOrder.unspecified
    public var readMask: FieldMask?
    public var withProfiles = false
    public var profileMask: FieldMask?

    public init() {}

    public static let schema = Schema("relation.v1.SearchFriendsRequest", SearchFriendsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
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

/// The response of SearchFriends.
public struct SearchFriendsResponse: Message {
    public var friends: [Encoded<Friend>] = []
    public var nextPageToken = ""
    public var totalSize: Int32 = 0
    public var sequence: Int64 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.SearchFriendsResponse", SearchFriendsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "friends", &friends)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
    }
}

/// The request of GetFriends.
public struct GetFriendsRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var userIDs: [String] = []
    public var readMask: FieldMask?

    public init() {}

    public static let schema = Schema("relation.v1.GetFriendsRequest", GetFriendsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "read_mask", &readMask)
    }
}

/// The response of GetFriends.
public struct GetFriendsResponse: Message {
    public var results: [GetFriendResult] = []

    public init() {}

    public static let schema = Schema("relation.v1.GetFriendsResponse", GetFriendsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// The answer for one user of GetFriends.
public struct GetFriendResult: Message {
    public var userID = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    public var friendEntry: Friend?

    public init() {}

    public static let schema = Schema("relation.v1.GetFriendResult", GetFriendResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "friend_entry", &friendEntry)
    }
}

/// The new values of one friend.
public struct FriendUpdate: Message {
    public var userID = ""
    public var updateMask: FieldMask?
    public var remark = ""
    public var groups: [String] = []
    public var custom: [CustomValue] = []
    public var tags: [TagValue] = []

    public init() {}

    public static let schema = Schema("relation.v1.FriendUpdate", FriendUpdate.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "update_mask", &updateMask)
        visitor.field(3, "remark", &remark)
        visitor.field(4, "groups", &groups)
        visitor.field(5, "custom", &custom)
        visitor.field(6, "tags", &tags)
    }
}

/// The request of UpdateFriends.
public struct UpdateFriendsRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var items: [FriendUpdate] = []

    public init() {}

    public static let schema = Schema("relation.v1.UpdateFriendsRequest", UpdateFriendsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
    }
}

/// The response of UpdateFriends.
public struct UpdateFriendsResponse: Message, ItemsResponse, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [FriendResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.UpdateFriendsResponse", UpdateFriendsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

extension CheckFriendsRequest {
    package var actingUser: String { String(userID) }
}
