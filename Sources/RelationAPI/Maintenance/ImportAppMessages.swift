public import Protobuf
public import RelationModel

// The messages of ImportApp of proto/relation/v1/maintenance.proto, where every field is explained.

/// A message of ImportApp to the server.
public struct ImportAppRequest: Message {
    /// How the write is carried out.
    ///
    /// Only the first message has it; in later ones it is INVALID_ARGUMENT. Only `device_id` and
    /// `dry_run` may be set. With `dry_run` all rows are checked and answered, and nothing is
    /// written. Unique ids that two users have are then not found. A dry run cannot go on, so it
    /// needs no `import_id`.
    public var options: WriteOptions?
    /// The next message of the export.
    ///
    /// Only the first message may lack a row; it then has no row number.
    public var row: ExportAppResponse?
    /// Names the import, so that it can go on after it broke: see ImportFriendsRequest.
    ///
    /// The ids of ImportApp are its own. Only the first message has it; in later ones it is
    /// INVALID_ARGUMENT.
    public var importID = ""
    /// The number of the first row that this stream sends; 0 means 1.
    ///
    /// See ImportFriendsRequest. Only the first message has it; in later ones it is
    /// INVALID_ARGUMENT.
    public var firstRow: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        options: WriteOptions? = nil, row: ExportAppResponse? = nil,
        importID: String = "", firstRow: Int64 = 0
    ) {
        self.options = options
        self.row = row
        self.importID = importID
        self.firstRow = firstRow
    }
}

extension ImportAppRequest: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ImportAppRequest", ImportAppRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "row", &row)
        visitor.field(4, "import_id", &importID)
        visitor.field(5, "first_row", &firstRow)
    }
}

/// The outcome of one row of ImportApp.
///
/// A row without a result was accepted.
public struct ImportAppRowResult: Message {
    /// The row's number: the first row of the export is 1.
    public var rowNumber: Int64 = 0
    /// The user that the row belongs to, as it was sent; empty for a row of the app.
    public var userID = ""
    /// The outcome, always set.
    ///
    /// A refused row changes nothing, and the import goes on with the rows after it.
    public var code: FriendStatus?
    /// The reason of the outcome.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it.
    public var info = ""
    /// The row's kind: the name of its case in ExportAppResponse; empty if it has none that the
    /// server knows.
    public var kind = ""
    /// The path of the field that broke a rule, inside the row.
    public var field = ""
    /// The rule, for people to read.
    ///
    /// For a credential without its secret, the credential.
    public var description = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        rowNumber: Int64 = 0, userID: String = "", code: FriendStatus? = nil,
        reason: Reason = .none, info: String = "", kind: String = "",
        field: String = "", description: String = ""
    ) {
        self.rowNumber = rowNumber
        self.userID = userID
        self.code = code
        self.reason = reason
        self.info = info
        self.kind = kind
        self.field = field
        self.description = description
    }
}

extension ImportAppRowResult: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ImportAppRowResult", ImportAppRowResult.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "row_number", &rowNumber)
        visitor.field(2, "user_id", &userID)
        visitor.field(3, "code", &code)
        visitor.field(4, "reason", &reason)
        visitor.field(5, "info", &info)
        visitor.field(6, "kind", &kind)
        visitor.field(7, "field", &field)
        visitor.field(8, "description", &description)
    }
}
