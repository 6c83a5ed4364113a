public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/maintenance.proto, where every field is explained.

/// One friendship to write.
public struct FriendRow: CodedMessage {
    /// The owner of the row.
    public var userID = ""
    /// The friend.
    public var friendUserID = ""
    /// Whether the friend gets the owner as a friend too.
    public var bothWays = false
    /// When the friendship began.
    public var addTimeMs: Int64?
    /// The owner's remark.
    public var remark: String?
    /// When the remark was set.
    public var remarkTimeMs: Int64?
    /// The owner's groups that the friend is in; they replace all those before.
    public var groups: StringList?
    /// How the friendship came about: `AddSource_Type_` and 1 to 8 letters.
    public var source: String?
    /// The text that came with the addition of the friend.
    public var wording: String?
    /// Values of custom fields of the owner's row, each key at most once.
    public var custom: [CustomValue] = []
    /// Whether the friend is among the owner's favourites.
    public var starred: Bool?
    /// The position of the friend if the owner pinned it: 1 or more; 0 takes it down.
    public var pinOrder: Int32?
    /// Up to when the owner has muted the friend; 0 ends a mute.
    public var muteUntilMs: Int64?
    /// Whether the owner ignores the friend.
    public var ignored: Bool?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FriendRow", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "friend_user_id", &friendUserID)
        visitor.field(3, "both_ways", &bothWays)
        visitor.field(4, "add_time_ms", &addTimeMs)
        visitor.field(5, "remark", &remark)
        visitor.field(6, "remark_time_ms", &remarkTimeMs)
        visitor.field(7, "groups", &groups)
        visitor.field(8, "source", &source)
        visitor.field(9, "wording", &wording)
        visitor.field(10, "custom", &custom)
        visitor.field(11, "starred", &starred)
        visitor.field(12, "pin_order", &pinOrder)
        visitor.field(13, "mute_until_ms", &muteUntilMs)
        visitor.field(14, "ignored", &ignored)
    }
}

/// A message of ImportFriends to the server.
public typealias ImportFriendsRequest = ImportRequest<FriendRow>

/// A message of ImportFriends to the client.
public typealias ImportFriendsResponse = ImportResponse<FriendRow, ImportRowResult>

extension FriendRow: ImportedRow {
    @usableFromInline package static let requestSchema = Schema(
        "relation.v1.ImportFriendsRequest", ImportFriendsRequest.self)
    @usableFromInline package static let responseSchema = Schema(
        "relation.v1.ImportFriendsResponse", ImportFriendsResponse.self)
}
