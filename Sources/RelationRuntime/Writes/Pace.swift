/// The time that an operation takes while others wait for it, as far as it is known.
///
/// Only a transaction that left operations waiting counts. Any other may have been small, and its
/// time is mostly the time that any transaction takes. When no operation is left waiting,
/// everything is forgotten. So no rush is judged by an earlier one, or by a disk that was slow
/// then.
struct Pace {
    private var nanoseconds = 0.0
    private var operations = 0.0
    private var commits = 0
    /// The end of the transaction before this one; the beginning of this one if there was none.
    private var since: UInt64?

    /// The time of one operation; nil while too few transactions count.
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
