package import Protobuf
package import RelationModel

/// A field whose new value is under review, in the row of the profile or beside that of the friend.
///
/// Its fields are those of the contract's `ProfileReview`, one by one.
package struct ReviewRecord: CodedMessage, Equatable {
    package var reviewID = ""
    /// The user, set in events and answers only: the row has it in its key.
    package var userID = ""
    /// The path of the field.
    package var field = ""
    package var state = ReviewState.unspecified
    /// The new value, if it is a text; otherwise it is in `data`.
    package var text = ""
    package var data: [UInt8] = []
    /// The value that was approved before, of a field that is shown.
    package var formerText = ""
    package var formerData: [UInt8] = []
    package var writeTimeMs: Int64 = 0
    /// How the review ended, with the reason; set in events only.
    package var decision = ReviewDecision.unspecified
    package var reasonCode: Int32 = 0
    package var reasonText = ""
    /// The friend whose row it is, set likewise; empty for a field of the profile.
    package var friendUserID = ""

    package init() {}

    package static let schema = Schema("relation.store.Review", ReviewRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
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

    /// The number of the review, under which the app's index has it; nil for a new one.
    package var number: UInt64? { Self.number(of: reviewID) }

    /// The id of the review of that number, and its number.
    package static func text(of number: UInt64) -> String { "\(number)" }

    package static func number(of text: String) -> UInt64? {
        guard let number = UInt64(text), number > 0, Self.text(of: number) == text else {
            return nil
        }
        return number
    }

    /// The most bytes that it takes in an answer.
    var answerBytes: Int {
        let texts = [reviewID, userID, friendUserID, field, text, formerText]
        return texts.reduce(100 + data.count + formerData.count) { $0 + $1.utf8.count }
    }

    /// The review as events and answers have it.
    ///
    /// - Parameter friend: The friend of whose row it is; nil for one of the profile.
    package func attributed(to user: UserID, _ friend: UserID? = nil) -> ReviewRecord {
        var review = self
        review.userID = user.text
        review.friendUserID = friend?.text ?? ""
        return review
    }
}

/// The reviews of one friend's row, in the order of the remark, the wording, and then of the custom
/// fields' keys.
///
/// That of a wording may stand there before the row does: while the owner's application waits.
package struct FriendReviewsRecord: CodedMessage, Equatable {
    package var reviews: [ReviewRecord] = []

    package init() {}

    package init(_ reviews: [ReviewRecord]) {
        self.reviews = reviews
    }

    package static let schema = Schema("relation.store.FriendReviews", FriendReviewsRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "reviews", &reviews)
    }
}

/// The index entry of a review: the user whose profile, or whose row of the friend, has it.
package struct ReviewIndexRecord: CodedMessage, Equatable {
    package var userID = ""
    /// Empty for a field of the profile.
    package var friendUserID = ""

    package init() {}

    package init(of user: UserID, _ friend: UserID? = nil) {
        userID = user.text
        friendUserID = friend?.text ?? ""
    }

    package var user: UserID { UserID(stored: userID) }
    package var friend: UserID? {
        friendUserID.isEmpty ? nil : UserID(stored: friendUserID)
    }

    package static let schema = Schema("relation.store.ReviewPlace", ReviewIndexRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "friend_user_id", &friendUserID)
    }
}

/// The facts about the reviews of an app as a whole.
package struct ReviewsRecord: CodedMessage, Equatable {
    /// The number of the latest review.
    package var last: UInt64 = 0
    package var count: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Reviews", ReviewsRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "last", &last)
        visitor.field(2, "count", &count)
    }
}
