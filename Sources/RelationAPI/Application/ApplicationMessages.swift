public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/application.proto, where every field is explained.

/// The answer to one application.
public struct FriendResponse: Message {
    /// The applicant.
    ///
    /// TIM's `identifier`.
    public var userID = ""
    /// The answer.
    ///
    /// It must be given, because zero is an answer too. Without it the request is INVALID_ARGUMENT
    /// (ours). TIM's `responseType`.
    public var responseType: FriendResponseType?
    /// With AGREE_AND_ADD, the caller's remark on the new friend; otherwise it means nothing.
    ///
    /// At most 96 bytes; empty means none. TIM's `remark`.
    public var remark = ""
    /// With AGREE_AND_ADD, the caller's friend group for the new friend, made if it is missing;
    /// otherwise it means nothing.
    ///
    /// At most 30 bytes; empty means none. If the limit of groups is reached, the row is made
    /// without the group (ours). TIM's TagName.
    public var group = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", responseType: FriendResponseType? = nil, remark: String = "",
        group: String = ""
    ) {
        self.userID = userID
        self.responseType = responseType
        self.remark = remark
        self.group = group
    }
}

extension FriendResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.FriendResponse", FriendResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "response_type", &responseType)
        visitor.field(3, "remark", &remark)
        visitor.field(4, "group", &group)
    }
}

/// The request of RespondToApplications.
public struct RespondToApplicationsRequest: Message {
    /// The acting user, which was applied to.
    public var userID = ""
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The answers: 1 to 100.
    ///
    /// If the same applicant comes twice with the same content, it is answered once. With other
    /// content the later items are 30001 REASON_SNS_FRIEND_RESPONSE_DUPLICATE (ours). TIM's
    /// ResponseFriendItem.
    public var items: [FriendResponse] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", options: WriteOptions? = nil, items: [FriendResponse] = []) {
        self.userID = userID
        self.options = options
        self.items = items
    }
}

extension RespondToApplicationsRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.RespondToApplicationsRequest", RespondToApplicationsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
    }
}

/// The response of RespondToApplications.
public struct RespondToApplicationsResponse: Message {
    /// The acting user's sequence after the write.
    ///
    /// In a dry run, and if nothing changed, its sequence before the write.
    public var sequence: Int64 = 0
    /// Whether at least one row changed; `changed` of the results tells which items did it.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// One outcome for each item of the request, in its order.
    public var results: [FriendResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        results: [FriendResult] = []
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.results = results
    }
}

extension RespondToApplicationsResponse: ItemsResponse, WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.RespondToApplicationsResponse", RespondToApplicationsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of WithdrawApplications.
public struct WithdrawApplicationsRequest: Message {
    /// The acting user, which made the applications.
    public var userID = ""
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The users that the caller applied to: 1 to 100.
    public var userIDs: [String] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", options: WriteOptions? = nil, userIDs: [String] = []) {
        self.userID = userID
        self.options = options
        self.userIDs = userIDs
    }
}

extension WithdrawApplicationsRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.WithdrawApplicationsRequest", WithdrawApplicationsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }
}

/// The response of WithdrawApplications.
public struct WithdrawApplicationsResponse: Message {
    /// The acting user's sequence after the write.
    ///
    /// In a dry run, and if nothing changed, its sequence before the write.
    public var sequence: Int64 = 0
    /// Whether at least one row changed; `changed` of the results tells which items did it.
    ///
    /// False in a dry run, and if `all_or_nothing` held the write back.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// One outcome for each id of the request, in its order.
    public var results: [FriendResult] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        results: [FriendResult] = []
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.results = results
    }
}

