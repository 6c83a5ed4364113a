/// The threads that reads move to: one pool for each reason, so that a scan never delays a short
/// read.
package struct ReaderPools: Sendable {
    /// For calls that scan.
    package let scans: Readers
    /// For requests that are long, and reads that name many items.
    package let long: Readers
    /// For calls that needed a row that was not in memory.
    package let misses: Readers

    package init(threads: Int = Readers.threadCount) {
        scans = Readers(threads: threads, rank: .low)
        long = Readers(
            threads: threads, rank: .aside, capacity: RuntimeLimits.waitingLongReads)
        misses = Readers(threads: threads)
    }

    /// Waits until all reads that were taken have run.
    package func close() {
        scans.close()
        long.close()
        misses.close()
    }
}
