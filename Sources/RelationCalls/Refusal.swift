package import RelationCore
package import RelationModel

/// An item that is refused before its rule is asked.
package struct Refusal: Error {
    package let outcome: Outcome

    package init(_ outcome: Outcome) {
        self.outcome = outcome
    }

    package init(_ reason: Reason) {
        outcome = Outcome(.invalidParameter, reason)
    }
}
