import Synchronization

/// What somebody holds of a server at this moment: calls that are open, and connections.
///
/// Whoever takes something gives it back once, on whatever thread: there is no lock.
package final class Usage: Sendable {
    package enum Kind: Sendable {
        case calls
        case connections
    }

    /// How much somebody may hold of one kind, and all of its group together; nil is any number.
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

    /// Who holds it too: of a key and of a user, their app.
    package let group: Usage?

    package init(in group: Usage? = nil) {
        self.group = group
    }

    /// How many are held.
    package func count(of kind: Kind) -> Int { add(0, to: kind) }

    /// Takes one more, for itself alone.
    ///
    /// - Returns: Whether there was one; if not, nothing was taken.
    func take(_ kind: Kind, atMost limit: Int?) -> Bool {
        let count = add(1, to: kind)
        guard let limit, count > limit else { return true }
        add(-1, to: kind)
        return false
    }

    /// Gives back what was taken for itself alone.
    func giveBack(_ kind: Kind) {
        add(-1, to: kind)
    }

    /// Takes a call, for itself and for its group.
    ///
    /// - Returns: The bound that is reached, and then nothing was taken; the own one before the
    ///   group's.
    func takeCall(within bounds: Bounds) -> Bound? {
        guard take(.calls, atMost: bounds.own) else { return .own(bounds.own ?? 0) }
        guard let group, !group.take(.calls, atMost: bounds.group) else { return nil }
        giveBack(.calls)
        return .group(bounds.group ?? 0)
    }

    /// Gives back a call that was taken so.
    func giveBackCall() {
        giveBack(.calls)
        group?.giveBack(.calls)
    }

    @discardableResult
    private func add(_ number: Int, to kind: Kind) -> Int {
        switch kind {
        case .calls: calls.add(number, ordering: .relaxed).newValue
        case .connections: connections.add(number, ordering: .relaxed).newValue
        }
    }
}
