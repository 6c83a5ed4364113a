/// Whose calls came on a connection last: each of them counts it as one of its connections, and so
/// does the group of each.
struct ShownCallers {
    /// The last ones, in a ring.
    private struct Ring {
        private(set) var members: [Usage] = []
        private var oldest = 0

        func contains(_ usage: Usage) -> Bool {
            members.contains { $0 === usage }
        }

        /// Adds one that has been counted; whoever has to go for it is counted no more.
        mutating func add(_ usage: Usage) {
            guard members.count == CallLimits.callersPerConnection else {
                return members.append(usage)
            }
            members[oldest].giveBack(.connections)
            members[oldest] = usage
            oldest = (oldest + 1) % members.count
        }

        func end() {
            for usage in members { usage.giveBack(.connections) }
        }
    }

    private var callers = Ring()
    private var groups = Ring()

    /// Who called last.
    private(set) var last: Usage?

    /// Counts the connection as one of `usage`'s, unless it is so counted or a bound is met.
    ///
    /// - Returns: The bound; the connection is then not counted.
    mutating func show(
        _ usage: Usage, within bounds: Usage.Bounds
    ) -> Usage.Bound? {
        if !callers.contains(usage) {
            if let bound = count(usage, within: bounds) { return bound }
            callers.add(usage)
        }
        last = usage
        return nil
    }

    private mutating func count(
        _ usage: Usage, within bounds: Usage.Bounds
    ) -> Usage.Bound? {
        guard usage.take(.connections, atMost: bounds.own) else { return .own(bounds.own ?? 0) }
        // Two keys of one app on a connection make it one connection of the app.
        guard let group = usage.group, !groups.contains(group) else { return nil }
        guard group.take(.connections, atMost: bounds.group) else {
            usage.giveBack(.connections)
            return .group(bounds.group ?? 0)
        }
        groups.add(group)
        return nil
    }

    /// The connection has ended.
    mutating func end() {
        callers.end()
        groups.end()
        self = ShownCallers()
    }
}
