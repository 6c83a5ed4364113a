public import Protobuf
public import RelationModel

// The messages of the calls on reports of proto/relation/v1/moderation.proto, where every field is
// explained.

/// A report of a user about another one.
public struct UserReport: CodedMessage {
    /// The id of the report.
    public var reportID = ""
    /// The reported user.
    public var reportedUserID = ""
    /// The user that reported it; empty if that is no longer an account.
    public var reporterUserID = ""
    /// The category of the report.
    public var category = ReportCategory.unspecified
    /// The reporter's words.
    public var text = ""
    /// The subject of the report, as the app names it: the id of a message, or a link.
    public var reference = ""
    /// How often the reporter has reported the user.
    public var count: Int32 = 0
    /// When the reporter reported the user for the first time.
    public var firstReportTimeMs: Int64 = 0
    /// When it did for the last time.
    public var reportTimeMs: Int64 = 0
    /// How moderators closed it; UNSPECIFIED if it is open.
    public var outcome = ReportOutcome.unspecified
    /// The moderators' note.
    public var note = ""
    /// When it was closed; 0 if it is open.
    public var resolveTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.UserReport", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "report_id", &reportID)
        visitor.field(2, "reported_user_id", &reportedUserID)
        visitor.field(3, "reporter_user_id", &reporterUserID)
        visitor.field(4, "category", &category)
        visitor.field(5, "text", &text)
        visitor.field(6, "reference", &reference)
        visitor.field(7, "count", &count)
        visitor.field(8, "first_report_time_ms", &firstReportTimeMs)
        visitor.field(9, "report_time_ms", &reportTimeMs)
        visitor.field(10, "outcome", &outcome)
        visitor.field(11, "note", &note)
        visitor.field(12, "resolve_time_ms", &resolveTimeMs)
    }
}

/// The request of ReportUser.
public struct ReportUserRequest: WriteRequest {
    /// The acting user: the reporter.
    public var userID = ""
    public var options: WriteOptions?
    /// The user to report.
    public var reportedUserID = ""
    /// The category of the report.
    public var category = ReportCategory.unspecified
    /// The reporter's words; may be empty.
    public var text = ""
    /// The subject of the report, as the app names it; may be empty.
    public var reference = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ReportUserRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "reported_user_id", &reportedUserID)
        visitor.field(4, "category", &category)
        visitor.field(5, "text", &text)
        visitor.field(6, "reference", &reference)
    }
}

/// The response of ReportUser, whose `applied` says whether the report was made.
public struct ReportUserResponse: WriteResponse, ResultMessage {
    public var write = WriteOutcome()
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ReportUserResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "code", &code)
        visitor.field(5, "reason", &reason)
        visitor.field(6, "info", &info)
        write.visitLast(&visitor)
    }
}

/// The request of ListReports.
public struct ListReportsRequest: AppReadRequest, SizedReadRequest, PagedRequest {
    public var options: ReadOptions?
    /// The most reports to look at: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// The reported user; empty means all.
    public var reportedUserID = ""
    /// Whether to leave out reports that are closed.
    public var onlyOpen = false
    /// Leaves out reports of before this time; 0 means none.
    public var sinceTimeMs: Int64 = 0
    /// Leaves out reports of this time and later; 0 means none.
    public var untilTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListReportsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "reported_user_id", &reportedUserID)
        visitor.field(6, "only_open", &onlyOpen)
        visitor.field(7, "since_time_ms", &sinceTimeMs)
        visitor.field(8, "until_time_ms", &untilTimeMs)
    }

    package var readSize: ReadSize { .page(pageSize) }
}

/// The response of ListReports.
public struct ListReportsResponse: CodedMessage, PagedList {
    /// The reports of this page.
    public var reports: [UserReport] = []
    public var nextPageToken = ""
    /// How many reports the app keeps, or keeps about the reported user, whatever else is left out.
    public var totalSize: Int32 = 0
    /// How many of those are open.
    public var openSize: Int32 = 0

    public init() {}

    public var pageItems: [UserReport] { reports }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListReportsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "reports", &reports)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "open_size", &openSize)
    }
}

/// One report to close.
public struct ReportResolution: CodedMessage {
    /// The id of the report.
    public var reportID = ""
    /// The outcome.
    public var outcome = ReportOutcome.unspecified
    /// The moderators' note; may be empty.
    public var note = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ReportResolution", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "report_id", &reportID)
        visitor.field(2, "outcome", &outcome)
        visitor.field(3, "note", &note)
    }
}

/// The request of ResolveReports.
public struct ResolveReportsRequest: AppWriteRequest, ItemsRequest {
    public var options: WriteOptions?
    /// The reports to close: 1 to 100.
    public var items: [ReportResolution] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ResolveReportsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.ResolveReportsResponse", ResolveReportsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
    }
}

/// The outcome for one report of ResolveReports.
public struct ResolveReportsResult: ResultMessage {
    /// The report, as the request wrote it; of a malformed id at most the first 256 bytes.
    public var reportID = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// Whether outcome or note changed.
    public var changed = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ResolveReportsResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "report_id", &reportID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
    }
}

/// The response of ResolveReports, whose `applied` says whether at least one report changed.
public typealias ResolveReportsResponse = ItemsAnswer<
    ResolveReportsRequest, ResolveReportsResult
>
