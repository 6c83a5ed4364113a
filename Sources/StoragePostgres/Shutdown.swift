internal import Synchronization

/// Whether this process is about to end, so that nothing waits long for a database that hangs.
///
/// From then on a wait has less time. When one of them was in vain, the others wait no more: a
/// database that did not answer one question answers none.
package final class Shutdown: Sendable {
    /// When it began, in milliseconds; 0 before.
    private let began = Atomic<Int>(0)
    private let isVain = Atomic(false)
    private let patience: Int

    /// - Parameter patience: How long a wait takes from then on, in milliseconds.
    package init(patience: Int = Limits.shutdownPatienceMilliseconds) {
        self.patience = patience
    }

    package func begin() {
        began.store(max(1, DatabaseConnection.milliseconds()), ordering: .relaxed)
    }

    /// Whether a wait is of no use any more.
    var isHopeless: Bool { isVain.load(ordering: .relaxed) }

    /// The milliseconds that are left for a wait.
    ///
    /// - Parameters:
    ///   - start: When it began.
    ///   - patience: How long it takes while the process does not end.
    func left(since start: Int, _ patience: Int) -> Int {
        let now = DatabaseConnection.milliseconds()
        let began = began.load(ordering: .relaxed)
        guard began > 0 else { return start + patience - now }
        if isHopeless { return 0 }
        let left = min(start + patience, max(start, began) + self.patience) - now
        if left <= 0 { isVain.store(true, ordering: .relaxed) }
        return left
    }
}
