public import Protobuf
public import RelationModel

// The messages of ImportProfiles of proto/relation/v1/maintenance.proto, where every field is
// explained.

/// The fields of one profile to write.
public struct ProfileRow: CodedMessage {
    /// The user whose profile it is.
    public var userID = ""
    /// The new values of the fields, as in UpdateProfileRequest.
    public var profile: Profile?
    /// The fields of `profile` to write, as in UpdateProfileRequest; none means all that are set.
    public var updateMask: FieldMask?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ProfileRow", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "profile", &profile)
        visitor.field(3, "update_mask", &updateMask)
    }
}

/// A message of ImportProfiles to the server.
public struct ImportProfilesRequest: CodedMessage {
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The next row.
    public var row: ProfileRow?
    /// Names the import, so that it can go on after it broke, as in ImportFriendsRequest.
    public var importID = ""
    /// The number of the first row that this stream sends, as in ImportFriendsRequest; 0 means 1.
    public var firstRow: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ImportProfilesRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "row", &row)
        visitor.field(5, "import_id", &importID)
        visitor.field(6, "first_row", &firstRow)
    }
}

/// The outcome of one row of ImportProfiles.
///
/// A row without a result was accepted.
public struct ImportProfilesRowResult: ResultMessage {
    /// The row's number: the first row of the stream is 1.
    public var rowNumber: Int64 = 0
    /// The row's `user_id`, as it was sent; at most the first 256 bytes of a malformed one.
    public var userID = ""
    public var code: ProfileStatus?
    public var reason = Reason.none
    public var info = ""
    /// The field that was refused: its path, such as `nick` or `custom.KEY`; empty if it is not one
    /// field.
    public var field = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ImportProfilesRowResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "row_number", &rowNumber)
        visitor.field(2, "user_id", &userID)
        visitor.field(3, "code", &code)
        visitor.field(4, "reason", &reason)
        visitor.field(5, "info", &info)
        visitor.field(6, "field", &field)
    }
}

/// A message of ImportProfiles to the client.
public typealias ImportProfilesResponse = ImportResponse<ProfileRow, ImportProfilesRowResult>

extension ProfileRow: ImportedRow {
    @usableFromInline package static var requestSchema: Schema { ImportProfilesRequest.schema }
    @usableFromInline package static let responseSchema = Schema(
        "relation.v1.ImportProfilesResponse", ImportProfilesResponse.self)
}
