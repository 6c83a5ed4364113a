public import Protobuf

// The messages about members in proto/relation/v1/group.proto, where every
// field is explained.

/// The request of AddFriendsToGroup.
public struct AddFriendsToGroupRequest: WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    /// The group: 1 to 256 bytes.
    public var name = ""
    /// The friends to put into it: 1 to 1000.
    public var userIDs: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.AddFriendsToGroupRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "user_ids", &userIDs)
    }
}

/// The response of AddFriendsToGroup.
public struct AddFriendsToGroupResponse: ItemsResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [FriendResult] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.AddFriendsToGroupResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of RemoveFriendsFromGroup.
public struct RemoveFriendsFromGroupRequest: WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    /// The group: 1 to 256 bytes.
    public var name = ""
    /// The friends to take out of it: 1 to 1000.
    public var userIDs: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RemoveFriendsFromGroupRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "user_ids", &userIDs)
    }
}

/// The response of RemoveFriendsFromGroup.
public struct RemoveFriendsFromGroupResponse: ItemsResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var results: [FriendResult] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RemoveFriendsFromGroupResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}
