public import Protobuf

// The messages of proto/relation/v1/account.proto, where every field is explained.

/// One account to make.
public struct AccountRow: CodedMessage {
    /// The user.
    public var userID = ""
    /// The nick of the first profile; empty means none.
    public var nick = ""
    /// The face URL of the first profile; empty means none.
    public var faceURL = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.AccountRow", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "nick", &nick)
        visitor.field(3, "face_url", &faceURL)
    }
}

/// A message of ImportAccounts to the server.
public struct ImportAccountsRequest: CodedMessage {
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The next row.
    public var row: AccountRow?
    /// Names the import, so that it can go on after it broke.
    public var importID = ""
    /// The number of the first row that this stream sends; 0 means 1.
    public var firstRow: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ImportAccountsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "row", &row)
        visitor.field(4, "import_id", &importID)
        visitor.field(5, "first_row", &firstRow)
    }
}

/// A message of ImportAccounts to the client.
public typealias ImportAccountsResponse = ImportResponse<AccountRow, ImportRowResult>

extension AccountRow: ImportedRow {
    @usableFromInline package static var requestSchema: Schema { ImportAccountsRequest.schema }
    @usableFromInline package static let responseSchema = Schema(
        "relation.v1.ImportAccountsResponse", ImportAccountsResponse.self)
}
