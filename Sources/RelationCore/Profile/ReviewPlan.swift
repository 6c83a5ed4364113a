import RelationModel

/// The effect of an update on the reviews of a profile, field by field.
///
/// A new value of a reviewed field asks for a review, which takes the place of one that is open. It
/// needs none if it is empty, a number, or the value that was approved before; then an open review
/// is withdrawn.
struct ReviewPlan {
    private let old: ProfileRecord
    private let paths: ReviewedPaths
    private let isReviewed: Bool
    private let now: Timestamp
    /// All reviews of the profile after the update; those without an id are new.
    private(set) var reviews: [ReviewRecord]
    /// The reviews that are no more: withdrawn, or replaced by new ones.
    private(set) var ended: [ReviewRecord] = []
    private(set) var withdrawn: [ReviewRecord] = []

    /// - Parameter isReviewed: Whether the values of the caller are reviewed.
    init(_ old: ProfileRecord, _ settings: AppSettings, isReviewed: Bool, at now: Timestamp) {
        self.old = old
        self.isReviewed = isReviewed
        self.now = now
        paths = settings.reviewedFields
        reviews = old.reviews
    }

    /// The reviews that the update asks for.
    var asked: [ReviewRecord] { reviews.filter(\.reviewID.isEmpty) }

    /// The paths of the fields that were not under review before.
    var added: [String] {
        let open = old.reviews.map(\.field)
        return asked.map(\.field).filter { path in !open.contains(where: path.isExactly) }
    }

    var hasChanged: Bool { !ended.isEmpty || !asked.isEmpty }

    /// How many more reviews there are after the update.
    var growth: Int { reviews.count - old.reviews.count }

    /// Reviews the value of the field of that path that the update has put into `row`.
    ///
    /// A value that has to wait is put out of `row` again.
    mutating func review(_ path: String, in row: inout ProfileRecord) {
        let index = reviews.firstIndex { $0.field.isExactly(path) }
        guard let wanted = ReviewedValue(of: path, in: row), isReviewed, !wanted.isEmpty,
            let state = paths.state(of: path)
        else { return withdraw(index) }
        // A number, from a time when a custom field had another type, counts as no value.
        let present = ReviewedValue(of: path, in: old) ?? ReviewedValue()
        let open = index.map { reviews[$0] }
        let approved = open?.state == .shown ? open?.formerValue ?? present : present
        guard wanted != approved else { return withdraw(index) }
        if state == .held { approved.put(at: path, into: &row) }
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
            let place = ProfilePath(path)
            let next = reviews.firstIndex { place < ProfilePath($0.field) }
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
