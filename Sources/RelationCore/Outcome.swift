package import RelationModel

/// What a rule answers about one item: a code, and a reason that tells apart what shares the code.
package struct Outcome: Equatable, Sendable {
    package let code: FriendStatus
    package let reason: Reason
    /// What the item's own items were answered, if it has any: the members of a new group.
    package var parts: [Outcome] = []

    package init(_ code: FriendStatus, _ reason: Reason) {
        self.code = code
        self.reason = reason
    }

    /// The outcome of an item about subscriptions: its code has the number of that table.
    package init(subscription code: SubscriptionStatus, _ reason: Reason) {
        self.init(FriendStatus(rawValue: code.rawValue), reason)
    }

    package static let success = Outcome(.success, .none)

    /// Whether a call that wants all or nothing may go on: done, or waiting for an answer.
    package var isAcceptable: Bool {
        (code == .success || code == .pending) && parts.allSatisfy(\.isAcceptable)
    }
}
