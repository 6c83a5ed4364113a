/// How long an operation takes while others wait for it, as far as that is known.
///
/// Only transactions that left something waiting say it: one that took all there was may have been
/// small, and what it cost is mostly what any transaction costs. When nothing is left waiting, all
/// is forgotten, so that no rush is judged by an earlier one, or by a disk that was slow then.
struct Pace {
    private var nanoseconds = 0.0
    private var operations = 0.0
    private var commits = 0
    /// When the transaction before this one ended, or this one began if there was none.
    private var since: UInt64?

    /// The time of one operation; nil while too few transactions have told.
    var nanosecondsPerOperation: Double? {
        commits >= RuntimeLimits.commitsOfEvidence && operations > 0
            ? nanoseconds / operations : nil
    }

    /// A transaction begins.
    mutating func begin(at now: UInt64) {
        since = since ?? now
    }

    /// A transaction of `operations` has ended.
    ///
    /// - Parameter leavesWork: Whether more waited when it began than it could take.
    mutating func end(_ operations: Int, at now: UInt64, leavesWork: Bool) {
        guard leavesWork, let since else { return self = Pace() }
        let kept = 1 - 1 / Double(RuntimeLimits.commitsRemembered)
        nanoseconds = nanoseconds * kept + Double(now - min(now, since))
        self.operations = self.operations * kept + Double(operations)
        commits += 1
        self.since = now
    }
}
