import RelationModel

/// The effect of an update on the reviews of a row, field by field.
///
/// A new value of a reviewed field asks for a review, which takes the place of one that is open. It
/// needs none if it is empty, a number, or the value that was approved before; then an open review
/// is withdrawn.
struct ReviewPlan<Row: ReviewedRow> {
    private let old: Row
    private let former: [ReviewRecord]
    private let paths: ReviewedPaths
    private let isReviewed: Bool
    private let now: Timestamp
    /// All reviews of the row after the update; those without an id are new.
    private(set) var reviews: [ReviewRecord]
    /// The reviews that are no more: withdrawn, or replaced by new ones.
    private(set) var ended: [ReviewRecord] = []
    private(set) var withdrawn: [ReviewRecord] = []

    /// - Parameters:
    ///   - reviews: The reviews of the row before the update.
    ///   - isReviewed: Whether the values of the caller are reviewed.
    init(
        _ old: Row, _ reviews: [ReviewRecord], _ settings: AppSettings, isReviewed: Bool,
        at now: Timestamp
    ) {
        self.old = old
        former = reviews
        self.isReviewed = isReviewed
        self.now = now
        paths = settings.reviewedFields
        self.reviews = reviews
    }

    /// The reviews that the update asks for.
    var asked: [ReviewRecord] { reviews.filter(\.reviewID.isEmpty) }

    /// The paths of the fields that were not under review before.
    var added: [String] {
        let open = former.map(\.field)
        return asked.map(\.field).filter { path in !open.contains(where: path.isExactly) }
    }

    var hasChanged: Bool { !ended.isEmpty || !asked.isEmpty }

    /// How many more reviews there are after the update.
    var growth: Int { reviews.count - former.count }

    /// Reviews the value of the field of that path that the update has put into `row`.
    ///
    /// A value that has to wait is put out of `row` again.
    mutating func review(_ path: String, in row: inout Row) {
        let index = reviews.firstIndex { $0.field.isExactly(path) }
        guard let wanted = row.reviewedValue(at: path), isReviewed, !wanted.isEmpty,
            let state = Row.state(of: path, in: paths)
        else { return withdraw(index) }
        // A number, from a time when a custom field had another type, counts as no value.
        let present = old.reviewedValue(at: path) ?? ReviewedValue()
        let open = index.map { reviews[$0] }
        let approved = open?.state == .shown ? open?.formerValue ?? present : present
        guard wanted != approved else { return withdraw(index) }
        if state == .held { row.setReviewedValue(approved, at: path) }
        if let open, open.state == state, open.value == wanted { return }
        var review = ReviewRecord()
        review.field = path
        review.state = state
        review.value = wanted
        if state == .shown { review.formerValue = approved }
        review.writeTimeMs = now.milliseconds
        if let index, let open {
            ended.append(open)
            reviews[index] = review
        } else {
            let next = reviews.firstIndex { Row.isBefore(path, $0.field) }
            reviews.insert(review, at: next ?? reviews.count)
        }
    }

    private mutating func withdraw(_ index: Int?) {
        guard let index else { return }
        let review = reviews.remove(at: index)
        ended.append(review)
        withdrawn.append(review)
    }
}
