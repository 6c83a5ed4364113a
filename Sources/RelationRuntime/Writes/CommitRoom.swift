/// The operations that the next transaction of a store behind a network may take.
///
/// A commit that waits for a standby far away takes about as long for many operations as for one.
/// So a transaction takes more of them where commits wait long, and as many more as that wait is
/// longer than usual. Its first caller waits longer for that, by a part of the wait that the commit
/// takes in any case.
struct CommitRoom {
    private(set) var operations = RuntimeLimits.operationsPerCommit

    /// Notes how long the last commit has taken, without the work before it.
    mutating func committed(waiting nanoseconds: UInt64) {
        let most = UInt64(RuntimeLimits.operationsPerSlowCommit)
        operations = max(
            RuntimeLimits.operationsPerCommit,
            Int(min(nanoseconds / RuntimeLimits.commitNanosecondsPerOperation, most)))
    }

    /// The operations that may still be added to a batch whose operations are `cost`.
    ///
    /// Beyond the usual number only short jobs are added: a job that counts as a whole transaction
    /// would make the others wait for it.
    ///
    /// - Parameter most: The operations that the batch may have.
    static func left(beside cost: Int, of most: Int) -> Int {
        let usual = min(most, RuntimeLimits.operationsPerCommit) - cost
        return max(usual, min(most - cost, RuntimeLimits.operationsPerQuantum))
    }

    /// How much longer than usual a transaction may work that takes so many operations.
    static func scaled(_ nanoseconds: UInt64, to operations: Int) -> UInt64 {
        nanoseconds * UInt64(max(operations, RuntimeLimits.operationsPerCommit))
            / UInt64(RuntimeLimits.operationsPerCommit)
    }
}
