package import RelationCore
package import RelationModel

/// The refusal of an item before its rule runs.
package struct Refusal<Code: OutcomeCode>: Error {
    package let outcome: Outcome<Code>

    package init(_ outcome: Outcome<Code>) {
        self.outcome = outcome
    }

    package init(_ code: Code, _ reason: Reason) {
        outcome = Outcome(code, reason)
    }
}
