public import Protobuf
public import RelationModel

// The messages of ImportApp of proto/relation/v1/maintenance.proto, where every field is explained.

/// A message of ImportApp to the server.
public struct ImportAppRequest: CodedMessage {
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The next message of the export.
    public var row: ExportAppResponse?
    /// Names the import, so that it can go on after it broke: see ImportFriendsRequest.
    public var importID = ""
    /// The number of the first row that this stream sends; 0 means 1.
    public var firstRow: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ImportAppRequest", Self.self)

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
public struct ImportAppRowResult: ResultMessage {
    /// The row's number: the first row of the export is 1.
    public var rowNumber: Int64 = 0
    /// The user that the row belongs to, as it was sent; empty for a row of the app.
    public var userID = ""
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
    public var description = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ImportAppRowResult", Self.self)

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
