public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/maintenance.proto, where every field is explained.

/// One friendship to write.
public struct FriendRow: Message {
    /// The owner of the row.
    ///
    /// TIM's From_Account.
    public var userID = ""
    /// The friend.
    ///
    /// TIM's To_Account.
    public var friendUserID = ""
    /// Whether the friend gets the owner as a friend too.
    ///
    /// The second row has the same times, source and wording, but no remark, groups or custom
    /// values.
    public var bothWays = false
    /// When the friendship began.
    ///
    /// For a new row, absent means now. TIM's AddTime, in seconds there.
    public var addTimeMs: Int64?
    /// The owner's remark.
    ///
    /// At most 96 bytes; empty removes it. TIM's Remark.
    public var remark: String?
    /// When the remark was set.
    ///
    /// If this row has a remark, absent means now. TIM's RemarkTime, in seconds there.
    public var remarkTimeMs: Int64?
    /// The owner's groups that the friend is in; they replace all those before.
    ///
    /// Groups that are missing are made. At most as many as the app's `limits.groups`; each has 1
    /// to 30 bytes and is named once.
    /// TIM's GroupName.
    public var groups: StringList?
    /// How the friendship came about: `AddSource_Type_` and 1 to 8 letters.
    ///
    /// The letters alone are accepted too, and get the prefix (ours). TIM's AddSource.
    public var source: String?
    /// The text that came with the addition of the friend.
    ///
    /// At most 120 bytes. TIM's AddWording.
    public var wording: String?
    /// Values of custom fields of the owner's row, each key at most once.
    ///
    /// Keys that are not named here keep their values (ours). TIM's CustomItem.
    public var custom: [CustomValue] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", friendUserID: String = "", bothWays: Bool = false,
        addTimeMs: Int64? = nil, remark: String? = nil, remarkTimeMs: Int64? = nil,
        groups: StringList? = nil, source: String? = nil, wording: String? = nil,
        custom: [CustomValue] = []
    ) {
        self.userID = userID
        self.friendUserID = friendUserID
        self.bothWays = bothWays
        self.addTimeMs = addTimeMs
        self.remark = remark
        self.remarkTimeMs = remarkTimeMs
        self.groups = groups
        self.source = source
        self.wording = wording
        self.custom = custom
    }
}

extension FriendRow: CodedMessage {
    @usableFromInline package static let schema = Schema("relation.v1.FriendRow", FriendRow.self)

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
    }
}

/// A message of ImportFriends to the server.
public struct ImportFriendsRequest: Message {
    /// How the write is carried out.
    ///
    /// Only the first message has it; in later ones it is INVALID_ARGUMENT. Only `device_id` may be
    /// set, because an import is many writes.
    public var options: WriteOptions?
    /// The next row.
    ///
    /// Only the first message may lack a row; it then has no row number.
    public var row: FriendRow?
    /// Whether an owner is told of each new friend.
    ///
    /// If not, an owner is told once for many rows that its list changed. Only the first message
    /// has it; in later ones it is INVALID_ARGUMENT.
    public var notify = false
    /// Names the import, so that it can go on after it broke.
    ///
    /// At most 64 bytes; empty means that it cannot go on.
    ///
    /// A known id goes on where the import stood. A progress message tells this place at once. Rows
    /// up to `last_durable_row` that are sent again are skipped, without an answer of their own.
    /// The id is kept for 7 days after the last row. ImportAccounts and ImportFriends do not share
    /// their ids. Only the first message has it; in later ones it is INVALID_ARGUMENT.
    public var importID = ""
    /// The number of the first row that this stream sends; 0 means 1.
    ///
    /// A number above the import's `last_durable_row` + 1 would leave out rows and is
    /// INVALID_ARGUMENT, and so is one above 1 without `import_id`. Only the first message has it;
    /// in later ones it is INVALID_ARGUMENT.
    public var firstRow: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        options: WriteOptions? = nil, row: FriendRow? = nil, notify: Bool = false,
        importID: String = "", firstRow: Int64 = 0
    ) {
        self.options = options
        self.row = row
        self.notify = notify
        self.importID = importID
        self.firstRow = firstRow
    }
}

extension ImportFriendsRequest: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ImportFriendsRequest", ImportFriendsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "row", &row)
        visitor.field(4, "notify", &notify)
        visitor.field(5, "import_id", &importID)
        visitor.field(6, "first_row", &firstRow)
    }
}

/// A message of ImportFriends to the client.
public struct ImportFriendsResponse: Message {
    /// The row or the progress that the message tells.
    ///
    /// A client skips a message without a case that it knows.
    public var answer: Answer?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(answer: Answer? = nil) {
        self.answer = answer
    }

    /// The row or the progress that the message tells.
    public enum Answer: OneOf {
        /// A row that was refused, or has a reason.
        case row(ImportRowResult)
        /// How far the import has come.
        case progress(ImportProgress)

        @usableFromInline package static func visit(
            _ answer: inout Answer?, _ cases: inout some OneOfVisitor
        ) {
            cases.field(
                1, "row", &answer,
                { if case .row(let row) = $0 { row } else { nil } }, Answer.row)
            cases.field(
                2, "progress", &answer,
                { if case .progress(let progress) = $0 { progress } else { nil } }, Answer.progress)
        }
    }
}

extension ImportFriendsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ImportFriendsResponse", ImportFriendsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.oneof("answer", &answer)
    }
}
