package import RelationCore
package import RelationModel

/// One item of a request after the check of its own fields.
package enum ValidatedItem<Value, Code: OutcomeCode> {
    case value(Value)
    /// The item is malformed.
    case refused(Outcome<Code>)
    /// The item repeats the one at this index: it has the same answer, and is done once.
    case same(as: Int)
}

extension Array {
    /// The values that the rule is applied to.
    package func values<Value, Code>() -> [Value]
    where Element == ValidatedItem<Value, Code> {
        compactMap { if case .value(let value) = $0 { value } else { nil } }
    }
}

extension [String] {
    /// The ids as items.
    ///
    /// The same id twice has the same answer, whatever the rule is.
    package func prepared(illegal reason: Reason) -> [ValidatedItem<UserID, FriendStatus>] {
        prepared(refusing: Outcome(.invalidParameter, reason))
    }

    /// The ids as items, with `outcome` as the answer to a malformed id.
    package func prepared<Code>(
        refusing outcome: Outcome<Code>
    ) -> [ValidatedItem<UserID, Code>] {
        var items = ItemValidator<ExactText, UserID, Code>(duplicate: outcome)
        for id in self {
            if let user = UserID(id) {
                items.add(user, for: ExactText(id))
            } else {
                items.refuse(outcome, for: ExactText(id))
            }
        }
        return items.prepared
    }
}
