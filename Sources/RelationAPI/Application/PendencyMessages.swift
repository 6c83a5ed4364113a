public import Protobuf
public import RelationModel

// The messages about pendencies in proto/relation/v1/application.proto, where every
// field is explained.

/// A record of an application that waits.
public struct Pendency: Message {
    /// The other user: the applicant in a COME_IN, the asked user in a SEND_OUT.
    ///
    /// TIM's `identifier`.
    public var userID = ""
    /// When the application was made or last repeated; the same on both sides.
    ///
    /// No two pendencies of a user have the same time: on a tie the second one gets one millisecond
    /// more (ours). TIM's `addTime`, in seconds there.
    public var addTimeMs: Int64 = 0
    /// How the applicant came to the user: `AddSource_Type_` and 1 to 8 letters, or empty.
    ///
    /// TIM's `addSource`.
    public var source = ""
    /// The applicant's text.
    ///
    /// At most 120 bytes. TIM's `addWording`.
    public var wording = ""
    /// The other user's present nick.
    ///
    /// TIM's `nickname`.
    public var nick = ""
    /// The other user's present face URL.
    ///
    /// TIM's `faceUrl`.
    public var faceURL = ""
    /// The side of this record: COME_IN or SEND_OUT.
    ///
    /// TIM's `type`.
    public var pendencyType = PendencyType.unspecified
    /// The application's id, the same on both sides.
    ///
    /// An application that is made after an earlier one was answered has a new id.
    public var applicationID = ""
    /// The state of the application; always set.
    ///
    /// A listed pendency is UNHANDLED.
    public var status: ApplicationStatus?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", addTimeMs: Int64 = 0, source: String = "", wording: String = "",
        nick: String = "", faceURL: String = "", pendencyType: PendencyType = .unspecified,
        applicationID: String = "", status: ApplicationStatus? = nil
    ) {
        self.userID = userID
        self.addTimeMs = addTimeMs
        self.source = source
        self.wording = wording
        self.nick = nick
        self.faceURL = faceURL
        self.pendencyType = pendencyType
        self.applicationID = applicationID
        self.status = status
    }
}

extension Pendency: CodedMessage {
    @usableFromInline package static let schema = Schema("relation.v1.Pendency", Pendency.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "add_time_ms", &addTimeMs)
        visitor.field(3, "source", &source)
        visitor.field(4, "wording", &wording)
        visitor.field(5, "nick", &nick)
        visitor.field(6, "face_url", &faceURL)
        visitor.field(7, "pendency_type", &pendencyType)
        visitor.field(8, "application_id", &applicationID)
        visitor.field(9, "status", &status)
    }
}

/// The request of ListPendencies.
public struct ListPendenciesRequest: Message {
    /// The acting user, whose pendencies are listed.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The version of the list that the caller has; 0 if none.
    ///
    /// If it is the present one, no items come back. For further pages, the caller sends the same
    /// version as for the first page. TIM's `seq`.
    public var seq: Int64 = 0
    /// Where the page begins: 0 for the first page, then the `timestamp_ms` that the page before
    /// answered.
    ///
    /// TIM's `timestamp`.
    public var timestampMs: Int64 = 0
    /// The most items to answer: 1 to 100; 0 means 100.
    ///
    /// More is INVALID_ARGUMENT, unlike a `page_size`. TIM's `numPerPage`.
    public var numPerPage: Int32 = 0
    /// The side of the applications to list.
    ///
    /// TIM's `type`.
    public var pendencyType = PendencyType.unspecified

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: ReadOptions? = nil, seq: Int64 = 0, timestampMs: Int64 = 0,
        numPerPage: Int32 = 0, pendencyType: PendencyType = .unspecified
    ) {
        self.userID = userID
        self.options = options
        self.seq = seq
        self.timestampMs = timestampMs
        self.numPerPage = numPerPage
        self.pendencyType = pendencyType
    }
}

extension ListPendenciesRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListPendenciesRequest", ListPendenciesRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "seq", &seq)
        visitor.field(4, "timestamp_ms", &timestampMs)
        visitor.field(5, "num_per_page", &numPerPage)
        visitor.field(6, "pendency_type", &pendencyType)
    }
}

