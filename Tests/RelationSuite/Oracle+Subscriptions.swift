import RelationModel

extension Oracle {
    /// Removes the subscriptions that have ended by `nowMs`.
    mutating func endSubscriptions(at nowMs: Int64) {
        for pair in view.subscriptions.keys {
            view.subscriptions[pair] = view.subscriptions[pair]?.filter { $0.value > nowMs }
            if view.subscriptions[pair]?.isEmpty == true { view.subscriptions[pair] = nil }
        }
    }

    mutating func subscribe(
        _ user: UserID, to other: UserID, _ type: SubscribeType, until endMs: Int64
    ) -> Answer {
        guard user != other else { return Answer(34308) }
        guard accounts.contains(other) else { return Answer(30003) }
        let pair = Pair(user, other)
        if view.subscriptions[pair]?[type] == nil {
            let rows = view.subscriptions.filter { $0.value[type] != nil }.keys
            guard rows.count(where: { $0.from == user }) < limits.subscriptions else {
                return Answer(26022)
            }
            guard rows.count(where: { $0.to == other }) < limits.subscribers else {
                return Answer(26021)
            }
        }
        view.subscriptions[pair, default: [:]][type] = endMs
        return Answer(0)
    }

    mutating func unsubscribe(
        _ user: UserID, from other: UserID, _ type: SubscribeType
    ) -> Answer {
        guard user != other else { return Answer(34308) }
        view.subscriptions[Pair(user, other)]?[type] = nil
        if view.subscriptions[Pair(user, other)]?.isEmpty == true {
            view.subscriptions[Pair(user, other)] = nil
        }
        return Answer(0)
    }
}
