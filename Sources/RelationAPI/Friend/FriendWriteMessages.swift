public import Protobuf
public import RelationModel

// The messages that write in proto/relation/v1/friend.proto, where every
// field is explained.

/// One user to add.
public struct AddFriend: CodedMessage {
    /// The user to add.
    public var userID = ""
    /// The caller's remark on the friend.
    public var remark = ""
    /// The text for the other side.
    public var wording = ""
    /// How the caller came to the user: `AddSource_Type_` and 1 to 8 letters.
    public var source = ""
    /// A friend group of the caller for the friend; it is made if it is missing.
    public var group = ""
    /// Custom values for the caller's row, each key at most once.
    public var custom: [CustomValue] = []
    /// More friend groups for the friend, as `group` (ours).
    public var groups: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.AddFriend", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "remark", &remark)
        visitor.field(3, "wording", &wording)
        visitor.field(4, "source", &source)
        visitor.field(5, "group", &group)
        visitor.field(6, "custom", &custom)
        visitor.field(7, "groups", &groups)
    }
}

/// The request of AddFriends.
public struct AddFriendsRequest: WriteRequest, ItemsRequest {
    public var userID = ""
    public var options: WriteOptions?
    /// The users to add: 1 to 100.
    public var items: [AddFriend] = []
    /// Which rows to make.
    public var addType = AddType.unspecified
    /// Treats every other user as one that lets everyone add it, and skips no other check (ours).
    public var force = false

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.AddFriendsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.AddFriendsResponse", AddFriendsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
        visitor.field(4, "add_type", &addType)
        visitor.field(5, "force", &force)
    }
}

/// The response of AddFriends.
public typealias AddFriendsResponse = ItemsAnswer<AddFriendsRequest, FriendResult>

/// The request of DeleteFriends.
public struct DeleteFriendsRequest: WriteRequest, ItemsRequest {
    public var userID = ""
    public var options: WriteOptions?
    /// The users to delete: 1 to 1000.
    public var userIDs: [String] = []
    /// Which rows to remove.
    public var deleteType = DeleteType.unspecified

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteFriendsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.DeleteFriendsResponse", DeleteFriendsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "delete_type", &deleteType)
    }
}

/// The response of DeleteFriends.
public typealias DeleteFriendsResponse = ItemsAnswer<DeleteFriendsRequest, FriendResult>

/// The request of DeleteAllFriends.
public struct DeleteAllFriendsRequest: WriteRequest {
    /// The acting user, whose list is emptied.
    public var userID = ""
    public var options: WriteOptions?
    /// The rows to remove.
    public var deleteType = DeleteType.unspecified

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteAllFriendsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "delete_type", &deleteType)
    }
}

/// The response of DeleteAllFriends, whose `applied` says whether at least one row was removed.
public struct DeleteAllFriendsResponse: WriteResponse {
    public var write = WriteOutcome()
    /// How many rows were removed from the caller's list.
    public var removedRows: Int64 = 0
    /// How many rows were removed from the lists of others.
    public var removedReverseRows: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DeleteAllFriendsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "removed_rows", &removedRows)
        visitor.field(5, "removed_reverse_rows", &removedReverseRows)
        write.visitLast(&visitor)
    }
}

/// The new values of one friend.
public struct FriendUpdate: CodedMessage {
    /// The friend to change.
    public var userID = ""
    /// The fields to set, out of `remark`, `groups`, `custom`, `starred`, `pin_order`,
    /// `mute_until_ms` and `ignored`; none means all that are set.
    public var updateMask: FieldMask?
    /// The new remark; empty removes it.
    public var remark = ""
    /// The groups that the friend is in from now on; they replace all those before.
    public var groups: [String] = []
    /// New values of custom fields, each key at most once.
    public var custom: [CustomValue] = []
    /// The new values under TIM's names: Tag_SNS_IM_Remark with `text`, Tag_SNS_IM_Group with
    /// `texts`, and Tag_SNS_Custom_X with `text`, `data` or `number`, as the type of the field
    /// requires.
    public var tags: [TagValue] = []
    /// The `sequence` that the friend's row must have, as a list or an event named it.
    public var expectedSequence: Int64?
    /// The new `starred` of the row.
    public var starred = false
    /// The new `pin_order` of the row: 1 or more pins the friend, 0 takes it down.
    public var pinOrder: Int32 = 0
    /// The new `mute_until_ms` of the row; 0 ends a mute.
    public var muteUntilMs: Int64 = 0
    /// The new `ignored` of the row.
    public var ignored = false

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FriendUpdate", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "update_mask", &updateMask)
        visitor.field(3, "remark", &remark)
        visitor.field(4, "groups", &groups)
        visitor.field(5, "custom", &custom)
        visitor.field(6, "tags", &tags)
        visitor.field(7, "expected_sequence", &expectedSequence)
        visitor.field(8, "starred", &starred)
        visitor.field(9, "pin_order", &pinOrder)
        visitor.field(10, "mute_until_ms", &muteUntilMs)
        visitor.field(11, "ignored", &ignored)
    }
}

/// The request of UpdateFriends.
public struct UpdateFriendsRequest: WriteRequest, ItemsRequest {
    public var userID = ""
    public var options: WriteOptions?
    /// The changes: 1 to 100.
    public var items: [FriendUpdate] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.UpdateFriendsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.UpdateFriendsResponse", UpdateFriendsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
    }
}

/// The response of UpdateFriends.
public typealias UpdateFriendsResponse = ItemsAnswer<UpdateFriendsRequest, FriendResult>
