import RelationModel
import Storage

// A review stands in the profile of its user, or beside its row of a friend; its number with the
// app, which counts the reviews.

extension IntegrityCheck {
    /// Checks that the app has the number of each review of the user's profile, and of its rows of
    /// friends, which the account counts.
    mutating func checkReviews(
        _ friends: [(key: UserID, record: FriendRecord)]
    ) throws(StorageError) {
        let profile = try Tables.profiles.record(partition, OnlyKey(), in: transaction)
        try checkReviews(profile?.reviews ?? [], ReviewIndexRecord(of: user))
        let known = Set(friends.map(\.key))
        var count = 0
        for (friend, record) in try rows(of: Tables.friendReviews) {
            let isKnown = known.contains(friend)
            guard try isKnown ? true : isOfApplication(record, from: user, to: friend) else {
                let user = user
                note(.indexWithoutRow, "reviews_of_friends", friend) { ledger in
                    Tables.friendReviews.remove(
                        ledger.partition(of: user), friend, in: ledger.transaction)
                }
                continue
            }
            count += record.reviews.count
            try checkReviews(record.reviews, ReviewIndexRecord(of: user, friend))
        }
        checkCount("reviews_of_friends", \.friendReviewCount, count)
    }

    /// Whether it is the review of an application's wording, which a list of either side has.
    private func isOfApplication(
        _ record: FriendReviewsRecord, from user: UserID, to friend: UserID
    ) throws(StorageError) -> Bool {
        guard !record.reviews.isEmpty, record.reviews.allSatisfy(\.isOfWording) else {
            return false
        }
        let (sent, received) = (PendencyKey(.sendOut, friend), PendencyKey(.comeIn, user))
        let isSent = try Tables.pendencies.contains(partition, sent, in: transaction)
        guard !isSent else { return true }
        return try Tables.pendencies.contains(
            app.partition(of: friend), received, in: transaction)
    }

    private mutating func checkReviews(
        _ reviews: [ReviewRecord], _ right: ReviewIndexRecord
    ) throws(StorageError) {
        for review in reviews {
            guard let number = review.number else { continue }
            let entry = try Tables.reviewIndex.record(app.reviews, number, in: transaction)
            guard entry != right else { continue }
            note(.rowWithoutIndex, "reviews", right.friend) { (ledger) throws(StorageError) in
                try Tables.reviewIndex.set(
                    right, at: ledger.app.reviews, number, in: ledger.transaction)
            }
        }
    }
}

extension Integrity {
    /// The error of the app's list of reviews: a wrong count, or numbers without a review; nil if
    /// it has none.
    package static func reviewFinding(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Finding? {
        let (counts, strays) = try reviews(of: app, in: transaction)
        let summary = try Reviews.summary(of: app, in: transaction)
        let isRight =
            strays.isEmpty && summary.count == counts.count && summary.last >= counts.last
        return isRight ? nil : Finding(user: nil, fault: .wrongCounter, subject: "review_places")
    }

    /// Drops numbers without a review from the app's list, and counts it again.
    ///
    /// - Returns: Whether it had an error.
    package static func repairReviews(in ledger: Ledger) throws(StorageError) -> Bool {
        let (app, transaction) = (ledger.app, ledger.transaction)
        guard try reviewFinding(of: app, in: transaction) != nil else { return false }
        var (counts, strays) = try reviews(of: app, in: transaction)
        for number in strays { Tables.reviewIndex.remove(app.reviews, number, in: transaction) }
        counts.last = max(counts.last, try Reviews.summary(of: app, in: transaction).last)
        try Tables.reviewCounts.set(counts, at: app.reviews, OnlyKey(), in: transaction)
        return true
    }

    /// The counts that the reviews have, and the numbers that have none.
    private static func reviews(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> (counts: ReviewsRecord, strays: [UInt64]) {
        let table = Tables.reviewIndex
        var (counts, strays): (ReviewsRecord, [UInt64]) = (ReviewsRecord(), [])
        var last: UInt64?
        while true {
            var (numbers, entries): ([UInt64], [ReviewIndexRecord]) = ([], [])
            let range =
                last.map { table.rows(of: app.reviews, after: $0) } ?? table.all(of: app.reviews)
            try table.scan(range, limit: CoreLimits.keysPerRead, in: transaction) { number, bytes in
                numbers.append(number)
                entries.append(table.decode(bytes, in: transaction.arena) ?? ReviewIndexRecord())
                return .more
            }
            guard let end = numbers.last else { return (counts, strays) }
            last = end
            counts.last = end
            let found = try Reviews.reviews(at: entries, app: app, in: transaction)
            for (number, reviews) in zip(numbers, found) {
                if reviews.contains(where: { $0.number == number }) {
                    counts.count += 1
                } else {
                    strays.append(number)
                }
            }
        }
    }
}
