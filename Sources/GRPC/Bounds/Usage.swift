import Synchronization

/// How many open calls and connections a caller, or a group of callers, holds at this moment.
///
/// Each call and connection that is taken must be given back once. That may be done on any thread,
/// without a lock.
package final class Usage: Sendable {
    /// The things that are counted: open calls, or open connections.
    package enum Kind: Sendable {
        case calls
        case connections
    }

    /// How many of one kind a caller may hold, and how many its whole group; nil is any number.
    package struct Bounds: Sendable {
        package let own: Int?
        package let group: Int?

        package init(own: Int?, group: Int?) {
            self.own = own
            self.group = group
        }
    }

    /// Which of the two bounds was reached.
    package enum Bound: Sendable {
        case own(Int)
        case group(Int)
    }

    private let calls = Atomic(0)
    private let connections = Atomic(0)

    /// The group that holds the same calls and connections too: for a key or a user, their app.
    package let group: Usage?

    package init(in group: Usage? = nil) {
        self.group = group
    }

    /// How many calls or connections are held.
    package func count(of kind: Kind) -> Int { add(0, to: kind) }

    /// Takes one more, without counting it for the group.
    ///
    /// - Returns: Whether there was room for one; if not, nothing was taken.
    func acquire(_ kind: Kind, atMost limit: Int?) -> Bool {
        let count = add(1, to: kind)
        guard let limit, count > limit else { return true }
        add(-1, to: kind)
        return false
    }

    /// Gives one back, without counting it for the group.
    func release(_ kind: Kind) {
        add(-1, to: kind)
    }

    /// Takes a call, and counts it for the group too.
    ///
    /// - Returns: The bound that is reached, and then nothing was taken; otherwise nil. The own
    ///   bound is checked before that of the group.
    func acquireCall(within bounds: Bounds) -> Bound? {
        guard acquire(.calls, atMost: bounds.own) else { return .own(bounds.own ?? 0) }
        guard let group, !group.acquire(.calls, atMost: bounds.group) else { return nil }
        release(.calls)
        return .group(bounds.group ?? 0)
    }

    /// Gives back a call that ``acquireCall(within:)`` took.
    func releaseCall() {
        release(.calls)
        group?.release(.calls)
    }

    @discardableResult
    private func add(_ number: Int, to kind: Kind) -> Int {
        switch kind {
        case .calls: calls.add(number, ordering: .relaxed).newValue
        case .connections: connections.add(number, ordering: .relaxed).newValue
        }
    }
}
