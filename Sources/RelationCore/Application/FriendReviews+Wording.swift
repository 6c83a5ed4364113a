import RelationModel
import Storage

// The wording of an addition stands in up to four rows: in both records of the application and,
// once it is accepted, in the rows of both friends. Its review is one of the row of its writer, and
// stands there while the application waits, too.

extension FriendReviews {
    /// The wording of `owner` that the other user sees before an addition: that of the application
    /// that waits, or else that of the row; empty if no wording is reviewed.
    ///
    /// - Parameter application: The application of `owner` that waits.
    static func wording(
        before addition: FriendItem, _ application: PendencyRecord?, of owner: UserID,
        in ledger: Ledger
    ) throws(StorageError) -> String {
        guard reviewsWording(of: addition, in: ledger) else { return "" }
        if let application { return application.wording }
        let row = try Friendship.record(
            addition.user, of: owner, app: ledger.app, in: ledger.transaction)
        return row?.wording ?? ""
    }

    /// The effect of the wording of an addition on the reviews of its writer; nil if there is none.
    ///
    /// - Parameter former: The wording before the addition.
    static func plan(
        wordingOf addition: FriendItem, over former: String, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) -> Plan? {
        let mayHaveOpen = try hasSome(of: owner, in: ledger)
        let isReviewed = reviewsWording(of: addition, in: ledger)
        guard mayHaveOpen || isReviewed else { return nil }
        let open = mayHaveOpen ? try fetched(addition.user, of: owner, in: ledger) : []
        var (old, row) = (FriendRecord(), FriendRecord())
        old.wording = former
        row.wording = addition.values.wording ?? ""
        var plan = Plan(old, open, ledger.settings, isReviewed: isReviewed, at: ledger.now)
        plan.review(FriendRecord.wordingPath, in: &row)
        return plan.hasChanged ? plan : nil
    }

    /// Whether the app reviews the wording of an addition, if it is a new one.
    static func reviewsWording(of addition: FriendItem, in ledger: Ledger) -> Bool {
        let paths = ledger.settings.reviewedFields
        guard addition.isReviewed, !paths.isEmpty else { return false }
        return FriendRecord.state(of: FriendRecord.wordingPath, in: paths) != nil
    }

    /// Ends the review of the wording of an application that has ended, unless the row of its
    /// writer is there.
    static func settleWording(
        _ friend: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        guard try hasSome(of: owner, in: ledger) else { return }
        var keys = KeyList()
        Tables.friends.add(ledger.partition(of: owner), friend, to: &keys)
        try ledger.fetch(keys)
        let isFriend = try Friendship.contains(
            friend, of: owner, app: ledger.app, in: ledger.transaction)
        if !isFriend { try end(friend, of: owner, in: ledger) }
    }

    /// Writes the reviews of an export's application, and tells of them.
    ///
    /// The reviews of an application whose writer has a row of the friend stand beside that row.
    static func restore(
        wordings reviews: [ReviewRecord], _ friend: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        guard !reviews.isEmpty else { return }
        var keys = KeyList()
        Tables.friends.add(ledger.partition(of: owner), friend, to: &keys)
        try ledger.fetch(keys)
        let isFriend = try Friendship.contains(
            friend, of: owner, app: ledger.app, in: ledger.transaction)
        if !isFriend { try restore(reviews, friend, of: owner, in: ledger) }
    }

    /// Puts the wording that was approved before into each row that has the rejected one.
    static func revertWording(
        _ review: ReviewRecord, _ friend: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        var keys = KeyList()
        Tables.userRecords.add(ledger.partition(of: friend), OnlyKey(), to: &keys)
        Friendship.keys(between: owner, friend, app: ledger.app, into: &keys)
        Applications.keys(between: owner, friend, app: ledger.app, into: &keys)
        try ledger.fetch(keys)
        try revertWording(review, inRowOf: friend, of: owner, in: ledger)
        try revertWording(review, inRowOf: owner, of: friend, in: ledger)
        try Applications.replaceWording(
            review.text, by: review.formerText, from: owner, to: friend, in: ledger)
    }

    private static func revertWording(
        _ review: ReviewRecord, inRowOf friend: UserID, of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        let old = try Friendship.record(friend, of: owner, app: ledger.app, in: ledger.transaction)
        // An account that is being deleted has rows without a record.
        guard let old, old.wording.isExactly(review.text),
            try ledger.userRecord(of: owner) != nil
        else { return }
        var row = old
        row.wording = review.formerText
        try Friendship.change(
            old, to: row, friend, of: owner, reporting: .friendChange, in: ledger)
    }
}

extension ReviewRecord {
    /// Whether it is of the wording of an addition; profiles have no field of that path.
    package var isOfWording: Bool { field.isExactly(FriendRecord.wordingPath) }
}
