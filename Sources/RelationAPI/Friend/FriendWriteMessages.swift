public import Protobuf
public import RelationModel

// The messages that write in proto/relation/v1/friend.proto, where every
// field is explained.

/// One user to add.
public struct AddFriend: Message {
    /// The user to add.
    public var userID = ""
    /// The caller's remark on the friend.
    ///
    /// At most 96 bytes; empty means none. If an application is made, the remark waits with it, and
    /// is used when the application is accepted.
    public var remark = ""
    /// The text for the other side.
    ///
    /// At most 120 bytes; empty means none. TIM's `addWording`.
    public var wording = ""
    /// How the caller came to the user: `AddSource_Type_` and 1 to 8 letters.
    ///
    /// The letters alone are accepted too, and get the prefix; empty means none. TIM's `addSource`.
    public var source = ""
    /// A friend group of the caller for the friend; it is made if it is missing.
    ///
    /// At most 30 bytes; empty means none. If an application is made, the group waits with it. If
    /// the limit of groups is reached when the application is accepted, the row is made without the
    /// group.
    public var group = ""
    /// Custom values for the caller's row, each key at most once.
    ///
    /// If an application is made, they wait with it (ours). TIM's CustomItem.
    public var custom: [CustomValue] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", remark: String = "", wording: String = "", source: String = "",
        group: String = "", custom: [CustomValue] = []
    ) {
        self.userID = userID
        self.remark = remark
        self.wording = wording
        self.source = source
        self.group = group
        self.custom = custom
    }
}

extension AddFriend: CodedMessage {
    @usableFromInline package static let schema = Schema("relation.v1.AddFriend", AddFriend.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "remark", &remark)
        visitor.field(3, "wording", &wording)
        visitor.field(4, "source", &source)
        visitor.field(5, "group", &group)
        visitor.field(6, "custom", &custom)
    }
}

/// The request of AddFriends.
public struct AddFriendsRequest: Message {
    /// The acting user.
    ///
    /// TIM's From_Account.
    public var userID = ""
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The users to add: 1 to 100.
    ///
    /// If the same user comes twice with the same content, it is added once and answered twice.
    /// With other content the later items are 30001 REASON_SNS_FRIEND_ADD_DUPLICATE.
    public var items: [AddFriend] = []
    /// Which rows to make.
    public var addType = AddType.unspecified
    /// Treats every other user as one that lets everyone add it, and skips no other check (ours).
    ///
    /// Needs the scope `admin`. TIM's ForceAddFlags.
    public var force = false

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: WriteOptions? = nil, items: [AddFriend] = [],
        addType: AddType = .unspecified, force: Bool = false
    ) {
        self.userID = userID
        self.options = options
        self.items = items
        self.addType = addType
        self.force = force
    }
}

extension AddFriendsRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.AddFriendsRequest", AddFriendsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
        visitor.field(4, "add_type", &addType)
        visitor.field(5, "force", &force)
    }
}

/// The response of AddFriends.
public struct AddFriendsResponse: Message {
    /// The acting user's sequence after the write.
    ///
    /// In a dry run, and if nothing changed, its sequence before the write.
    public var sequence: Int64 = 0
    /// Whether at least one row changed; `changed` of the results tells which items did it.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// One outcome for each item of the request, in its order.
    public var results: [FriendResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        results: [FriendResult] = []
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.results = results
    }
}

extension AddFriendsResponse: ItemsResponse, WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.AddFriendsResponse", AddFriendsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of DeleteFriends.
public struct DeleteFriendsRequest: Message {
    /// The acting user.
    ///
    /// TIM's From_Account.
    public var userID = ""
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The users to delete: 1 to 1000.
    ///
    /// TIM's To_Account.
    public var userIDs: [String] = []
    /// Which rows to remove.
    public var deleteType = DeleteType.unspecified

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: WriteOptions? = nil, userIDs: [String] = [],
        deleteType: DeleteType = .unspecified
    ) {
        self.userID = userID
        self.options = options
        self.userIDs = userIDs
        self.deleteType = deleteType
    }
}

extension DeleteFriendsRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteFriendsRequest", DeleteFriendsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "delete_type", &deleteType)
    }
}

/// The response of DeleteFriends.
public struct DeleteFriendsResponse: Message {
    /// The acting user's sequence after the write.
    ///
    /// In a dry run, and if nothing changed, its sequence before the write.
    public var sequence: Int64 = 0
    /// Whether at least one row changed; `changed` of the results tells which items did it.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// One outcome for each id of the request, in its order.
    public var results: [FriendResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        results: [FriendResult] = []
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.results = results
    }
}

