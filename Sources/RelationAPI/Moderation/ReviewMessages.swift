public import Protobuf
public import RelationModel

// The messages of the calls on reviews of proto/relation/v1/moderation.proto, and the review of
// proto/relation/v1/profile.proto, where every field is explained.

/// A new value of a field, of a profile or of a friend's row, that is under review (ours).
public struct ProfileReview: CodedMessage {
    /// The id of the review.
    public var reviewID = ""
    /// The user whose profile it is, or who has the friend.
    public var userID = ""
    /// The field's path, such as `nick` or `custom.Blood`; of a friend's row, `remark`, that of a
    /// custom field, or `wording`, which is that of an addition too.
    public var field = ""
    /// How others see the field meanwhile; in the event of a decision, how they did until then.
    public var state = ReviewState.unspecified
    /// The new value, if it is a text.
    public var text = ""
    /// The new value, if it is not a text.
    public var data: [UInt8] = []
    /// The value that was approved before, if others do not see it any more, and it is a text.
    public var formerText = ""
    /// The same, if it is not a text.
    public var formerData: [UInt8] = []
    /// When the new value was written.
    public var writeTimeMs: Int64 = 0
    /// How the review ended; only in the event that reports it.
    public var decision = ReviewDecision.unspecified
    /// The number that the moderators gave as the reason; only there, and 0 if they gave none.
    public var reasonCode: Int32 = 0
    /// The words that the moderators gave as the reason, for the user; only there.
    public var reasonText = ""
    /// The friend in whose row of the user the field is, or to whom the user has applied; empty for
    /// a field of the profile.
    public var friendUserID = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ProfileReview", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "review_id", &reviewID)
        visitor.field(2, "user_id", &userID)
        visitor.field(3, "field", &field)
        visitor.field(4, "state", &state)
        visitor.field(5, "text", &text)
        visitor.field(6, "data", &data)
        visitor.field(7, "former_text", &formerText)
        visitor.field(8, "former_data", &formerData)
        visitor.field(9, "write_time_ms", &writeTimeMs)
        visitor.field(10, "decision", &decision)
        visitor.field(11, "reason_code", &reasonCode)
        visitor.field(12, "reason_text", &reasonText)
        visitor.field(13, "friend_user_id", &friendUserID)
    }
}

/// The request of ListReviews.
public struct ListReviewsRequest: AppReadRequest, SizedReadRequest, PagedRequest {
    public var options: ReadOptions?
    /// The most reviews to look at: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// The user whose profile it is, or who has the friend; empty means all.
    public var reviewedUserID = ""
    /// The state of the reviews; UNSPECIFIED means all.
    public var state = ReviewState.unspecified
    /// The path of the field; empty means all.
    public var field = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListReviewsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "reviewed_user_id", &reviewedUserID)
        visitor.field(6, "state", &state)
        visitor.field(7, "field", &field)
    }

    package var readSize: ReadSize { .page(pageSize) }
}

/// The response of ListReviews.
public struct ListReviewsResponse: CodedMessage, PagedList {
    /// The reviews of this page.
    public var reviews: [ProfileReview] = []
    public var nextPageToken = ""
    /// How many fields are under review in the app, or of the user, whatever else is left out.
    public var totalSize: Int32 = 0

    public init() {}

    public var pageItems: [ProfileReview] { reviews }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListReviewsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "reviews", &reviews)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

/// One review to decide.
public struct ReviewVerdict: CodedMessage {
    /// The id of the review.
    public var reviewID = ""
    /// The decision: APPROVED or REJECTED.
    public var decision = ReviewDecision.unspecified
    /// A number for the reason, which the app chooses; not negative.
    public var reasonCode: Int32 = 0
    /// Words for the user; may be empty.
    public var reasonText = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ReviewVerdict", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "review_id", &reviewID)
        visitor.field(2, "decision", &decision)
        visitor.field(3, "reason_code", &reasonCode)
        visitor.field(4, "reason_text", &reasonText)
    }
}

/// The request of DecideReviews.
public struct DecideReviewsRequest: AppWriteRequest, ItemsRequest {
    public var options: WriteOptions?
    /// The reviews to decide: 1 to 100.
    public var items: [ReviewVerdict] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DecideReviewsRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.DecideReviewsResponse", DecideReviewsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "items", &items)
    }
}

/// The outcome for one review of DecideReviews.
public struct DecideReviewsResult: ResultMessage {
    /// The review, as the request wrote it; of a malformed id at most the first 256 bytes.
    public var reviewID = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// Whether the review ended.
    public var changed = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.DecideReviewsResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "review_id", &reviewID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
    }
}

/// The response of DecideReviews, whose `applied` says whether at least one review ended.
public typealias DecideReviewsResponse = ItemsAnswer<DecideReviewsRequest, DecideReviewsResult>
