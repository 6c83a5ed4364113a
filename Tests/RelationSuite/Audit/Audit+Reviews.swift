import RelationCore
import RelationModel
import Storage

extension Audit {
    /// Compares the places and the count of reviews with those in the profiles.
    mutating func checkReviews() throws(StorageError) {
        var places: Set<String> = []
        var (count, last): (Int64, UInt64) = (0, 0)
        for user in users {
            let reviews = try world.storedProfile(of: user).reviews
            let paths = reviews.map(\.field)
            expectSame(Set(paths).count, paths.count, user, "the fields under review")
            for review in reviews {
                let number = ReviewRecord.number(of: review.reviewID) ?? 0
                places.insert("\(number) \(user)")
                count += 1
                last = max(last, number)
                expect(!review.value.isEmpty, user, "has a review of nothing")
                expect(
                    review.state == .shown || review.formerValue.isEmpty, user,
                    "keeps the value before one that is held")
                expect(review.decision == .unspecified, user, "has a review that ended")
            }
        }
        let found = try world.reviewCounts()
        if found.count != count || found.last < last {
            note("counts reviews as \(found) instead of \(count) up to \(last)")
        }
        let index = try world.rows(of: Tables.reviewPlaces, in: world.app.reviews)
            .map { "\($0.key) \($0.record.userID)" }
        if Set(index) != places { note("reviews are at \(index) instead of \(places)") }
    }
}
