import RelationModel
import Storage

/// Rules over new texts of friends' rows that an app's moderators review.
///
/// Only the owner sees these texts, so each is in its row at once, and a rejection takes it back.
/// The reviews stand in a row beside that of the friend: pages of friends consist of stored rows.
///
/// The wording of an addition is one of them, see `FriendReviews+Wording.swift`.
enum FriendReviews {
    typealias Plan = ReviewPlan<FriendRecord>

    /// The effect on the reviews of a row of values that it has taken; nil if there is none.
    ///
    /// - Parameters:
    ///   - old: The row without the values; nil for a new one.
    ///   - isReviewed: Whether the values of the caller are reviewed.
    static func plan(
        _ values: FriendValues, from old: FriendRecord?, to row: FriendRecord, _ friend: UserID,
        of owner: UserID, isReviewed: Bool, in ledger: Ledger
    ) throws(StorageError) -> Plan? {
        // A new row may have the review of the application that it answers.
        let mayHaveOpen = try hasSome(of: owner, in: ledger)
        guard mayHaveOpen || isReviewed && ledger.settings.reviewedFields.hasFriends else {
            return nil
        }
        let open = mayHaveOpen ? try fetched(friend, of: owner, in: ledger) : []
        var plan = Plan(
            old ?? FriendRecord(), open, ledger.settings, isReviewed: isReviewed, at: ledger.now)
        var row = row
        if values.remark != nil { plan.review(FriendRecord.remarkPath, in: &row) }
        for custom in values.custom { plan.review(CustomPath.prefix + custom.key, in: &row) }
        // A wording is reviewed when it is sent: the row may have that of an application.
        if values.wording != nil, !isReviewed { plan.review(FriendRecord.wordingPath, in: &row) }
        return plan.hasChanged ? plan : nil
    }

    /// Whether the app has room for the reviews that a new row with these values asks for.
    ///
    /// - Parameter others: How many more reviews the call asks for.
    static func haveRoom(
        for values: FriendValues, _ friend: UserID, of owner: UserID, isReviewed: Bool,
        beside others: Int = 0, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        guard isReviewed, ledger.settings.reviewedFields.hasFriends else {
            return try Reviews.haveRoom(for: others, in: ledger)
        }
        let row = FriendRecord(friend, values, at: ledger.now)
        let plan = try plan(
            values, from: nil, to: row, friend, of: owner, isReviewed: true, in: ledger)
        return try Reviews.haveRoom(for: others + (plan?.growth ?? 0), in: ledger)
    }

    /// Writes the reviews of a row that was written, and tells of them.
    static func carryOut(
        _ plan: Plan?, _ friend: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        guard let plan else { return }
        try Reviews.fetchCounts(in: ledger)
        let reviews = try Reviews.carryOut(plan, of: owner, friend, in: ledger)
        try write(reviews, friend, of: owner, growingBy: plan.growth, in: ledger)
        try Reviews.notifyChanges(plan, reviews, of: owner, friend, in: ledger)
    }

    /// Approves or rejects the text with the review of that number.
    static func decide(
        _ verdict: Reviews.Verdict, _ friend: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        let none = FriendOutcome(.invalidParameter, Reason.ReviewDecide.notExist)
        let partition = ledger.partition(of: owner)
        var keys = KeyList()
        Tables.userRecords.add(partition, OnlyKey(), to: &keys)
        Tables.friends.add(partition, friend, to: &keys)
        Tables.friendReviews.add(partition, friend, to: &keys)
        try ledger.fetch(keys)
        let known = try Friendship.record(
            friend, of: owner, app: ledger.app, in: ledger.transaction)
        guard try ledger.userRecord(of: owner) != nil else { return none }
        var reviews = try record(friend, of: owner, in: ledger)
        guard let index = reviews.firstIndex(where: { $0.number == verdict.number }) else {
            return none
        }
        var review = reviews.remove(at: index)
        guard known != nil || review.isOfWording else { return none }
        if !verdict.isApproved, review.isOfWording {
            try revertWording(review, friend, of: owner, in: ledger)
        } else if !verdict.isApproved, let old = known {
            var row = old
            row.apply(review.formerValues, at: ledger.now)
            if try Tables.friends.differ(row, old, in: ledger.transaction) {
                try Friendship.change(
                    old, to: row, friend, of: owner, reporting: .friendChange, in: ledger)
            }
        }
        try write(reviews, friend, of: owner, growingBy: -1, in: ledger)
        try Reviews.end(&review, by: verdict, of: owner, friend, in: ledger)
        return .success
    }

    /// Ends the reviews of a row that was removed, as withdrawn.
    ///
    /// That of a wording stays as long as the owner's application waits.
    static func end(
        _ friend: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        guard try hasSome(of: owner, in: ledger) else { return }
        var reviews = try fetched(friend, of: owner, in: ledger)
        var kept: [ReviewRecord] = []
        if let index = reviews.firstIndex(where: \.isOfWording),
            try ledger.hasApplication(from: owner, to: friend)
        {
            kept = [reviews.remove(at: index)]
        }
        guard !reviews.isEmpty else { return }
        try Reviews.removeEntries(reviews, in: ledger)
        try write(kept, friend, of: owner, growingBy: -reviews.count, in: ledger)
        try Reviews.notifyWithdrawn(reviews, of: owner, friend, in: ledger)
    }

    /// Whether some row of `owner` has a review.
    static func hasSome(of owner: UserID, in ledger: Ledger) throws(StorageError) -> Bool {
        try ledger.userRecord(of: owner)?.friendReviewCount ?? 0 > 0
    }

    /// Writes the reviews of an export's row, and tells of them.
    static func restore(
        _ reviews: [ReviewRecord], _ friend: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        guard !reviews.isEmpty else { return }
        let restored = try Reviews.restore(reviews, of: owner, friend, in: ledger)
        try write(restored, friend, of: owner, growingBy: restored.count, in: ledger)
    }

    // MARK: Rows

    private static func record(
        _ friend: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> [ReviewRecord] {
        try Tables.friendReviews.record(
            ledger.partition(of: owner), friend, in: ledger.transaction)?.reviews ?? []
    }

    static func fetched(
        _ friend: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> [ReviewRecord] {
        var keys = KeyList()
        Tables.friendReviews.add(ledger.partition(of: owner), friend, to: &keys)
        try ledger.fetch(keys)
        return try record(friend, of: owner, in: ledger)
    }

    private static func write(
        _ reviews: [ReviewRecord], _ friend: UserID, of owner: UserID, growingBy growth: Int,
        in ledger: Ledger
    ) throws(StorageError) {
        let partition = ledger.partition(of: owner)
        if reviews.isEmpty {
            Tables.friendReviews.remove(partition, friend, in: ledger.transaction)
        } else {
            try Tables.friendReviews.set(
                FriendReviewsRecord(reviews), at: partition, friend, in: ledger.transaction)
        }
        guard growth != 0 else { return }
        try ledger.changeUserRecord(of: owner) { userRecord in
            // A count that is too low is an error that a check finds, and no reason to stop.
            userRecord.friendReviewCount = UInt32(
                max(0, Int(userRecord.friendReviewCount) + growth))
        }
    }
}

extension ReviewRecord {
    /// The value that was approved before, as a change of a friend's row.
    fileprivate var formerValues: FriendValues {
        var values = FriendValues()
        guard let key = CustomPath.key(in: field) else {
            values.remark = formerText
            return values
        }
        var custom = CustomValue()
        custom.key = key
        custom.value = formerValue.isEmpty ? nil : .data(formerValue.bytes)
        values.custom = [custom]
        return values
    }
}
