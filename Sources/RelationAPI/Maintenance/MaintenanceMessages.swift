public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/maintenance.proto, where every field is explained.

/// One friendship to write.
public struct FriendRow: Message, Equatable {
    public var userID = ""
    public var friendUserID = ""
    public var bothWays = false
    public var addTimeMs: Int64?
    public var remark: String?
    public var remarkTimeMs: Int64?
    public var groups: StringList?
    public var source: String?
    public var wording: String?
    public var custom: [CustomValue] = []

    public init() {}

    public static let schema = Schema("relation.v1.FriendRow", FriendRow.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
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
    }
}

/// A message of ImportFriends to the server.
public struct ImportFriendsRequest: Message {
    public var options: WriteOptions?
    public var row: FriendRow?
    public var notify = false
    public var importID = ""
    public var firstRow: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.ImportFriendsRequest", ImportFriendsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "row", &row)
        visitor.field(4, "notify", &notify)
        visitor.field(5, "import_id", &importID)
        visitor.field(6, "first_row", &firstRow)
    }
}

/// A message of ImportFriends to the client.
public struct ImportFriendsResponse: Message {
    public var answer: Answer?

    public init() {}

    public static let schema = Schema(
        "relation.v1.ImportFriendsResponse", ImportFriendsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.oneof("answer", &answer)
    }

    /// The row or the progress that the message tells.
    public enum Answer: OneOf {
        case row(ImportRowResult)
        case progress(ImportProgress)

        public static func visit(_ answer: inout Answer?, _ cases: inout some OneOfVisitor) {
            cases.field(
                1, "row", &answer,
                { if case .row(let row) = $0 { row } else { nil } }, Answer.row)
            cases.field(
                2, "progress", &answer,
                { if case .progress(let progress) = $0 { progress } else { nil } }, Answer.progress)
        }
    }
}
