public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/group.proto, where every field is explained.

/// A friend group of a user, without its members.
public struct FriendGroup: Message {
    /// The group's name.
    ///
    /// TIM's `name`.
    public var name = ""
    /// How many friends are in the group.
    ///
    /// TIM's `userCnt`.
    public var memberCount: Int32 = 0
    /// When the group was made.
    public var createTimeMs: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(name: String = "", memberCount: Int32 = 0, createTimeMs: Int64 = 0) {
        self.name = name
        self.memberCount = memberCount
        self.createTimeMs = createTimeMs
    }
}

extension FriendGroup: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.FriendGroup", FriendGroup.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "member_count", &memberCount)
        visitor.field(3, "create_time_ms", &createTimeMs)
    }
}

/// The outcome for one group of a call that names several.
public struct FriendGroupResult: Message {
    /// The name, as the request has it; at most the first 256 bytes of a malformed one.
    public var name = ""
    /// The outcome, always set.
    public var code: FriendStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    public var info = ""
    /// Whether the item changed at least one row.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back.
    public var changed = false

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        name: String = "", code: FriendStatus? = nil, reason: Reason = .none, info: String = "",
        changed: Bool = false
    ) {
        self.name = name
        self.code = code
        self.reason = reason
        self.info = info
        self.changed = changed
    }
}

extension FriendGroupResult: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.FriendGroupResult", FriendGroupResult.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
    }
}

/// The request of CreateFriendGroups.
public struct CreateFriendGroupsRequest: Message {
    /// The acting user.
    ///
    /// TIM's From_Account.
    public var userID = ""
    /// How the write is carried out.
    ///
    /// With `all_or_nothing` a group fails if its own outcome or that of one of its members does.
    public var options: WriteOptions?
    /// The names of the new groups: 1 to 100.
    ///
    /// TIM's GroupName.
    public var names: [String] = []
    /// Friends to put into every one of the groups: at most 1000.
    ///
    /// The number of friends times the number of names is at most 10,000. TIM's To_Account.
    public var userIDs: [String] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: WriteOptions? = nil, names: [String] = [],
        userIDs: [String] = []
    ) {
        self.userID = userID
        self.options = options
        self.names = names
        self.userIDs = userIDs
    }
}

extension CreateFriendGroupsRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateFriendGroupsRequest", CreateFriendGroupsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "names", &names)
        visitor.field(4, "user_ids", &userIDs)
    }
}

/// The response of CreateFriendGroups.
public struct CreateFriendGroupsResponse: Message {
    /// The acting user's sequence after the write.
    ///
    /// In a dry run, and if nothing changed, its sequence before the write. TIM's CurrentSequence.
    public var sequence: Int64 = 0
    /// Whether at least one row changed; `changed` of the results tells which items did it.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// One outcome for each name of the request, in its order.
    public var results: [CreateFriendGroupResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        results: [CreateFriendGroupResult] = []
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.results = results
    }
}

extension CreateFriendGroupsResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateFriendGroupsResponse", CreateFriendGroupsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The outcome for one new group, and for each of its members.
public struct CreateFriendGroupResult: Message {
    /// The name, as the request has it; at most the first 256 bytes of a malformed one.
    public var name = ""
    /// The outcome, always set.
    public var code: FriendStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    public var info = ""
    /// Whether the group was made.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back.
    public var changed = false
    /// If the group was made, one outcome for each id of the request, in its order.
    ///
    /// TIM's ResultItem.
    public var members: [FriendResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        name: String = "", code: FriendStatus? = nil, reason: Reason = .none, info: String = "",
        changed: Bool = false, members: [FriendResult] = []
    ) {
        self.name = name
        self.code = code
        self.reason = reason
        self.info = info
        self.changed = changed
        self.members = members
    }
}

extension CreateFriendGroupResult: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateFriendGroupResult", CreateFriendGroupResult.self)

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
public struct DeleteFriendGroupsRequest: Message {
    /// The acting user.
    ///
    /// TIM's From_Account.
    public var userID = ""
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The groups to delete: 1 to 100.
    ///
    /// TIM's GroupName.
    public var names: [String] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", options: WriteOptions? = nil, names: [String] = []) {
        self.userID = userID
        self.options = options
        self.names = names
    }
}

extension DeleteFriendGroupsRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteFriendGroupsRequest", DeleteFriendGroupsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "names", &names)
    }
}

/// The response of DeleteFriendGroups.
public struct DeleteFriendGroupsResponse: Message {
    /// The acting user's sequence after the write.
    ///
    /// In a dry run, and if nothing changed, its sequence before the write. TIM's CurrentSequence.
    public var sequence: Int64 = 0
    /// Whether at least one row changed; `changed` of the results tells which items did it.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// One outcome for each name of the request, in its order.
    public var results: [FriendGroupResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        results: [FriendGroupResult] = []
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.results = results
    }
}

