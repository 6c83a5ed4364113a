public import Protobuf
public import RelationModel

// The messages about custom fields in proto/relation/v1/app.proto, where every
// field is explained.

/// The request of DefineCustomFields.
public struct DefineCustomFieldsRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The fields: 1 to 200.
    public var items: [CustomFieldMessage] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DefineCustomFieldsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
    }
}

/// The response of DefineCustomFields.
public struct DefineCustomFieldsResponse: WriteResponse {
    /// Always 0: no user's log is written.
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    /// One outcome for each field of the request, in its order.
    public var results: [CustomFieldResult] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DefineCustomFieldsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of ListCustomFields.
public struct ListCustomFieldsRequest: AppReadRequest, SizedReadRequest, PagedRequest {
    public var options: ReadOptions?
    /// The most fields to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// The kind of row whose fields are listed.
    public var owner = CustomFieldOwner.unspecified
    /// Whether to list the retired fields too.
    public var withRetired = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListCustomFieldsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "owner", &owner)
        visitor.field(6, "with_retired", &withRetired)
    }

    package var readSize: ReadSize { .page(pageSize) }
}

/// The response of ListCustomFields.
public struct ListCustomFieldsResponse: CodedMessage, PagedList {
    /// The fields of this page.
    public var fields: [CustomFieldMessage] = []
    public var nextPageToken = ""
    /// How many fields match the filter.
    public var totalSize: Int32 = 0

    public init() {}

    public var pageItems: [CustomFieldMessage] { fields }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListCustomFieldsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "fields", &fields)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

/// The request of RetireCustomField.
public struct RetireCustomFieldRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The kind of row that the field belongs to.
    public var owner = CustomFieldOwner.unspecified
    /// The field's key.
    public var key = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RetireCustomFieldRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "owner", &owner)
        visitor.field(4, "key", &key)
    }
}

/// The response of RetireCustomField.
public struct RetireCustomFieldResponse: WriteResponse {
    /// Always 0: no user's log is written.
    public var sequence: Int64 = 0
    /// Whether the field was retired; the same as `changed` of the result.
    public var applied = false
    public var replayed = false
    /// The outcome.
    public var result: CustomFieldResult?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RetireCustomFieldResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "result", &result)
    }
}
