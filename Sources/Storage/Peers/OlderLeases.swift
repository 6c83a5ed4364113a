/// The leases of processes that may not know of a change, and how long each may be relied on.
///
/// A process relies on its lease for ``LeaseLimits/reliedMilliseconds`` after it began the last
/// renewal, by its own clock. A renewal that stands in the store had begun before it was seen
/// there. So this clock says when its process has stopped at the latest. The clock of the store may
/// have been set, and says nothing of that.
package struct OlderLeases: Sendable {
    /// When each was seen first, by the process and the number of its renewal.
    private var firstSeen: [String: UInt64] = [:]

    package init() {}

    /// Notes the leases that the store has with an older version.
    ///
    /// It remembers these alone: the store removes the leases of processes that are gone.
    ///
    /// - Parameters:
    ///   - leases: Of each the process and the number of its renewal.
    ///   - now: Nanoseconds of a clock that never goes back, and counts suspended time.
    /// - Returns: The time from which on no process relies on one of them.
    package mutating func end(of leases: [String], at now: UInt64) -> UInt64 {
        firstSeen = Dictionary(leases.map { ($0, firstSeen[$0] ?? now) }) { min($0, $1) }
        guard let last = firstSeen.values.max() else { return now }
        return last + UInt64(LeaseLimits.milliseconds) * 1_000_000
    }
}
