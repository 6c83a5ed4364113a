package import RelationModel
package import Storage

/// Rules over new values, of profiles and of friends' rows, that an app's moderators review.
///
/// A review stands in the row of the profile, or beside that of the friend, under a number that
/// grows with each review of the app. The app has a row for each number. Another value of the field
/// has another number, so no moderator approves a value that it has not seen.
package enum Reviews {
    /// The decision about a review.
    package struct Verdict: Equatable {
        package let number: UInt64
        package let isApproved: Bool
        package var reasonCode: Int32 = 0
        package var reasonText = ""

        package init(_ number: UInt64, isApproved: Bool) {
            (self.number, self.isApproved) = (number, isApproved)
        }
    }

    /// Whether an update of the profile may begin or end reviews.
    static func areAffected(_ profile: ProfileRecord, _ settings: AppSettings) -> Bool {
        !settings.reviewedFields.isEmpty || !profile.reviews.isEmpty
    }

    /// Approves or rejects the value of a profile with the review of that number.
    static func decide(
        _ verdict: Verdict, ofProfile user: UserID, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        let none = FriendOutcome(.invalidParameter, Reason.ReviewDecide.notExist)
        var keys = KeyList()
        Tables.userRecords.add(ledger.partition(of: user), OnlyKey(), to: &keys)
        Tables.profiles.add(ledger.partition(of: user), OnlyKey(), to: &keys)
        try ledger.fetch(keys)
        guard try ledger.userRecord(of: user) != nil else { return none }
        let old = try Profiles.record(of: user, app: ledger.app, in: ledger.transaction)
        guard let index = old.reviews.firstIndex(where: { $0.number == verdict.number }) else {
            return none
        }
        var row = old
        var review = row.reviews.remove(at: index)
        switch (review.state, verdict.isApproved) {
        case (.shown, true): break
        case (.shown, false): review.formerValue.set(at: review.field, into: &row)
        case (_, true): review.value.set(at: review.field, into: &row)
        case (_, false): break
        }
        try Profiles.save(row, since: old, decided: review.field, of: user, in: ledger)
        try end(&review, by: verdict, of: user, in: ledger)
        return .success
    }

    /// Removes the index entry of a review that was decided, and tells of the decision.
    static func end(
        _ review: inout ReviewRecord, by verdict: Verdict, of user: UserID,
        _ friend: UserID? = nil, in ledger: Ledger
    ) throws(StorageError) {
        var counts = try summary(of: ledger.app, in: ledger.transaction)
        remove(verdict.number, from: &counts, in: ledger)
        try write(counts, in: ledger)
        review.decision = verdict.isApproved ? .approved : .rejected
        review.reasonCode = verdict.reasonCode
        review.reasonText = verdict.reasonText
        try notify(.reviewDecided, review, of: user, friend, in: ledger)
    }

    // MARK: Reading

    package static func summary(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> ReviewsRecord {
        try Tables.reviewCounts.record(app.reviews, OnlyKey(), in: transaction) ?? ReviewsRecord()
    }

    /// The first `limit` reviews above `number`, and the number of the last one that was looked at,
    /// if there are more.
    ///
    /// They are fewer if they are long, so that they fit into a page.
    ///
    /// - Parameters:
    ///   - user: The user whose profile, or whose rows of friends, they are of; nil for all.
    ///   - rowsPerRead: The most rows with reviews that are read at once.
    package static func page(
        of user: UserID?, after number: UInt64, limit: Int, rowsPerRead: Int, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> (rows: [ReviewRecord], next: UInt64?) {
        var entries = try Self.entries(
            of: user, after: number, limit: limit + 1, app: app, in: transaction)
        let next = entries.count > limit ? entries[limit - 1].number : nil
        if next != nil { entries.removeLast() }
        var rows: [ReviewRecord] = []
        for start in stride(from: 0, to: entries.count, by: rowsPerRead) {
            let part = entries[start..<min(start + rowsPerRead, entries.count)]
            let found = try reviews(at: part.map(\.entry), app: app, in: transaction)
            for (index, entry) in part.enumerated() {
                let review = found[index].first { $0.number == entry.number }
                if let review {
                    rows.append(review.attributed(to: entry.entry.user, entry.entry.friend))
                }
            }
            let fitting = Self.fitting(rows)
            if fitting.count < rows.count { return (fitting, fitting.last?.number) }
        }
        return (rows, next)
    }

    /// The first `limit` index entries above `number`, of one user or of all.
    private static func entries(
        of user: UserID?, after number: UInt64, limit: Int, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [(number: UInt64, entry: ReviewIndexRecord)] {
        if let user {
            let own = try ownEntries(of: user, app: app, in: transaction)
            let next = own.filter { $0.number > number }.sorted { $0.number < $1.number }
            return Array(next.prefix(limit))
        }
        var entries: [(number: UInt64, entry: ReviewIndexRecord)] = []
        let (table, partition) = (Tables.reviewIndex, app.reviews)
        let range =
            number == 0 ? table.all(of: partition) : table.rows(of: partition, after: number)
        try table.scan(range, limit: limit, in: transaction) { number, bytes in
            let entry = table.decode(bytes, in: transaction.arena) ?? ReviewIndexRecord()
            entries.append((number, entry))
            return .more
        }
        return entries
    }

    /// The index entries of one user, whose rows stand in another order than that of the numbers.
    private static func ownEntries(
        of user: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [(number: UInt64, entry: ReviewIndexRecord)] {
        var entries: [(number: UInt64, entry: ReviewIndexRecord)] = []
        let profile = try Profiles.record(of: user, app: app, in: transaction)
        for number in profile.reviews.compactMap(\.number) {
            entries.append((number, ReviewIndexRecord(of: user)))
        }
        try forEachFriend(of: user, app: app, in: transaction) { friend, reviews in
            let entry = ReviewIndexRecord(of: user, friend)
            for number in reviews.compactMap(\.number) { entries.append((number, entry)) }
        }
        return entries
    }

    /// The reviews of each row of `owner` that has some.
    static func forEachFriend(
        of owner: UserID, app: App, in transaction: any ReadTransaction,
        _ body: (UserID, [ReviewRecord]) -> Void
    ) throws(StorageError) {
        let table = Tables.friendReviews
        var isBroken = false
        try table.scan(
            table.all(of: app.partition(of: owner)), limit: .max, in: transaction
        ) { friend, bytes in
            guard let record = table.decode(bytes, in: transaction.arena) else {
                isBroken = true
                return .stop
            }
            body(friend, record.reviews)
            return .more
        }
        if isBroken { throw StorageError(.corrupted, "reviews of \(owner) do not decode") }
    }

    /// The reviews of the profiles and of the friends' rows that the index entries name.
    static func reviews(
        at entries: [ReviewIndexRecord], app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [[ReviewRecord]] {
        var (profileKeys, friendKeys) = (KeyList(), KeyList())
        for entry in entries {
            let partition = app.partition(of: entry.user)
            if let friend = entry.friend {
                Tables.friendReviews.add(partition, friend, to: &friendKeys)
            } else {
                Tables.profiles.add(partition, OnlyKey(), to: &profileKeys)
            }
        }
        var profiles = try Tables.profiles.records(profileKeys, in: transaction).makeIterator()
        var friends = try Tables.friendReviews.records(friendKeys, in: transaction).makeIterator()
        return entries.map { entry in
            entry.friend == nil
                ? (profiles.next() ?? nil)?.reviews ?? [] : (friends.next() ?? nil)?.reviews ?? []
        }
    }

    /// How many fields of the user's profile and of its rows of friends are under review.
    package static func count(
        of user: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int {
        let profile = try Profiles.record(of: user, app: app, in: transaction)
        let userRecord = try Tables.userRecords.record(
            app.partition(of: user), OnlyKey(), in: transaction)
        return profile.reviews.count + Int(userRecord?.friendReviewCount ?? 0)
    }

    /// The first of the reviews: as many as fit into a page, and at least one.
    private static func fitting(_ rows: [ReviewRecord]) -> [ReviewRecord] {
        var bytes = 0
        return Array(
            rows.prefix { row in
                let isFirst = bytes == 0
                bytes += row.answerBytes
                return isFirst || bytes <= Limits.pageBytes
            })
    }

    // MARK: Rows

    /// Whether the app may have so many reviews more.
    static func haveRoom(for growth: Int, in ledger: Ledger) throws(StorageError) -> Bool {
        guard growth > 0 else { return true }
        let counts = try summary(of: ledger.app, in: ledger.transaction)
        return Int(counts.count) + growth <= ledger.limits.reviews
    }

    /// Writes the index entries of the reviews that the plan changes.
    ///
    /// - Parameter friend: The friend whose row it is; nil for the profile.
    /// - Returns: All reviews of the row, each with its id.
    static func carryOut<Row>(
        _ plan: ReviewPlan<Row>, of user: UserID, _ friend: UserID? = nil, in ledger: Ledger
    ) throws(StorageError) -> [ReviewRecord] {
        var reviews = plan.reviews
        guard plan.hasChanged else { return reviews }
        var counts = try summary(of: ledger.app, in: ledger.transaction)
        for review in plan.ended { remove(review.number ?? 0, from: &counts, in: ledger) }
        for index in reviews.indices where reviews[index].reviewID.isEmpty {
            reviews[index].reviewID = ReviewRecord.text(of: counts.last + 1)
            try add(counts.last + 1, of: user, friend, to: &counts, in: ledger)
        }
        try write(counts, in: ledger)
        return reviews
    }

    /// Notifies the app of the reviews that the plan changed.
    static func notifyChanges<Row>(
        _ plan: ReviewPlan<Row>, _ reviews: [ReviewRecord], of user: UserID,
        _ friend: UserID? = nil, in ledger: Ledger
    ) throws(StorageError) {
        let new = plan.asked.map(\.field)
        for review in reviews where new.contains(where: review.field.isExactly) {
            try notify(.reviewAsked, review, of: user, friend, in: ledger)
        }
        try notifyWithdrawn(plan.withdrawn, of: user, friend, in: ledger)
    }

    static func notifyWithdrawn(
        _ reviews: [ReviewRecord], of user: UserID, _ friend: UserID?, in ledger: Ledger
    ) throws(StorageError) {
        for var review in reviews {
            review.decision = .withdrawn
            try notify(.reviewDecided, review, of: user, friend, in: ledger)
        }
    }

    /// Writes the index entries of the reviews of an export's row, and tells of them.
    ///
    /// - Parameter friend: The friend whose row it is; nil for the profile.
    /// - Returns: The reviews; one whose id another review has gets a new one.
    static func restore(
        _ reviews: [ReviewRecord], of user: UserID, _ friend: UserID? = nil, in ledger: Ledger
    ) throws(StorageError) -> [ReviewRecord] {
        guard !reviews.isEmpty else { return [] }
        let partition = ledger.app.reviews
        var keys = KeyList()
        Tables.reviewCounts.add(partition, OnlyKey(), to: &keys)
        for number in reviews.compactMap(\.number) {
            Tables.reviewIndex.add(partition, number, to: &keys)
        }
        try ledger.fetch(keys)
        var restored = reviews
        var counts = try summary(of: ledger.app, in: ledger.transaction)
        for index in restored.indices {
            var number = restored[index].number ?? 0
            let isTaken = try Tables.reviewIndex.contains(
                partition, number, in: ledger.transaction)
            if number == 0 || isTaken { number = counts.last + 1 }
            restored[index].reviewID = ReviewRecord.text(of: number)
            try add(number, of: user, friend, to: &counts, in: ledger)
        }
        try write(counts, in: ledger)
        for review in restored {
            try notify(.reviewAsked, review, of: user, friend, in: ledger)
        }
        return restored
    }

    /// Removes the index entries of the reviews of a row that goes.
    static func removeEntries(_ reviews: [ReviewRecord], in ledger: Ledger) throws(StorageError) {
        guard !reviews.isEmpty else { return }
        var keys = KeyList()
        Tables.reviewCounts.add(ledger.app.reviews, OnlyKey(), to: &keys)
        try ledger.fetch(keys)
        var counts = try summary(of: ledger.app, in: ledger.transaction)
        for review in reviews { remove(review.number ?? 0, from: &counts, in: ledger) }
        try write(counts, in: ledger)
    }

    private static func add(
        _ number: UInt64, of user: UserID, _ friend: UserID?, to counts: inout ReviewsRecord,
        in ledger: Ledger
    ) throws(StorageError) {
        try Tables.reviewIndex.set(
            ReviewIndexRecord(of: user, friend), at: ledger.app.reviews, number,
            in: ledger.transaction)
        counts.last = max(counts.last, number)
        counts.count += 1
    }

    private static func remove(
        _ number: UInt64, from counts: inout ReviewsRecord, in ledger: Ledger
    ) {
        Tables.reviewIndex.remove(ledger.app.reviews, number, in: ledger.transaction)
        counts.count.decrease()
    }

    private static func write(_ counts: ReviewsRecord, in ledger: Ledger) throws(StorageError) {
        try Tables.reviewCounts.set(
            counts, at: ledger.app.reviews, OnlyKey(), in: ledger.transaction)
    }

    private static func notify(
        _ kind: ChangeKind, _ review: ReviewRecord, of user: UserID, _ friend: UserID? = nil,
        in ledger: Ledger
    ) throws(StorageError) {
        var item = ChangeItemRecord(about: user)
        item.review = review.attributed(to: user, friend)
        try ledger.notify(user, kind, item)
    }

    // MARK: Keys

    /// Adds the row that an update of a row in an app with reviewed fields may read.
    static func keysForUpdating(_ app: App, into keys: inout KeyList) {
        guard !app.settings.reviewedFields.isEmpty else { return }
        keys.addPossible { Tables.reviewCounts.add(app.reviews, OnlyKey(), to: &$0) }
    }

    /// Fetches that row for a row with reviews in an app that has no such fields any more.
    static func fetchCounts(in ledger: Ledger) throws(StorageError) {
        guard ledger.settings.reviewedFields.isEmpty else { return }
        var keys = KeyList()
        Tables.reviewCounts.add(ledger.app.reviews, OnlyKey(), to: &keys)
        try ledger.fetch(keys)
    }

    /// Adds the rows that decisions about the reviews of `numbers` read first; they lead to the
    /// others.
    package static func keysForDeciding(
        _ numbers: [UInt64], app: App, into keys: inout KeyList
    ) {
        Feed.addState(of: app, to: &keys)
        Tables.reviewCounts.add(app.reviews, OnlyKey(), to: &keys)
        for number in numbers { Tables.reviewIndex.add(app.reviews, number, to: &keys) }
    }
}

extension App {
    /// The reviews of the app by their numbers, and how many they are.
    package var reviews: Partition { Partition(app: id, name: [0x23]) }
}
