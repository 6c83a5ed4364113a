public import Protobuf
public import RelationModel

// The messages about pendencies in proto/relation/v1/application.proto, where every
// field is explained.

/// The request of ListPendencies.
public struct ListPendenciesRequest: UserReadRequest, SizedReadRequest, PagedRequest {
    /// The acting user, whose pendencies are listed.
    public var userID = ""
    public var options: ReadOptions?
    /// The version of the list that the caller has; 0 if none.
    public var seq: Int64 = 0
    /// Where the page begins: 0 for the first page, then the `timestamp_ms` that the page before
    /// answered.
    public var timestampMs: Int64 = 0
    /// The most items to answer: 1 to 100; 0 means 100.
    public var numPerPage: Int32 = 0
    /// The side of the applications to list.
    public var pendencyType = PendencyType.unspecified

    public init() {}

    /// The position at which the page begins, which is `timestampMs` as a text; empty for the first
    /// page.
    public var pageToken: String {
        get { timestampMs == 0 ? "" : "\(timestampMs)" }
        set { timestampMs = Int64(newValue) ?? 0 }
    }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListPendenciesRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "seq", &seq)
        visitor.field(4, "timestamp_ms", &timestampMs)
        visitor.field(5, "num_per_page", &numPerPage)
        visitor.field(6, "pendency_type", &pendencyType)
    }

    package var readSize: ReadSize { .page(numPerPage, atMost: Limits.pendenciesPerPage) }
}

/// The response of ListPendencies.
public struct ListPendenciesResponse: CodedMessage, PagedList {
    /// The present version of the list: the user's sequence when the list last changed.
    public var seq: Int64 = 0
    /// Where the next page begins; 0 after the last page.
    public var timestampMs: Int64 = 0
    /// How many COME_IN wait that were not reported read.
    public var unreadCount: Int32 = 0
    /// The pendencies of this page: applications that are UNHANDLED.
    public var pendencies: [FriendApplication] = []

    public init() {}

    public var pageItems: [FriendApplication] { pendencies }

    /// The position at which the next page begins, which is `timestampMs` as a text; empty after
    /// the last page.
    public var nextPageToken: String { timestampMs == 0 ? "" : "\(timestampMs)" }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListPendenciesResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "seq", &seq)
        visitor.field(2, "timestamp_ms", &timestampMs)
        visitor.field(3, "unread_count", &unreadCount)
        visitor.field(4, "pendencies", &pendencies)
    }
}

/// The request of DeletePendencies.
public struct DeletePendenciesRequest: WriteRequest, ItemsRequest {
    /// The acting user, whose list loses the pendencies.
    public var userID = ""
    public var options: WriteOptions?
    /// The side to delete: COME_IN or SEND_OUT.
    public var pendencyType = PendencyType.unspecified
    /// The other users of the applications: 1 to 100.
    public var userIDs: [String] = []
    /// For each user, the id of the application that is meant.
    public var applicationIDs: [String: String] = [:]

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DeletePendenciesRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.DeletePendenciesResponse", DeletePendenciesResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "pendency_type", &pendencyType)
        visitor.field(4, "user_ids", &userIDs)
        visitor.field(5, "application_ids", &applicationIDs)
    }
}

/// The response of DeletePendencies.
public typealias DeletePendenciesResponse = ItemsAnswer<DeletePendenciesRequest, FriendResult>

/// The request of ReportPendencies.
public struct ReportPendenciesRequest: WriteRequest {
    /// The acting user, which has read its pendencies.
    public var userID = ""
    public var options: WriteOptions?
    /// The time up to which, inclusive, applications that came in are read; above 0.
    public var timestampMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ReportPendenciesRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "timestamp_ms", &timestampMs)
    }
}

/// The response of ReportPendencies, whose `applied` says whether the mark moved.
public struct ReportPendenciesResponse: WriteResponse {
    public var write = WriteOutcome()
    /// How many COME_IN wait unread after the report.
    public var unreadCount: Int32 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ReportPendenciesResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "unread_count", &unreadCount)
        write.visitLast(&visitor)
    }
}
