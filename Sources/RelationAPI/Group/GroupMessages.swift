public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/group.proto, where every field is explained.

/// A friend group of a user, without its members.
public struct FriendGroup: CodedMessage {
    /// The group's name.
    public var name = ""
    /// How many friends are in the group.
    public var memberCount: Int32 = 0
    /// When the group was made.
    public var createTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FriendGroup", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "member_count", &memberCount)
        visitor.field(3, "create_time_ms", &createTimeMs)
    }
}

/// The outcome for one group of a call that names several.
public struct FriendGroupResult: ResultMessage {
    /// The name, as the request has it; at most the first 256 bytes of a malformed one.
    public var name = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// Whether the item changed at least one row.
    public var changed = false

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FriendGroupResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
    }
}

/// The request of CreateFriendGroups.
public struct CreateFriendGroupsRequest: WriteRequest, ItemsRequest {
    public var userID = ""
    public var options: WriteOptions?
    /// The names of the new groups: 1 to 100.
    public var names: [String] = []
    /// Friends to put into every one of the groups: at most 1000.
    public var userIDs: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateFriendGroupsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.CreateFriendGroupsResponse", CreateFriendGroupsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "names", &names)
        visitor.field(4, "user_ids", &userIDs)
    }
}

/// The response of CreateFriendGroups.
public typealias CreateFriendGroupsResponse = ItemsAnswer<
    CreateFriendGroupsRequest, CreateFriendGroupResult
>

/// The outcome for one new group, and for each of its members.
public struct CreateFriendGroupResult: ResultMessage {
    /// The name, as the request has it; at most the first 256 bytes of a malformed one.
    public var name = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// Whether the group was made.
    public var changed = false
    /// If the group was made, one outcome for each id of the request, in its order.
    public var members: [FriendResult] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateFriendGroupResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
        visitor.field(6, "members", &members)
    }
}

/// The request of DeleteFriendGroups.
public struct DeleteFriendGroupsRequest: WriteRequest, ItemsRequest {
    public var userID = ""
    public var options: WriteOptions?
    /// The groups to delete: 1 to 100.
    public var names: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteFriendGroupsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.DeleteFriendGroupsResponse", DeleteFriendGroupsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "names", &names)
    }
}

/// The response of DeleteFriendGroups.
public typealias DeleteFriendGroupsResponse = ItemsAnswer<
    DeleteFriendGroupsRequest, FriendGroupResult
>

/// The request of RenameFriendGroup.
public struct RenameFriendGroupRequest: WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    /// The group's present name.
    public var name = ""
    /// The group's new name.
    public var newName = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RenameFriendGroupRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "new_name", &newName)
    }
}

/// The response of RenameFriendGroup, whose `applied` says whether the group has got its new name.
public struct RenameFriendGroupResponse: WriteResponse {
    public var write = WriteOutcome()
    /// The outcome; its name is the old name.
    public var result: FriendGroupResult?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RenameFriendGroupResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "result", &result)
        write.visitLast(&visitor)
    }
}

/// The request of GetFriendGroups.
public struct GetFriendGroupsRequest: UserReadRequest, SizedReadRequest, JoiningRequest {
    /// The acting user, whose groups are read.
    public var userID = ""
    public var options: ReadOptions?
    /// The most members to answer for each group: more than 1000 means 1000.
    public var pageSize: Int32 = 0
    /// The `next_page_token` of a group, to read its further members; empty for the first of them.
    public var pageToken = ""
    /// The groups to read: at most 100; empty means all.
    public var names: [String] = []
    /// Whether to answer the members of the groups too.
    public var withMembers = false
    /// Whether to answer, for each member, the fields of its profile that GetProfiles answers to
    /// the caller.
    public var withProfiles = false
    /// The fields of Profile to answer; empty means all.
    public var profileMask: FieldMask?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetFriendGroupsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "names", &names)
        visitor.field(6, "with_members", &withMembers)
        visitor.field(7, "with_profiles", &withProfiles)
        visitor.field(8, "profile_mask", &profileMask)
    }

    package var readSize: ReadSize { .scan }
}

/// The response of GetFriendGroups.
public struct GetFriendGroupsResponse: CodedMessage {
    /// One result for each name of the request, in its order.
    public var results: [GetFriendGroupResult] = []
    /// How many groups the user has.
    public var totalSize: Int32 = 0
    /// The user's sequence when its groups last changed: a group was made, deleted or renamed, or a
    /// friend came into a group or left it.
    public var sequence: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetFriendGroupsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
        visitor.field(2, "total_size", &totalSize)
        visitor.field(3, "sequence", &sequence)
    }
}

/// The answer for one group of GetFriendGroups.
public struct GetFriendGroupResult: ResultMessage {
    /// The name, as the request has it; at most the first 256 bytes of a malformed one.
    public var name = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// The group; absent unless `code` is 0.
    public var group: FriendGroup?
    /// The members, if the request asks for them, in the order of the bytes of their ids.
    public var userIDs: [String] = []
    /// The token that reads the members after these; empty if there are none.
    public var nextPageToken = ""
    /// One profile for each of `user_ids`, in their order.
    public var profiles: [Profile] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetFriendGroupResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "group", &group)
        visitor.field(6, "user_ids", &userIDs)
        visitor.field(7, "next_page_token", &nextPageToken)
        visitor.field(8, "profiles", &profiles)
    }
}
