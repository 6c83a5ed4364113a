/// A part of the read cache: ``ReadCache`` takes each through the same three steps.
///
/// A commit has two of them: `willCommit` before any reader can see it, `didCommit` when it has
/// ended. Metrics are the third.
package protocol CachePart: Sendable {
    /// The clock by which entries are valid; all parts have the same one.
    var clock: CommitClock { get }

    /// Invalidates the entries that `transaction` touches, and stages what it wrote.
    ///
    /// It is called in each commit, also if nothing of this part is touched, and again if the
    /// transaction runs again.
    ///
    /// - Parameter version: The version of the commit.
    func willCommit(_ version: UInt64, of transaction: WatchedTransaction)

    /// Publishes what was staged if the commit succeeded, and removes it otherwise; the clock still
    /// has the version before.
    func didCommit(_ succeeded: Bool)

    /// How full it is, by the names that metrics have for it.
    var readings: [(name: String, reading: CacheReading)] { get }
}

extension CachePart {
    /// The read version for a view that is taken after this call.
    @inline(__always)
    package func readVersion() -> ReadVersion { clock.readVersion() }
}
