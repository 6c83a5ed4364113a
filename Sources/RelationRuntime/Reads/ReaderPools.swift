/// The threads that reads move to: one pool for each reason, so that a scan never delays a short
/// read.
package struct ReaderPools: Sendable {
    /// For calls that scan.
    package let scans: Readers
    /// For calls that needed a row that was not in memory.
    package let misses: Readers

    package init(threads: Int = Readers.coreCount) {
        scans = Readers(threads: threads, rank: .behind)
        misses = Readers(threads: threads)
    }

    /// Waits until all reads that were taken have run.
    package func close() {
        scans.close()
        misses.close()
    }
}
