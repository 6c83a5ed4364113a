package import RelationCore
package import RelationModel

/// The refusal of an item before its rule runs.
package struct Refusal: Error {
    package let outcome: Outcome

    package init(_ outcome: Outcome) {
        self.outcome = outcome
    }

    package init(_ reason: Reason) {
        outcome = Outcome(.invalidParameter, reason)
    }
}
