public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/group.proto, where every field is explained.

/// A friend group of a user, without its members.
public struct FriendGroup: Message, Equatable {
    public var name = ""
    public var memberCount: Int32 = 0
    public var createTimeMs: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.FriendGroup", FriendGroup.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "member_count", &memberCount)
        visitor.field(3, "create_time_ms", &createTimeMs)
    }
}

/// The outcome for one group of a call that names several.
public struct FriendGroupResult: Message, Equatable {
    public var name = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    public var changed = false

    public init() {}

    public static let schema = Schema("relation.v1.FriendGroupResult", FriendGroupResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
    }
}

/// The request of CreateFriendGroups.
public struct CreateFriendGroupsRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var names: [String] = []
    public var userIDs: [String] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.CreateFriendGroupsRequest", CreateFriendGroupsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "names", &names)
        visitor.field(4, "user_ids", &userIDs)
    }
}

/// The response of CreateFriendGroups.
public struct CreateFriendGroupsResponse: Message, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [CreateFriendGroupResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.CreateFriendGroupsResponse", CreateFriendGroupsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The outcome for one new group, and for each of its members.
public struct CreateFriendGroupResult: Message, Equatable {
    public var name = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    public var changed = false
    public var members: [FriendResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.CreateFriendGroupResult", CreateFriendGroupResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
        visitor.field(6, "members", &members)
    }
}

/// The request of DeleteFriendGroups.
public struct DeleteFriendGroupsRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var names: [String] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.DeleteFriendGroupsRequest", DeleteFriendGroupsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "names", &names)
    }
}

/// The response of DeleteFriendGroups.
public struct DeleteFriendGroupsResponse: Message, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [FriendGroupResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.DeleteFriendGroupsResponse", DeleteFriendGroupsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of AddFriendsToGroup.
public struct AddFriendsToGroupRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var name = ""
    public var userIDs: [String] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.AddFriendsToGroupRequest", AddFriendsToGroupRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "user_ids", &userIDs)
    }
}

/// The response of AddFriendsToGroup.
public struct AddFriendsToGroupResponse: Message, ItemsResponse, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [FriendResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.AddFriendsToGroupResponse", AddFriendsToGroupResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of RemoveFriendsFromGroup.
public struct RemoveFriendsFromGroupRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var name = ""
    public var userIDs: [String] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.RemoveFriendsFromGroupRequest", RemoveFriendsFromGroupRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "user_ids", &userIDs)
    }
}

/// The response of RemoveFriendsFromGroup.
public struct RemoveFriendsFromGroupResponse: Message, ItemsResponse, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [FriendResult] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.RemoveFriendsFromGroupResponse", RemoveFriendsFromGroupResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of RenameFriendGroup.
public struct RenameFriendGroupRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var name = ""
    public var newName = ""

    public init() {}

    public static let schema = Schema(
        "relation.v1.RenameFriendGroupRequest", RenameFriendGroupRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "new_name", &newName)
    }
}

/// The response of RenameFriendGroup.
public struct RenameFriendGroupResponse: Message, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var result: FriendGroupResult?

    public init() {}

    public static let schema = Schema(
        "relation.v1.RenameFriendGroupResponse", RenameFriendGroupResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "result", &result)
    }
}

/// The request of GetFriendGroups.
public struct GetFriendGroupsRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var pageSize: Int32 = 0
    public var pageToken = ""
    public var names: [String] = []
    public var withMembers = false

    public init() {}

    public static let schema = Schema(
        "relation.v1.GetFriendGroupsRequest", GetFriendGroupsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "names", &names)
        visitor.field(6, "with_members", &withMembers)
    }
}

/// The response of GetFriendGroups.
public struct GetFriendGroupsResponse: Message {
    public var results: [GetFriendGroupResult] = []
    public var totalSize: Int32 = 0
    public var sequence: Int64 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.GetFriendGroupsResponse", GetFriendGroupsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
        visitor.field(2, "total_size", &totalSize)
        visitor.field(3, "sequence", &sequence)
    }
}

/// The answer for one group of GetFriendGroups.
public struct GetFriendGroupResult: Message {
    public var name = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    public var group: FriendGroup?
    public var userIDs: [String] = []
    public var nextPageToken = ""

    public init() {}

    public static let schema = Schema("relation.v1.GetFriendGroupResult", GetFriendGroupResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "group", &group)
        visitor.field(6, "user_ids", &userIDs)
        visitor.field(7, "next_page_token", &nextPageToken)
    }
}