extension ListPendenciesRequest: PagedRequest {
    /// The place where the page begins, which is `timestampMs` as a text; empty for the first page.
    public var pageToken: String {
        get { timestampMs == 0 ? "" : "\(timestampMs)" }
        set { timestampMs = Int64(newValue) ?? 0 }
    }
}

/// The response of ListPendencies.
public struct ListPendenciesResponse: Message {
    /// The present version of the list: the user's sequence when the list last changed.
    ///
    /// Keep it after the last page. TIM's `seq`.
    public var seq: Int64 = 0
    /// Where the next page begins; 0 after the last page.
    ///
    /// TIM's `timestamp`.
    public var timestampMs: Int64 = 0
    /// How many COME_IN wait that were not reported read.
    ///
    /// Answering one lowers the count (ours). TIM's `unreadCnt`.
    public var unreadCount: Int32 = 0
    /// The pendencies of this page.
    ///
    /// TIM's `pendencies`.
    public var pendencies: [Pendency] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        seq: Int64 = 0, timestampMs: Int64 = 0, unreadCount: Int32 = 0, pendencies: [Pendency] = []
    ) {
        self.seq = seq
        self.timestampMs = timestampMs
        self.unreadCount = unreadCount
        self.pendencies = pendencies
    }
}

extension ListPendenciesResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListPendenciesResponse", ListPendenciesResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "seq", &seq)
        visitor.field(2, "timestamp_ms", &timestampMs)
        visitor.field(3, "unread_count", &unreadCount)
        visitor.field(4, "pendencies", &pendencies)
    }
}

extension ListPendenciesResponse: PagedList {
    public var pageItems: [Pendency] { pendencies }

    /// The place where the next page begins, which is `timestampMs` as a text; empty after the last
    /// page.
    public var nextPageToken: String { timestampMs == 0 ? "" : "\(timestampMs)" }
}

/// The request of DeletePendencies.
public struct DeletePendenciesRequest: Message {
    /// The acting user, whose list loses the pendencies.
    public var userID = ""
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The side to delete: COME_IN or SEND_OUT.
    ///
    /// It must be given; anything else is INVALID_ARGUMENT (ours). This includes BOTH, which in TIM
    /// too is only for fetching. TIM's `type`.
    public var pendencyType = PendencyType.unspecified
    /// The other users of the applications: 1 to 100.
    ///
    /// TIM's `users`.
    public var userIDs: [String] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: WriteOptions? = nil,
        pendencyType: PendencyType = .unspecified, userIDs: [String] = []
    ) {
        self.userID = userID
        self.options = options
        self.pendencyType = pendencyType
        self.userIDs = userIDs
    }
}

extension DeletePendenciesRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DeletePendenciesRequest", DeletePendenciesRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "pendency_type", &pendencyType)
        visitor.field(4, "user_ids", &userIDs)
    }
}

/// The response of DeletePendencies.
public struct DeletePendenciesResponse: Message {
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

extension DeletePendenciesResponse: ItemsResponse, WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.DeletePendenciesResponse", DeletePendenciesResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "results", &results)
    }
}

/// The request of ReportPendencies.
public struct ReportPendenciesRequest: Message {
    /// The acting user, which has read its pendencies.
    public var userID = ""
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The time up to which, inclusive, applications that came in are read; above 0.
    ///
    /// The mark moves only forward, and never past the latest application: a time in the future
    /// means now (ours). TIM's `timestamp`, in seconds there.
    public var timestampMs: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", options: WriteOptions? = nil, timestampMs: Int64 = 0) {
        self.userID = userID
        self.options = options
        self.timestampMs = timestampMs
    }
}

extension ReportPendenciesRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ReportPendenciesRequest", ReportPendenciesRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "timestamp_ms", &timestampMs)
    }
}

/// The response of ReportPendencies.
public struct ReportPendenciesResponse: Message {
    /// The acting user's sequence after the write.
    ///
    /// In a dry run, and if nothing changed, its sequence before the write.
    public var sequence: Int64 = 0
    /// Whether the mark moved.
    ///
    /// False in a dry run, and if everything up to that time was read already.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// How many COME_IN wait unread after the report.
    public var unreadCount: Int32 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false, unreadCount: Int32 = 0
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.unreadCount = unreadCount
    }
}

extension ReportPendenciesResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ReportPendenciesResponse", ReportPendenciesResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "unread_count", &unreadCount)
    }
}
