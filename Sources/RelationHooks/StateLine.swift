import RelationChanges
import RelationModel

/// The logins and logouts of a hook that wait for its receiver, in memory alone.
///
/// The steps of one user go out one after another, in their order.
struct StateLine {
    private var waiting: [PresenceStep] = []
    private var busy: Set<UserID> = []
    private let limit: Int

    init(limit: Int = HookLimits.waitingStates) {
        self.limit = limit
    }

    var count: Int { waiting.count }
    /// The requests that are under way.
    var underWay: Int { busy.count }

    /// - Returns: Whether the oldest one made room for it.
    mutating func add(_ step: PresenceStep) -> Bool {
        waiting.append(step)
        guard waiting.count > limit else { return false }
        waiting.removeFirst()
        return true
    }

    /// The next one that may go out, which is under way then.
    mutating func next() -> PresenceStep? {
        guard let index = waiting.firstIndex(where: { !busy.contains($0.user) }) else {
            return nil
        }
        busy.insert(waiting[index].user)
        return waiting.remove(at: index)
    }

    mutating func end(_ user: UserID) { busy.remove(user) }

    /// Forgets those that wait; requests that are under way still end.
    ///
    /// - Returns: How many waited.
    mutating func clear() -> Int {
        defer { waiting = [] }
        return waiting.count
    }
}
