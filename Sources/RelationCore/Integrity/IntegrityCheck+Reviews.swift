import RelationModel
import Storage

// A review stands in the profile of its user; its number with the app, which counts the reviews.

extension IntegrityCheck {
    /// Checks that the app has the number of each review of the user's profile.
    mutating func checkReviews() throws(StorageError) {
        let user = user
        let profile = try Tables.profiles.record(partition, OnlyKey(), in: transaction)
        for review in profile?.reviews ?? [] {
            guard let number = review.number else { continue }
            let place = try Tables.reviewPlaces.record(app.reviews, number, in: transaction)
            guard place?.userID != user.text else { continue }
            note(.rowWithoutIndex, "reviews") { (ledger) throws(StorageError) in
                try Tables.reviewPlaces.set(
                    ReviewPlaceRecord(of: user), at: ledger.app.reviews, number,
                    in: ledger.transaction)
            }
        }
    }
}

extension Integrity {
    /// The error of the app's list of reviews: a wrong count, or numbers without a review; nil if
    /// it has none.
    package static func reviewFault(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Finding? {
        let (counts, strays) = try reviews(of: app, in: transaction)
        let head = try Reviews.head(of: app, in: transaction)
        let isRight =
            strays.isEmpty && head.count == counts.count && head.last >= counts.last
        return isRight ? nil : Finding(user: nil, fault: .wrongCounter, subject: "review_places")
    }

    /// Drops numbers without a review from the app's list, and counts it anew.
    ///
    /// - Returns: Whether it had an error.
    package static func repairReviews(in ledger: Ledger) throws(StorageError) -> Bool {
        let (app, transaction) = (ledger.app, ledger.transaction)
        guard try reviewFault(of: app, in: transaction) != nil else { return false }
        var (counts, strays) = try reviews(of: app, in: transaction)
        for number in strays { Tables.reviewPlaces.remove(app.reviews, number, in: transaction) }
        counts.last = max(counts.last, try Reviews.head(of: app, in: transaction).last)
        try Tables.reviewCounts.set(counts, at: app.reviews, OnlyKey(), in: transaction)
        return true
    }

    /// The counts that the reviews have, and the numbers that have none.
    private static func reviews(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> (counts: ReviewsRecord, strays: [UInt64]) {
        let table = Tables.reviewPlaces
        var (counts, strays): (ReviewsRecord, [UInt64]) = (ReviewsRecord(), [])
        var last: UInt64?
        while true {
            var (numbers, keys): ([UInt64], KeyList) = ([], KeyList())
            let range =
                last.map { table.rows(of: app.reviews, after: $0) } ?? table.all(of: app.reviews)
            try table.scan(range, limit: CoreLimits.keysPerRead, in: transaction) { number, bytes in
                numbers.append(number)
                let place = table.decode(bytes, in: transaction.arena) ?? ReviewPlaceRecord()
                let user = UserID(stored: place.userID.utf8)
                Tables.profiles.add(app.partition(of: user), OnlyKey(), to: &keys)
                return .more
            }
            guard let end = numbers.last else { return (counts, strays) }
            last = end
            counts.last = end
            let profiles = try Tables.profiles.records(keys, in: transaction)
            for (number, profile) in zip(numbers, profiles) {
                if profile?.reviews.contains(where: { $0.number == number }) ?? false {
                    counts.count += 1
                } else {
                    strays.append(number)
                }
            }
        }
    }
}
