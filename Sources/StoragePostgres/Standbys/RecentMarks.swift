internal import Dispatch
internal import Storage
internal import Synchronization

/// Numbers that show how old a view of a standby is.
///
/// One is committed at the primary from time to time while reads ask for them, and none while no
/// read does. No read waits for that.
final class RecentMarks: Sendable {
    private let mark: StandbyMark
    private let primary: Primary
    private let history = Mutex(MarkHistory())
    /// Whether a number is being committed.
    private let isAdvancing = Atomic(false)
    private let queue = DispatchQueue(label: "standby-marks")
    /// The age that a view may have at most, whoever asks.
    private let longest: Int

    init(_ mark: StandbyMark, _ primary: Primary, longest: Int) {
        self.mark = mark
        self.primary = primary
        self.longest = longest
    }

    /// The number that a view shows which is not older than so many milliseconds; nil if none is
    /// known yet.
    func mark(within age: Int) -> StandbyMark.Number? {
        let now = DatabaseConnection.milliseconds()
        let present = primary.number
        let (value, newest) = history.withLock { history in
            (
                history.oldest(since: now - age, primary: present),
                history.newest(primary: present)
            )
        }
        if newest.map({ now - $0 >= age / Limits.marksPerAge }) ?? true { advance() }
        return value.map { StandbyMark.Number(id: mark.id, value: $0, primary: present, begun: 0) }
    }

    /// Has the next number committed, unless one is under way.
    private func advance() {
        guard !isAdvancing.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue.async { [self] in
            defer { isAdvancing.store(false, ordering: .releasing) }
            // The primary may be away; then no view is fresh enough, and the next read tries again.
            guard let made = try? mark.advance() else { return }
            history.withLock {
                $0.add(made.value, begun: made.begun, primary: made.primary, keeping: longest)
            }
        }
    }

    /// Waits until none is being committed.
    func settle() {
        queue.sync {}
    }
}
