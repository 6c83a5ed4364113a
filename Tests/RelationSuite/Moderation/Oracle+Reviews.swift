import RelationModel

/// A text of a profile that an app reviews.
package enum ReviewedText: String, Sendable {
    /// Its new values are held.
    case signature = "self_signature"
    /// Its new values are shown.
    case link
}

extension Oracle {
    /// A value under review.
    package struct Review: Equatable {
        package var value = ""
        /// The value that was approved before, of a text that is shown.
        package var former = ""

        package init() {}
    }

    mutating func write(_ text: ReviewedText, _ value: String, of user: UserID) -> Answer {
        let present = view.texts[user]?[text.rawValue] ?? ""
        let open = view.reviews[user]?[text.rawValue]
        let approved = text == .link ? open?.former ?? present : present
        guard !value.isEmpty, value != approved else {
            set(text.rawValue, value, of: user, nil)
            return Answer(0)
        }
        guard open != nil || reviewCount < limits.reviews else {
            return Answer(30001, "Err_Review_Num_Exceed_Threshold")
        }
        var review = Review()
        review.value = value
        if text == .link { review.former = approved }
        set(text.rawValue, text == .link ? value : present, of: user, review)
        return Answer(0)
    }

    mutating func decide(_ text: ReviewedText, of user: UserID, approve: Bool) -> Answer {
        guard let review = view.reviews[user]?[text.rawValue] else {
            return Answer(30001, "Err_ReviewDecide_Not_Exist")
        }
        let present = view.texts[user]?[text.rawValue] ?? ""
        switch (text, approve) {
        case (.signature, true): set(text.rawValue, review.value, of: user, nil)
        case (.link, false): set(text.rawValue, review.former, of: user, nil)
        case (.signature, false), (.link, true): set(text.rawValue, present, of: user, nil)
        }
        return Answer(0)
    }

    private var reviewCount: Int {
        view.reviews.values.reduce(view.remarkReviews.count) { $0 + $1.count }
    }

    // MARK: Remarks

    static let noRoomForRemark = Answer(30001, "Err_Friend_Review_Num_Exceed_Threshold")

    /// The remark of a row that was approved last.
    private func approvedRemark(_ pair: Pair) -> String {
        view.remarkReviews[pair]?.former ?? view.rows[pair]?.remark ?? ""
    }

    /// Whether the app has room for the review of a remark that a row is to get; nil leaves it.
    func hasRoom(for remark: String?, _ pair: Pair) -> Bool {
        guard reviewsRemarks, let remark, !remark.isEmpty, remark != approvedRemark(pair) else {
            return true
        }
        return view.remarkReviews[pair] != nil || reviewCount < limits.reviews
    }

    /// Reviews a remark that a row is about to get; nil leaves it.
    mutating func review(_ remark: String?, _ pair: Pair, isReviewed: Bool = true) {
        guard let remark else { return }
        let approved = approvedRemark(pair)
        guard reviewsRemarks, isReviewed, !remark.isEmpty, remark != approved else {
            view.remarkReviews[pair] = nil
            return
        }
        var review = Review()
        (review.value, review.former) = (remark, approved)
        view.remarkReviews[pair] = review
    }

    mutating func endReviewsOfMissingRows() {
        view.remarkReviews = view.remarkReviews.filter { view.rows[$0.key] != nil }
    }

    mutating func decideRemark(of friend: UserID, by owner: UserID, approve: Bool) -> Answer {
        let pair = Pair(owner, friend)
        guard let review = view.remarkReviews.removeValue(forKey: pair) else {
            return Answer(30001, "Err_ReviewDecide_Not_Exist")
        }
        if !approve { view.rows[pair]?.remark = review.former }
        return Answer(0)
    }

    mutating func set(
        _ path: String, _ value: String, of user: UserID, _ review: Review?
    ) {
        view.texts[user, default: [:]][path] = value.isEmpty ? nil : value
        view.reviews[user, default: [:]][path] = review
        if view.texts[user] == [:] { view.texts[user] = nil }
        if view.reviews[user] == [:] { view.reviews[user] = nil }
    }
}
