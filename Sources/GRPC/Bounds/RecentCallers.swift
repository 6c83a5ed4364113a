import GRPCWire

/// The callers of the latest calls on a connection.
///
/// Each of them counts the connection as one of its own, and so does the group of each.
struct RecentCallers {
    /// The latest callers, or their groups, in a ring.
    private struct Ring {
        private(set) var members: [Usage] = []
        private var oldest = 0

        func contains(_ usage: Usage) -> Bool {
            members.contains { $0 === usage }
        }

        /// Adds a member that has been counted; the oldest member, if it must make room, gives its
        /// count back.
        mutating func add(_ usage: Usage) {
            guard members.count == CallLimits.callersPerConnection else {
                return members.append(usage)
            }
            members[oldest].release(.connections)
            members[oldest] = usage
            oldest = (oldest + 1) % members.count
        }

        func end() {
            for usage in members { usage.release(.connections) }
        }
    }

    private var callers = Ring()
    private var groups = Ring()

    /// The caller of the latest call, and which one it is.
    private var last: Usage?
    private var lastID: ObjectIdentifier?

    /// Whether the latest call was one of that usage's.
    func isLast(_ usage: ObjectIdentifier) -> Bool { lastID == usage }

    /// Counts the connection for `usage`, unless that is done already or a bound is reached.
    ///
    /// - Returns: The bound that is reached, and then the connection is not counted; otherwise nil.
    mutating func show(
        _ usage: Usage, within bounds: Usage.Bounds
    ) -> Usage.Bound? {
        if !callers.contains(usage) {
            if let bound = count(usage, within: bounds) { return bound }
            callers.add(usage)
        }
        (last, lastID) = (usage, ObjectIdentifier(usage))
        return nil
    }

    private mutating func count(
        _ usage: Usage, within bounds: Usage.Bounds
    ) -> Usage.Bound? {
        guard usage.acquire(.connections, atMost: bounds.own) else { return .own(bounds.own ?? 0) }
        // A connection with two keys of one app counts as one connection of the app.
        guard let group = usage.group, !groups.contains(group) else { return nil }
        guard group.acquire(.connections, atMost: bounds.group) else {
            usage.release(.connections)
            return .group(bounds.group ?? 0)
        }
        groups.add(group)
        return nil
    }

    /// Gives back all counts, because the connection has ended.
    mutating func end() {
        callers.end()
        groups.end()
        self = RecentCallers()
    }
}
