public import Protobuf

// The messages about members in proto/relation/v1/group.proto, where every
// field is explained.

/// The request of AddFriendsToGroup.
public struct AddFriendsToGroupRequest: Message {
    /// The acting user.
    public var userID = ""
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The group: 1 to 256 bytes.
    ///
    /// This is more than some apps allow for new names.
    public var name = ""
    /// The friends to put into it: 1 to 1000.
    public var userIDs: [String] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: WriteOptions? = nil, name: String = "", userIDs: [String] = []
    ) {
        self.userID = userID
        self.options = options
        self.name = name
        self.userIDs = userIDs
    }
}

extension AddFriendsToGroupRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.AddFriendsToGroupRequest", AddFriendsToGroupRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "user_ids", &userIDs)
    }
}

/// The response of AddFriendsToGroup.
public struct AddFriendsToGroupResponse: Message {
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

extension AddFriendsToGroupResponse: ItemsResponse, WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.AddFriendsToGroupResponse", AddFriendsToGroupResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of RemoveFriendsFromGroup.
public struct RemoveFriendsFromGroupRequest: Message {
    /// The acting user.
    public var userID = ""
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The group: 1 to 256 bytes.
    ///
    /// This is more than some apps allow for new names.
    public var name = ""
    /// The friends to take out of it: 1 to 1000.
    public var userIDs: [String] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: WriteOptions? = nil, name: String = "", userIDs: [String] = []
    ) {
        self.userID = userID
        self.options = options
        self.name = name
        self.userIDs = userIDs
    }
}

extension RemoveFriendsFromGroupRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.RemoveFriendsFromGroupRequest", RemoveFriendsFromGroupRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "user_ids", &userIDs)
    }
}

/// The response of RemoveFriendsFromGroup.
public struct RemoveFriendsFromGroupResponse: Message {
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

extension RemoveFriendsFromGroupResponse: ItemsResponse, WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.RemoveFriendsFromGroupResponse", RemoveFriendsFromGroupResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}
