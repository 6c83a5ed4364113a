import RelationCore
import RelationModel
import Storage

extension Audit {
    /// Compares the places and the count of reviews with those in the profiles.
    mutating func checkReviews() throws(StorageError) {
        var places: Set<String> = []
        var (count, last): (Int64, UInt64) = (0, 0)
        for user in users {
            try checkFriendReviews(of: user, &places, &count, &last)
            let reviews = try world.storedProfile(of: user).reviews
            let paths = reviews.map(\.field)
            expectSame(Set(paths).count, paths.count, user, "the fields under review")
            for review in reviews {
                let number = ReviewRecord.number(of: review.reviewID) ?? 0
                places.insert("\(number) \(user) ")
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
        let index = try world.rows(of: Tables.reviewIndex, in: world.app.reviews)
            .map { "\($0.key) \($0.record.userID) \($0.record.friendUserID)" }
        if Set(index) != places { note("reviews are at \(index) instead of \(places)") }
    }

    private mutating func checkFriendReviews(
        of user: UserID, _ places: inout Set<String>, _ count: inout Int64, _ last: inout UInt64
    ) throws(StorageError) {
        var own: UInt32 = 0
        for (friend, record) in try world.rows(of: Tables.friendReviews, of: user) {
            expect(!record.reviews.isEmpty, user, "has a row without reviews")
            let isFriend = try world.friend(friend, of: user) != nil
            let hasSent = try world.pendency(.sendOut, with: friend, of: user) != nil
            let hasCome = try world.pendency(.comeIn, with: user, of: friend) != nil
            let isOfWording = record.reviews.allSatisfy(\.isOfWording)
            expect(
                isFriend || isOfWording && (hasSent || hasCome), user,
                "has reviews of no friend's row")
            for review in record.reviews {
                let number = ReviewRecord.number(of: review.reviewID) ?? 0
                places.insert("\(number) \(user) \(friend)")
                last = max(last, number)
                own += 1
                expect(!review.value.isEmpty, user, "has a review of nothing")
                expect(review.state == .shown, user, "has a friend's text that is held")
            }
        }
        count += Int64(own)
        // The rows of an account that is being deleted go in steps, and its record went first.
        guard let userRecord = try world.userRecord(of: user) else { return }
        expectSame(userRecord.friendReviewCount, own, user, "the count of reviews")
    }
}
