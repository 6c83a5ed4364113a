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

/// The refusal of an item whose codes are a friend's.
package typealias FriendRefusal = Refusal<FriendStatus>

extension Refusal where Code == FriendStatus {
    package init(_ reason: Reason) {
        self.init(.invalidParameter, reason)
    }
}
