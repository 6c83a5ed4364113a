public import Protobuf
public import RelationModel

// The messages about custom fields in proto/relation/v1/app.proto, where every
// field is explained.

/// The request of DefineCustomFields.
public struct DefineCustomFieldsRequest: Message {
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The fields: 1 to 200.
    public var items: [CustomFieldMessage] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: WriteOptions? = nil, items: [CustomFieldMessage] = []) {
        self.options = options
        self.items = items
    }
}

extension DefineCustomFieldsRequest: AppWriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DefineCustomFieldsRequest", DefineCustomFieldsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
    }
}

/// The response of DefineCustomFields.
public struct DefineCustomFieldsResponse: Message {
    /// Always 0: no user's log is written.
    public var sequence: Int64 = 0
    /// Whether at least one row changed; `changed` of the results tells which items did it.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// One outcome for each field of the request, in its order.
    public var results: [CustomFieldResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        results: [CustomFieldResult] = []
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.results = results
    }
}

extension DefineCustomFieldsResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DefineCustomFieldsResponse", DefineCustomFieldsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of ListCustomFields.
public struct ListCustomFieldsRequest: Message {
    /// How the read is carried out.
    ///
    /// A `min_sequence` must name a user.
    public var options: ReadOptions?
    /// The most fields to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    /// The `next_page_token` of the page before; empty for the first page.
    ///
    /// A token that was made for another app, list or filter is INVALID_ARGUMENT.
    public var pageToken = ""
    /// The kind of row whose fields are listed.
    public var owner = CustomFieldOwner.unspecified
    /// Whether to list the retired fields too.
    public var withRetired = false

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        options: ReadOptions? = nil, pageSize: Int32 = 0, pageToken: String = "",
        owner: CustomFieldOwner = .unspecified, withRetired: Bool = false
    ) {
        self.options = options
        self.pageSize = pageSize
        self.pageToken = pageToken
        self.owner = owner
        self.withRetired = withRetired
    }
}

extension ListCustomFieldsRequest: AppReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListCustomFieldsRequest", ListCustomFieldsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "owner", &owner)
        visitor.field(6, "with_retired", &withRetired)
    }
}

extension ListCustomFieldsRequest: PagedRequest {}

/// The response of ListCustomFields.
public struct ListCustomFieldsResponse: Message {
    /// The fields of this page.
    public var fields: [CustomFieldMessage] = []
    /// The token of the next page; empty after the last page.
    public var nextPageToken = ""
    /// How many fields match the filter.
    public var totalSize: Int32 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        fields: [CustomFieldMessage] = [], nextPageToken: String = "", totalSize: Int32 = 0
    ) {
        self.fields = fields
        self.nextPageToken = nextPageToken
        self.totalSize = totalSize
    }
}

extension ListCustomFieldsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListCustomFieldsResponse", ListCustomFieldsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "fields", &fields)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

extension ListCustomFieldsResponse: PagedList {
    public var pageItems: [CustomFieldMessage] { fields }
}

/// The request of RetireCustomField.
public struct RetireCustomFieldRequest: Message {
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The kind of row that the field belongs to.
    public var owner = CustomFieldOwner.unspecified
    /// The field's key.
    public var key = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        options: WriteOptions? = nil, owner: CustomFieldOwner = .unspecified, key: String = ""
    ) {
        self.options = options
        self.owner = owner
        self.key = key
    }
}

extension RetireCustomFieldRequest: AppWriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.RetireCustomFieldRequest", RetireCustomFieldRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "owner", &owner)
        visitor.field(4, "key", &key)
    }
}

/// The response of RetireCustomField.
public struct RetireCustomFieldResponse: Message {
    /// Always 0: no user's log is written.
    public var sequence: Int64 = 0
    /// Whether the field was retired; the same as `changed` of the result.
    ///
    /// False in a dry run.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// The outcome.
    public var result: CustomFieldResult?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        result: CustomFieldResult? = nil
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.result = result
    }
}

extension RetireCustomFieldResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.RetireCustomFieldResponse", RetireCustomFieldResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "result", &result)
    }
}
