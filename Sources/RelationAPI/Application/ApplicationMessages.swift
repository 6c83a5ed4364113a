public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/application.proto, where every field is explained.

/// The answer to one application.
public struct FriendResponse: CodedMessage {
    /// The applicant.
    public var userID = ""
    /// The answer.
    public var responseType: FriendResponseType?
    /// With AGREE_AND_ADD, the caller's remark on the new friend; otherwise it means nothing.
    public var remark = ""
    /// With AGREE_AND_ADD, the caller's friend group for the new friend, made if it is missing;
    /// otherwise it means nothing.
    public var group = ""
    /// More friend groups for the new friend, as `group` (ours).
    public var groups: [String] = []
    /// With AGREE_AND_ADD, custom values for the caller's row of the new friend, each key at most
    /// once; otherwise they mean nothing (ours).
    public var custom: [CustomValue] = []
    /// The id of the application that is answered, as a list or an event named it.
    public var applicationID = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FriendResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "response_type", &responseType)
        visitor.field(3, "remark", &remark)
        visitor.field(4, "group", &group)
        visitor.field(5, "groups", &groups)
        visitor.field(6, "custom", &custom)
        visitor.field(7, "application_id", &applicationID)
    }
}

/// The request of RespondToApplications.
public struct RespondToApplicationsRequest: WriteRequest, ItemsRequest {
    /// The acting user, which was applied to.
    public var userID = ""
    public var options: WriteOptions?
    /// The answers: 1 to 100.
    public var items: [FriendResponse] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RespondToApplicationsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.RespondToApplicationsResponse", RespondToApplicationsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
    }
}

/// The response of RespondToApplications.
public typealias RespondToApplicationsResponse = ItemsAnswer<
    RespondToApplicationsRequest, FriendResult
>

/// The request of WithdrawApplications.
public struct WithdrawApplicationsRequest: WriteRequest, ItemsRequest {
    /// The acting user, which made the applications.
    public var userID = ""
    public var options: WriteOptions?
    /// The users that the caller applied to: 1 to 100.
    public var userIDs: [String] = []
    /// For each user, the id of the application that is meant.
    public var applicationIDs: [String: String] = [:]

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.WithdrawApplicationsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.WithdrawApplicationsResponse", WithdrawApplicationsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "application_ids", &applicationIDs)
    }
}

/// The response of WithdrawApplications.
public typealias WithdrawApplicationsResponse = ItemsAnswer<
    WithdrawApplicationsRequest, FriendResult
>

/// A record of an application, whether it waits or has ended.
public struct FriendApplication: CodedMessage {
    /// The other user: the applicant in a COME_IN, the asked user in a SEND_OUT.
    public var userID = ""
    /// The application's id, the same on both sides.
    public var applicationID = ""
    /// The side of this record: COME_IN or SEND_OUT, with TIM's numbers.
    public var pendencyType = PendencyType.unspecified
    /// The state of the application; always set.
    public var status: ApplicationStatus?
    /// When the application was made or last repeated; the same on both sides.
    public var addTimeMs: Int64 = 0
    /// When the application ended; if it waits, `add_time_ms`.
    public var operationTimeMs: Int64 = 0
    /// How the applicant came to the user: `AddSource_Type_` and 1 to 8 letters, or empty.
    public var source = ""
    /// The applicant's text.
    public var wording = ""
    /// The other user's present nick.
    public var nick = ""
    /// The other user's present face URL.
    public var faceURL = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FriendApplication", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "application_id", &applicationID)
        visitor.field(3, "pendency_type", &pendencyType)
        visitor.field(4, "status", &status)
        visitor.field(5, "add_time_ms", &addTimeMs)
        visitor.field(6, "operation_time_ms", &operationTimeMs)
        visitor.field(7, "source", &source)
        visitor.field(8, "wording", &wording)
        visitor.field(9, "nick", &nick)
        visitor.field(10, "face_url", &faceURL)
    }
}

/// The request of ListApplications.
public struct ListApplicationsRequest: UserReadRequest, SizedReadRequest, PagedRequest {
    /// The acting user, whose applications are listed.
    public var userID = ""
    public var options: ReadOptions?
    /// The most applications to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// The side of the applications to list.
    public var pendencyType = PendencyType.unspecified
    /// The states to list: up to 5; none means all.
    public var statuses: [ApplicationStatus] = []
    /// The direction of the order; not given, it is descending: the latest `operation_time_ms`
    /// first.
    public var direction = SortDirection.unspecified

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListApplicationsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "pendency_type", &pendencyType)
        visitor.field(6, "statuses", &statuses)
        visitor.field(7, "direction", &direction)
    }

    package var readSize: ReadSize { .scan }
}

/// The response of ListApplications.
public struct ListApplicationsResponse: CodedMessage, PagedList {
    /// The applications of this page.
    public var applications: [FriendApplication] = []
    public var nextPageToken = ""
    /// How many applications match the filter.
    public var totalSize: Int32 = 0
    /// The user's sequence when its pendencies last changed.
    public var sequence: Int64 = 0
    /// How many COME_IN wait that were not reported read.
    public var unreadCount: Int32 = 0

    public init() {}

    public var pageItems: [FriendApplication] { applications }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListApplicationsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "applications", &applications)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
        visitor.field(5, "unread_count", &unreadCount)
    }
}
