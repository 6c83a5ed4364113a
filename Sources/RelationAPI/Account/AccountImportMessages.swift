public import Protobuf

// The messages of proto/relation/v1/account.proto, where every field is explained.

/// One account to make.
public struct AccountRow: Message, Equatable {
    public var userID = ""
    public var nick = ""
    public var faceURL = ""

    public init() {}

    public static let schema = Schema("relation.v1.AccountRow", AccountRow.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "nick", &nick)
        visitor.field(3, "face_url", &faceURL)
    }
}

/// A message of ImportAccounts to the server.
public struct ImportAccountsRequest: Message {
    public var options: WriteOptions?
    public var row: AccountRow?
    public var importID = ""
    public var firstRow: Int64 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.ImportAccountsRequest", ImportAccountsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "row", &row)
        visitor.field(4, "import_id", &importID)
        visitor.field(5, "first_row", &firstRow)
    }
}

/// A message of ImportAccounts to the client.
public struct ImportAccountsResponse: Message {
    public var answer: Answer?

    public init() {}

    public static let schema = Schema(
        "relation.v1.ImportAccountsResponse", ImportAccountsResponse.self)

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
