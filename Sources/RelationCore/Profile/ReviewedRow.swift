package import RelationModel

/// A row with fields whose new values are reviewed: a profile, or the row of a friend.
package protocol ReviewedRow {
    /// The value of the field of that path, empty if it has none; nil if the field has values of
    /// other kinds.
    func reviewedValue(at path: String) -> ReviewedValue?
    mutating func setReviewedValue(_ value: ReviewedValue, at path: String)
    /// How others see a new value of the field of that path; nil if it is not reviewed.
    static func state(of path: String, in paths: ReviewedPaths) -> ReviewState?
    /// Whether the reviews of a row have the field of `path` before that of `other`.
    static func isBefore(_ path: String, _ other: String) -> Bool
    /// Whether the field of that path may be reviewed.
    static func mayReview(_ path: String) -> Bool
    /// Whether a new value may wait until it is approved.
    static var mayHold: Bool { get }
    /// The most reviews of one row.
    static var mostReviews: Int { get }
}

extension ProfileRecord: ReviewedRow {
    package func reviewedValue(at path: String) -> ReviewedValue? {
        ReviewedValue(of: path, in: self)
    }

    package mutating func setReviewedValue(_ value: ReviewedValue, at path: String) {
        value.set(at: path, into: &self)
    }

    package static func state(of path: String, in paths: ReviewedPaths) -> ReviewState? {
        paths.state(of: path)
    }

    package static func isBefore(_ path: String, _ other: String) -> Bool {
        ProfilePath(path) < ProfilePath(other)
    }

    package static func mayReview(_ path: String) -> Bool { ReviewedPaths.allows(path) }

    package static var mayHold: Bool { true }
    package static var mostReviews: Int { Limits.reviewsOfProfile }
}

extension FriendRecord: ReviewedRow {
    /// The path of the remark.
    package static let remarkPath = "remark"
    /// The path of the wording, with which its writer applied or added.
    package static let wordingPath = "wording"

    package func reviewedValue(at path: String) -> ReviewedValue? {
        if let key = CustomPath.key(in: path) { return ReviewedValue(custom.value(of: key)) }
        if path.isExactly(Self.remarkPath) { return ReviewedValue(text: remark) }
        return path.isExactly(Self.wordingPath) ? ReviewedValue(text: wording) : nil
    }

    package mutating func setReviewedValue(_ value: ReviewedValue, at path: String) {
        if let key = CustomPath.key(in: path) {
            custom.set(value.isEmpty ? nil : .data(value.bytes), of: key)
        } else if path.isExactly(Self.remarkPath) {
            remark = value.text
        } else if path.isExactly(Self.wordingPath) {
            wording = value.text
        }
    }

    package static func state(of path: String, in paths: ReviewedPaths) -> ReviewState? {
        paths.state(of: path, ofFriend: true)
    }

    /// The remark stands first, then the wording, then custom fields in the order of their keys.
    package static func isBefore(_ path: String, _ other: String) -> Bool {
        let (one, two) = (rank(of: path), rank(of: other))
        return one == two ? path.utf8.lexicographicallyPrecedes(other.utf8) : one < two
    }

    private static func rank(of path: String) -> Int {
        if path.isExactly(remarkPath) { return 0 }
        return path.isExactly(wordingPath) ? 1 : 2
    }

    package static func mayReview(_ path: String) -> Bool { ReviewedPaths.allowsOfFriend(path) }

    package static var mayHold: Bool { false }
    package static var mostReviews: Int { Limits.reviewsOfFriend }
}
