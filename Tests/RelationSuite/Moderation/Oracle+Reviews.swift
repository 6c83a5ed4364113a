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
        let count = view.reviews.values.reduce(0) { $0 + $1.count }
        guard open != nil || count < limits.reviews else {
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

    private mutating func set(
        _ path: String, _ value: String, of user: UserID, _ review: Review?
    ) {
        view.texts[user, default: [:]][path] = value.isEmpty ? nil : value
        view.reviews[user, default: [:]][path] = review
        if view.texts[user] == [:] { view.texts[user] = nil }
        if view.reviews[user] == [:] { view.reviews[user] = nil }
    }
}
