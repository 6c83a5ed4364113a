import RelationAPI
import RelationCore
import RelationModel

// The rows of moderators in an export, as the store has them.

extension ReportRecord {
    init(_ row: UserReport) {
        self.init()
        reportID = row.reportID
        reportedUserID = row.reportedUserID
        reporterUserID = row.reporterUserID
        category = row.category
        text = row.text
        reference = row.reference
        count = row.count
        firstReportTimeMs = row.firstReportTimeMs
        reportTimeMs = row.reportTimeMs
        outcome = row.outcome
        note = row.note
        resolveTimeMs = row.resolveTimeMs
    }
}

extension ProfileRecord {
    /// Takes the reviews of an export's profile.
    mutating func apply(_ rows: [ProfileReview]) throws(AppRowError) {
        reviews = try Self.reviews(rows)
    }
}

extension ReviewedRow {
    /// The reviews of an export's row.
    ///
    /// The field need not be reviewed any more.
    static func reviews(_ rows: [ProfileReview]) throws(AppRowError) -> [ReviewRecord] {
        var reviews: [ReviewRecord] = []
        for row in rows {
            guard mayReview(row.field), row.field.utf8.count <= SettingBounds.fieldPathBytes,
                reviews.count < mostReviews,
                reviews.last.map({ isBefore($0.field, row.field) }) ?? true
            else {
                throw AppRowError(
                    "reviews.field", "is not a field whose values are reviewed, or is out of order")
            }
            guard row.state == .shown || row.state == .held && mayHold else {
                throw AppRowError("reviews.state", "is not a state that this server knows")
            }
            let number = ReviewRecord.number(of: row.reviewID) ?? .max
            guard number <= UInt64(Limits.exportedSequence) else {
                throw AppRowError("reviews.review_id", "is not an id of a review")
            }
            let record = ReviewRecord(row)
            guard record.value.isShort, record.formerValue.isShort, !record.value.isEmpty else {
                throw AppRowError("reviews.text", "is empty or too long")
            }
            guard (0...Limits.exportedTimeMs).contains(row.writeTimeMs) else {
                throw AppRowError(
                    "reviews.write_time_ms", "must be 0 to \(Limits.exportedTimeMs)")
            }
            reviews.append(record)
        }
        return reviews
    }
}

extension ReviewedValue {
    /// Whether some limit that an app may choose allows the value.
    fileprivate var isShort: Bool {
        text.utf8.count + data.count <= Limits.reviewedValueBytes
    }
}

extension ReviewRecord {
    /// The review as the store has it.
    fileprivate init(_ row: ProfileReview) {
        self.init()
        reviewID = row.reviewID
        field = row.field
        state = row.state
        value = ReviewedValue(bytes: ReviewedValue(text: row.text, data: row.data).bytes)
        let former = ReviewedValue(text: row.formerText, data: row.formerData)
        if row.state == .shown { formerValue = ReviewedValue(bytes: former.bytes) }
        writeTimeMs = row.writeTimeMs
    }
}