extension DeleteFriendGroupsResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteFriendGroupsResponse", DeleteFriendGroupsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of RenameFriendGroup.
public struct RenameFriendGroupRequest: Message {
    /// The acting user.
    public var userID = ""
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The group's present name.
    ///
    /// TIM's `oldName`.
    public var name = ""
    /// The group's new name.
    ///
    /// TIM's `newName`.
    public var newName = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: WriteOptions? = nil, name: String = "", newName: String = ""
    ) {
        self.userID = userID
        self.options = options
        self.name = name
        self.newName = newName
    }
}

extension RenameFriendGroupRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.RenameFriendGroupRequest", RenameFriendGroupRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "new_name", &newName)
    }
}

/// The response of RenameFriendGroup.
public struct RenameFriendGroupResponse: Message {
    /// The acting user's sequence after the write.
    ///
    /// In a dry run, and if nothing changed, its sequence before the write.
    public var sequence: Int64 = 0
    /// Whether the group has got its new name; the same as `changed` of the result.
    ///
    /// False in a dry run.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// The outcome; its name is the old name.
    public var result: FriendGroupResult?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        result: FriendGroupResult? = nil
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.result = result
    }
}

extension RenameFriendGroupResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.RenameFriendGroupResponse", RenameFriendGroupResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "result", &result)
    }
}

/// The request of GetFriendGroups.
public struct GetFriendGroupsRequest: Message {
    /// The acting user, whose groups are read.
    ///
    /// TIM's From_Account.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The most members to answer for each group: more than 1000 means 1000.
    ///
    /// 0 means as many as fit while the whole answer stays below 1 MiB; this bound always holds.
    ///
    /// Each group that is not empty answers at least one member.
    public var pageSize: Int32 = 0
    /// The `next_page_token` of a group, to read its further members; empty for the first of them.
    ///
    /// `names` then holds that group alone, and `with_members` is set. A token of another group is
    /// INVALID_ARGUMENT.
    public var pageToken = ""
    /// The groups to read: at most 100; empty means all.
    ///
    /// TIM's GroupName.
    public var names: [String] = []
    /// Whether to answer the members of the groups too.
    ///
    /// TIM's NeedFriend.
    public var withMembers = false

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: ReadOptions? = nil, pageSize: Int32 = 0,
        pageToken: String = "", names: [String] = [], withMembers: Bool = false
    ) {
        self.userID = userID
        self.options = options
        self.pageSize = pageSize
        self.pageToken = pageToken
        self.names = names
        self.withMembers = withMembers
    }
}

extension GetFriendGroupsRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetFriendGroupsRequest", GetFriendGroupsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
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
    /// One result for each name of the request, in its order.
    ///
    /// If the request names none, one result for each group, in the order in which they were made.
    /// TIM's ResultItem.
    public var results: [GetFriendGroupResult] = []
    /// How many groups the user has.
    public var totalSize: Int32 = 0
    /// The user's sequence when its groups last changed: a group was made, deleted or renamed, or a
    /// friend came into a group or left it.
    ///
    /// TIM's CurrentSequence.
    public var sequence: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(results: [GetFriendGroupResult] = [], totalSize: Int32 = 0, sequence: Int64 = 0) {
        self.results = results
        self.totalSize = totalSize
        self.sequence = sequence
    }
}

extension GetFriendGroupsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetFriendGroupsResponse", GetFriendGroupsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
        visitor.field(2, "total_size", &totalSize)
        visitor.field(3, "sequence", &sequence)
    }
}

/// The answer for one group of GetFriendGroups.
public struct GetFriendGroupResult: Message {
    /// The name, as the request has it; at most the first 256 bytes of a malformed one.
    public var name = ""
    /// The outcome, always set.
    public var code: FriendStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    public var info = ""
    /// The group; absent unless `code` is 0.
    public var group: FriendGroup?
    /// The members, if the request asks for them, in the order of the bytes of their ids.
    ///
    /// TIM's `friends`.
    public var userIDs: [String] = []
    /// The token that reads the members after these; empty if there are none.
    public var nextPageToken = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        name: String = "", code: FriendStatus? = nil, reason: Reason = .none, info: String = "",
        group: FriendGroup? = nil, userIDs: [String] = [], nextPageToken: String = ""
    ) {
        self.name = name
        self.code = code
        self.reason = reason
        self.info = info
        self.group = group
        self.userIDs = userIDs
        self.nextPageToken = nextPageToken
    }
}

extension GetFriendGroupResult: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetFriendGroupResult", GetFriendGroupResult.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "group", &group)
        visitor.field(6, "user_ids", &userIDs)
        visitor.field(7, "next_page_token", &nextPageToken)
    }
}
