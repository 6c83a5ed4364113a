import RelationModel
import Storage

extension Reviews {
    /// Approves or rejects the value with the review of that number, where it stands.
    ///
    /// - Returns: ``FriendStatus/success``, or ``FriendStatus/invalidParameter`` if there is none.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func decide(
        _ verdict: Verdict, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        let entry = try Tables.reviewIndex.record(
            ledger.app.reviews, verdict.number, in: ledger.transaction)
        guard let entry else {
            return FriendOutcome(.invalidParameter, Reason.ReviewDecide.notExist)
        }
        if let friend = entry.friend {
            return try FriendReviews.decide(verdict, friend, of: entry.user, in: ledger)
        }
        return try decide(verdict, ofProfile: entry.user, in: ledger)
    }
}
