public import Protobuf

// The messages about members in proto/relation/v1/group.proto, where every
// field is explained.

/// The request of AddFriendsToGroup.
public struct AddFriendsToGroupRequest: WriteRequest, ItemsRequest {
    public var userID = ""
    public var options: WriteOptions?
    /// The group: 1 to 256 bytes.
    public var name = ""
    /// The friends to put into it: 1 to 1000.
    public var userIDs: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.AddFriendsToGroupRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.AddFriendsToGroupResponse", AddFriendsToGroupResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "user_ids", &userIDs)
    }
}

/// The response of AddFriendsToGroup.
public typealias AddFriendsToGroupResponse = ItemsAnswer<AddFriendsToGroupRequest, FriendResult>

/// The request of RemoveFriendsFromGroup.
public struct RemoveFriendsFromGroupRequest: WriteRequest, ItemsRequest {
    public var userID = ""
    public var options: WriteOptions?
    /// The group: 1 to 256 bytes.
    public var name = ""
    /// The friends to take out of it: 1 to 1000.
    public var userIDs: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RemoveFriendsFromGroupRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.RemoveFriendsFromGroupResponse", RemoveFriendsFromGroupResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "user_ids", &userIDs)
    }
}

/// The response of RemoveFriendsFromGroup.
public typealias RemoveFriendsFromGroupResponse = ItemsAnswer<
    RemoveFriendsFromGroupRequest, FriendResult
>
