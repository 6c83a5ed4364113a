package import RelationModel

/// The answer of a rule about one item: a code, a reason that distinguishes the cases that share
/// the code, and whether a row changed.
package struct Outcome: Equatable, Sendable {
    package let code: FriendStatus
    package let reason: Reason
    /// Whether the item changed at least one row.
    ///
    /// An account that is made because the item names it does not count: it is not what the item
    /// asks for, and stays even if the item is refused.
    package private(set) var changed: Bool
    /// The answers of the item's own items, if it has any: the members of a new group.
    package var parts: [Outcome] = []

    /// A refusal, unless `changed` is true or `code` is success.
    package init(_ code: FriendStatus, _ reason: Reason, changed: Bool = false) {
        self.code = code
        self.reason = reason
        self.changed = changed
    }

    /// The outcome of an item about subscriptions.
    ///
    /// Its code has the number that stands in the table of their codes.
    package init(subscription code: SubscriptionStatus, _ reason: Reason) {
        self.init(FriendStatus(rawValue: code.rawValue), reason)
    }

    /// The item is done, and changed at least one row.
    package static let success = Outcome(.success, .none, changed: true)

    /// The item is done, and every row already was as it asks for.
    package static let unchanged = Outcome(.success, .none)

    /// The item is done.
    package static func done(changing changed: Bool) -> Outcome { changed ? .success : .unchanged }

    /// Whether a call that is all or nothing may go on: the item is done, or waits for a user's
    /// answer.
    package var isAcceptable: Bool {
        (code == .success || code == .pending) && parts.allSatisfy(\.isAcceptable)
    }

    /// The same answer for a write that was taken back, or only tried: nothing changed.
    package var withoutChange: Outcome {
        var outcome = self
        outcome.changed = false
        outcome.parts = parts.map(\.withoutChange)
        return outcome
    }
}
