import RPC

/// The threads that reads move to: one pool for each reason, so that a scan never delays a short
/// read.
package struct ReaderPools: Sendable {
    /// For calls that scan.
    package let scans: Readers
    /// For requests that are long, and reads that name many items.
    package let long: Readers
    /// For calls that needed a row that was not in memory.
    package let misses: Readers

    /// - Parameters:
    ///   - threads: How many reads of each pool run at once; see ``Readers``.
    ///   - clock: A clock in nanoseconds that never goes back, the same as for deadlines.
    package init(
        threads: Int = Readers.threadCount,
        clock: @escaping @Sendable () -> UInt64 = { Deadline.clock }
    ) {
        scans = Readers(threads: threads, rank: .low, clock: clock)
        long = Readers(
            threads: threads, rank: .aside, capacity: RuntimeLimits.waitingLongReads, clock: clock)
        misses = Readers(threads: threads, clock: clock)
    }

    /// Waits until all reads that were taken have run.
    package func close() {
        scans.close()
        long.close()
        misses.close()
    }
}
