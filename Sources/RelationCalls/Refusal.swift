package import RelationCore
package import RelationModel

/// The refusal of an item before its rule runs.
package struct Refusal: Error {
    package let outcome: FriendOutcome

    package init(_ outcome: FriendOutcome) {
        self.outcome = outcome
    }

    package init(_ reason: Reason) {
        outcome = Outcome(.invalidParameter, reason)
    }
}
