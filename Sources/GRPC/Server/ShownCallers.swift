/// Whose calls came on a connection last: each of them counts it as one of its connections, and so
/// does the group of each.
struct ShownCallers {
    /// The last ones, in a ring.
    private struct Ring {
        private(set) var members: [Footprint] = []
        private var oldest = 0

        func contains(_ footprint: Footprint) -> Bool {
            members.contains { $0 === footprint }
        }

        /// Adds one that has been counted; whoever has to go for it is counted no more.
        mutating func add(_ footprint: Footprint) {
            guard members.count == CallLimits.callersPerConnection else {
                return members.append(footprint)
            }
            members[oldest].giveBack(.connections)
            members[oldest] = footprint
            oldest = (oldest + 1) % members.count
        }

        func end() {
            for footprint in members { footprint.giveBack(.connections) }
        }
    }

    private var callers = Ring()
    private var groups = Ring()

    /// Who called last.
    private(set) var last: Footprint?

    /// Counts the connection as one of `footprint`'s, unless it is so counted or a bound is met.
    ///
    /// - Returns: The bound; the connection is then not counted.
    mutating func show(
        _ footprint: Footprint, within bounds: Footprint.Bounds
    ) -> Footprint.Bound? {
        if !callers.contains(footprint) {
            if let bound = count(footprint, within: bounds) { return bound }
            callers.add(footprint)
        }
        last = footprint
        return nil
    }

    private mutating func count(
        _ footprint: Footprint, within bounds: Footprint.Bounds
    ) -> Footprint.Bound? {
        guard footprint.take(.connections, atMost: bounds.own) else { return .own(bounds.own ?? 0) }
        // Two keys of one app on a connection make it one connection of the app.
        guard let group = footprint.group, !groups.contains(group) else { return nil }
        guard group.take(.connections, atMost: bounds.group) else {
            footprint.giveBack(.connections)
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