extension DeleteFriendsResponse: ItemsResponse, WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteFriendsResponse", DeleteFriendsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of DeleteAllFriends.
public struct DeleteAllFriendsRequest: Message {
    /// The acting user, whose list is emptied.
    ///
    /// TIM's From_Account.
    public var userID = ""
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The rows to remove.
    ///
    /// BOTH also removes the reverse row of each of the caller's rows. A user that has the caller
    /// as a friend without being the caller's friend keeps its row.
    public var deleteType = DeleteType.unspecified

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: WriteOptions? = nil, deleteType: DeleteType = .unspecified
    ) {
        self.userID = userID
        self.options = options
        self.deleteType = deleteType
    }
}

extension DeleteAllFriendsRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteAllFriendsRequest", DeleteAllFriendsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "delete_type", &deleteType)
    }
}

/// The response of DeleteAllFriends.
public struct DeleteAllFriendsResponse: Message {
    /// The acting user's sequence after the write.
    ///
    /// In a dry run, and if nothing changed, its sequence before the write.
    public var sequence: Int64 = 0
    /// Whether at least one row was removed.
    ///
    /// False in a dry run, and if the list was empty already.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// How many rows were removed from the caller's list.
    public var removedRows: Int64 = 0
    /// How many rows were removed from the lists of others.
    public var removedReverseRows: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false, removedRows: Int64 = 0,
        removedReverseRows: Int64 = 0
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.removedRows = removedRows
        self.removedReverseRows = removedReverseRows
    }
}

extension DeleteAllFriendsResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteAllFriendsResponse", DeleteAllFriendsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "removed_rows", &removedRows)
        visitor.field(5, "removed_reverse_rows", &removedReverseRows)
    }
}

/// The new values of one friend.
public struct FriendUpdate: Message {
    /// The friend to change.
    public var userID = ""
    /// The fields to set, out of `remark`, `groups` and `custom`; none means all that are set.
    ///
    /// Without a mask, remark and groups cannot be emptied, because an empty value is not set.
    /// Another path is INVALID_ARGUMENT.
    public var updateMask: FieldMask?
    /// The new remark; empty removes it.
    ///
    /// At most 96 bytes.
    public var remark = ""
    /// The groups that the friend is in from now on; they replace all those before.
    ///
    /// Groups that are missing are made. At most as many as the app's `limits.groups`, more are
    /// 30011; each has 1 to 30 bytes and is named once. All items of a call have at most 10,000
    /// together.
    public var groups: [String] = []
    /// New values of custom fields, each key at most once.
    ///
    /// An empty `data` removes a value, and keys that are not named here keep their values.
    public var custom: [CustomValue] = []
    /// The new values under TIM's names: Tag_SNS_IM_Remark with `text`, Tag_SNS_IM_Group with
    /// `texts`, and Tag_SNS_Custom_X with `text`, `data` or `number`, as the type of the field
    /// requires.
    ///
    /// An empty text or empty `data` removes the value (ours). At most 64, no tag twice. TIM's
    /// SnsItem.
    public var tags: [TagValue] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", updateMask: FieldMask? = nil, remark: String = "",
        groups: [String] = [], custom: [CustomValue] = [], tags: [TagValue] = []
    ) {
        self.userID = userID
        self.updateMask = updateMask
        self.remark = remark
        self.groups = groups
        self.custom = custom
        self.tags = tags
    }
}

extension FriendUpdate: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.FriendUpdate", FriendUpdate.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "update_mask", &updateMask)
        visitor.field(3, "remark", &remark)
        visitor.field(4, "groups", &groups)
        visitor.field(5, "custom", &custom)
        visitor.field(6, "tags", &tags)
    }
}

/// The request of UpdateFriends.
public struct UpdateFriendsRequest: Message {
    /// The acting user.
    ///
    /// TIM's From_Account.
    public var userID = ""
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The changes: 1 to 100.
    ///
    /// If the same user comes twice with the same content, it is changed once and answered twice.
    /// With other content the later items are 30001 REASON_SNS_FRIEND_UPDATE_DUPLICATE (ours).
    /// TIM's UpdateItem.
    public var items: [FriendUpdate] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", options: WriteOptions? = nil, items: [FriendUpdate] = []) {
        self.userID = userID
        self.options = options
        self.items = items
    }
}

extension UpdateFriendsRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.UpdateFriendsRequest", UpdateFriendsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
    }
}

/// The response of UpdateFriends.
public struct UpdateFriendsResponse: Message {
    /// The acting user's sequence after the write.
    ///
    /// In a dry run, and if nothing changed, its sequence before the write.
    public var sequence: Int64 = 0
    /// Whether at least one row changed; `changed` of the results tells which items did it.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// One outcome for each item of the request, in its order.
    public var results: [FriendResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        results: [FriendResult] = []
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.results = results
    }
}

extension UpdateFriendsResponse: ItemsResponse, WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.UpdateFriendsResponse", UpdateFriendsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}
