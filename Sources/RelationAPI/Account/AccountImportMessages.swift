public import Protobuf

// The messages of proto/relation/v1/account.proto, where every field is explained.

/// One account to make.
public struct AccountRow: Message {
    /// The user.
    ///
    /// TIM's UserID.
    public var userID = ""
    /// The nick of the first profile; empty means none.
    ///
    /// At most 500 bytes. TIM's Nick.
    public var nick = ""
    /// The face URL of the first profile; empty means none.
    ///
    /// At most 500 bytes. TIM's FaceUrl.
    public var faceURL = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", nick: String = "", faceURL: String = "") {
        self.userID = userID
        self.nick = nick
        self.faceURL = faceURL
    }
}

extension AccountRow: CodedMessage {
    @usableFromInline package static let schema = Schema("relation.v1.AccountRow", AccountRow.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "nick", &nick)
        visitor.field(3, "face_url", &faceURL)
    }
}

/// A message of ImportAccounts to the server.
public struct ImportAccountsRequest: Message {
    /// How the write is carried out.
    ///
    /// Only the first message has it; in later ones it is INVALID_ARGUMENT. Only `device_id` may be
    /// set, because an import is many writes.
    public var options: WriteOptions?
    /// The next row.
    ///
    /// Only the first message may lack a row; it then has no row number.
    public var row: AccountRow?
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
        options: WriteOptions? = nil, row: AccountRow? = nil, importID: String = "",
        firstRow: Int64 = 0
    ) {
        self.options = options
        self.row = row
        self.importID = importID
        self.firstRow = firstRow
    }
}

extension ImportAccountsRequest: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ImportAccountsRequest", ImportAccountsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "row", &row)
        visitor.field(4, "import_id", &importID)
        visitor.field(5, "first_row", &firstRow)
    }
}

/// A message of ImportAccounts to the client.
public struct ImportAccountsResponse: Message {
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

extension ImportAccountsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ImportAccountsResponse", ImportAccountsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.oneof("answer", &answer)
    }
}
