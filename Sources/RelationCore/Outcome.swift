package import RelationModel

/// The answer of a rule about one item: a code, and a reason that tells apart the cases that share
/// the code.
package struct Outcome: Equatable, Sendable {
    package let code: FriendStatus
    package let reason: Reason
    /// The answers of the item's own items, if it has any: the members of a new group.
    package var parts: [Outcome] = []

    package init(_ code: FriendStatus, _ reason: Reason) {
        self.code = code
        self.reason = reason
    }

    /// The outcome of an item about subscriptions.
    ///
    /// Its code has the number that stands in the table of their codes.
    package init(subscription code: SubscriptionStatus, _ reason: Reason) {
        self.init(FriendStatus(rawValue: code.rawValue), reason)
    }

    package static let success = Outcome(.success, .none)

    /// Whether a call that is all or nothing may go on: the item is done, or waits for a user's
    /// answer.
    package var isAcceptable: Bool {
        (code == .success || code == .pending) && parts.allSatisfy(\.isAcceptable)
    }
}