extension WithdrawApplicationsResponse: ItemsResponse, WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.WithdrawApplicationsResponse", WithdrawApplicationsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// A record of an application, whether it waits or has ended.
public struct FriendApplication: Message {
    /// The other user: the applicant in a COME_IN, the asked user in a SEND_OUT.
    ///
    /// RongCloud's `userId`.
    public var userID = ""
    /// The application's id, the same on both sides.
    ///
    /// An application that is made after an earlier one ended has a new id.
    public var applicationID = ""
    /// The side of this record: COME_IN is RongCloud's Received, SEND_OUT its Sent (numbers TIM's).
    ///
    /// RongCloud's `applicationType`.
    public var pendencyType = PendencyType.unspecified
    /// The state of the application; always set.
    ///
    /// RongCloud's `applicationStatus`.
    public var status: ApplicationStatus?
    /// When the application was made or last repeated.
    public var addTimeMs: Int64 = 0
    /// When the application ended; if it waits, `add_time_ms`.
    ///
    /// RongCloud's `operationTime`.
    public var operationTimeMs: Int64 = 0
    /// How the applicant came to the user: `AddSource_Type_` and 1 to 8 letters, or empty.
    public var source = ""
    /// The applicant's text.
    ///
    /// RongCloud's `remark`.
    public var wording = ""
    /// The other user's present nick.
    ///
    /// RongCloud's `name`.
    public var nick = ""
    /// The other user's present face URL.
    ///
    /// RongCloud's `portrait`.
    public var faceURL = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", applicationID: String = "", pendencyType: PendencyType = .unspecified,
        status: ApplicationStatus? = nil, addTimeMs: Int64 = 0, operationTimeMs: Int64 = 0,
        source: String = "", wording: String = "", nick: String = "", faceURL: String = ""
    ) {
        self.userID = userID
        self.applicationID = applicationID
        self.pendencyType = pendencyType
        self.status = status
        self.addTimeMs = addTimeMs
        self.operationTimeMs = operationTimeMs
        self.source = source
        self.wording = wording
        self.nick = nick
        self.faceURL = faceURL
    }
}

extension FriendApplication: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.FriendApplication", FriendApplication.self)

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
public struct ListApplicationsRequest: Message {
    /// The acting user, whose applications are listed.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The most applications to answer: 0 means 100; more than 1000 means 1000.
    ///
    /// RongCloud's `count`.
    public var pageSize: Int32 = 0
    /// The `next_page_token` of the page before; empty for the first page.
    ///
    /// A token that was made for another user, filter or direction is INVALID_ARGUMENT. RongCloud's
    /// `pageToken`.
    public var pageToken = ""
    /// The side of the applications to list.
    ///
    /// RongCloud's `types`.
    public var pendencyType = PendencyType.unspecified
    /// The states to list: up to 5; none means all.
    ///
    /// A state that is given twice counts once. RongCloud's `statuses`.
    public var statuses: [ApplicationStatus] = []
    /// The direction of the order; not given, it is descending: the latest `operation_time_ms`
    /// first.
    ///
    /// Of equal times, a COME_IN is earlier, and then the lesser id (ours). RongCloud's `order`.
    public var direction = SortDirection.unspecified

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: ReadOptions? = nil, pageSize: Int32 = 0,
        pageToken: String = "", pendencyType: PendencyType = .unspecified,
        statuses: [ApplicationStatus] = [], direction: SortDirection = .unspecified
    ) {
        self.userID = userID
        self.options = options
        self.pageSize = pageSize
        self.pageToken = pageToken
        self.pendencyType = pendencyType
        self.statuses = statuses
        self.direction = direction
    }
}

extension ListApplicationsRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListApplicationsRequest", ListApplicationsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "pendency_type", &pendencyType)
        visitor.field(6, "statuses", &statuses)
        visitor.field(7, "direction", &direction)
    }
}

extension ListApplicationsRequest: PagedRequest {}

/// The response of ListApplications.
public struct ListApplicationsResponse: Message {
    /// The applications of this page.
    public var applications: [FriendApplication] = []
    /// The token of the next page; empty after the last page.
    ///
    /// RongCloud's `pageToken`.
    public var nextPageToken = ""
    /// How many applications match the filter.
    ///
    /// RongCloud's `totalCount`.
    public var totalSize: Int32 = 0
    /// The user's sequence when its pendencies last changed.
    public var sequence: Int64 = 0
    /// How many COME_IN wait that were not reported read.
    ///
    /// The filter has no effect on it.
    public var unreadCount: Int32 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        applications: [FriendApplication] = [], nextPageToken: String = "", totalSize: Int32 = 0,
        sequence: Int64 = 0, unreadCount: Int32 = 0
    ) {
        self.applications = applications
        self.nextPageToken = nextPageToken
        self.totalSize = totalSize
        self.sequence = sequence
        self.unreadCount = unreadCount
    }
}

extension ListApplicationsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListApplicationsResponse", ListApplicationsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "applications", &applications)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
        visitor.field(5, "unread_count", &unreadCount)
    }
}

extension ListApplicationsResponse: PagedList {
    public var pageItems: [FriendApplication] { applications }
}
