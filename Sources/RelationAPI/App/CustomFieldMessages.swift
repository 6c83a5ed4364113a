public import Protobuf
public import RelationModel

// The messages about custom fields in proto/relation/v1/app.proto, where every
// field is explained.

/// The request of DefineCustomFields.
public struct DefineCustomFieldsRequest: AppWriteRequest, ItemsRequest {
    public var options: WriteOptions?
    /// The fields: 1 to 200.
    public var items: [CustomFieldMessage] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DefineCustomFieldsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.DefineCustomFieldsResponse", DefineCustomFieldsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
    }
}

/// The response of DefineCustomFields.
public typealias DefineCustomFieldsResponse = ItemsAnswer<
    DefineCustomFieldsRequest, CustomFieldResult
>

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

/// The response of RetireCustomField, whose `applied` says whether the field was retired.
public struct RetireCustomFieldResponse: WriteResponse {
    public var write = WriteOutcome()
    /// The outcome.
    public var result: CustomFieldResult?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RetireCustomFieldResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "result", &result)
        write.visitLast(&visitor)
    }
}
