public import Protobuf

/// A message to the server of a call that writes the rows of a stream into lists.
///
/// Each of these calls has a name for its own, such as ``ImportFriendsRequest``, which is the
/// message's name in the contract.
public struct ImportRequest<Row: Message>: Message {
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The next row.
    public var row: Row?
    /// Whether the users are notified of each row by itself; otherwise once of many.
    public var notify = false
    /// Names the import, so that it can go on after it broke.
    public var importID = ""
    /// The number of the first row that this stream sends; 0 means 1.
    public var firstRow: Int64 = 0

    @inlinable public init() {}
}

extension ImportRequest: CodedMessage where Row: ImportedRow {
    @usableFromInline package static var schema: Schema { Row.requestSchema }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "row", &row)
        visitor.field(4, "notify", &notify)
        visitor.field(5, "import_id", &importID)
        visitor.field(6, "first_row", &firstRow)
    }
}

/// A row of an import: the names that the two messages of its call have in the contract.
@usableFromInline package protocol ImportedRow: CodedMessage {
    static var requestSchema: Schema { get }
    static var responseSchema: Schema { get }
    /// The owner of the row.
    var userID: String { get }
}
