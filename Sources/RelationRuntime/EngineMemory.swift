package import Storage

/// Notices when the engine of a store has freed much memory.
///
/// The engine frees its buffers when it has written them out, and what it needed for a merge after
/// that. The allocator keeps this memory below other memory that is in use. To give it back takes
/// some milliseconds, so this is done only after much of it was freed, and when the engine rests.
package struct EngineMemory {
    /// Looks at the engine, of which each may cost a millisecond, are so many calls apart.
    package static let callsBetweenLooks = 5
    /// Freed bytes below which nothing is given back: they will be needed again.
    package static let leastFreedBytes: Int64 = 16 << 20
    /// Looks that an engine without rest is waited for.
    package static let mostBusyLooks = 12

    private var callsLeft = 0
    /// The most bytes of buffers since memory was last given back.
    private var mostBytes: Int64 = 0
    /// The looks at a busy engine since it has freed much.
    private var busyLooks = 0

    package init() {}

    /// Looks at the engine, if it is time to.
    ///
    /// - Returns: Whether it has freed much since this last returned true, and rests.
    package mutating func hasFreedMuch(_ gauges: () -> StoreGauges) -> Bool {
        guard callsLeft == 0 else {
            callsLeft -= 1
            return false
        }
        callsLeft = Self.callsBetweenLooks - 1
        let gauges = gauges()
        let bytes = gauges.writeBufferBytes
        mostBytes = max(mostBytes, bytes)
        guard mostBytes - bytes >= Self.leastFreedBytes else { return false }
        let isBusy = gauges.runningFlushes + gauges.runningCompactions > 0
        if isBusy, busyLooks < Self.mostBusyLooks {
            busyLooks += 1
            return false
        }
        (mostBytes, busyLooks) = (bytes, 0)
        return true
    }
}
