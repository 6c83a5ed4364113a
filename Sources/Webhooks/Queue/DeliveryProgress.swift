/// The events of a log that are settled: delivered, or given up; it is stored, so that a restart
/// repeats few.
package struct DeliveryProgress: Sendable, Equatable {
    /// All events up to here are settled; the reader goes on after it.
    package var lowWater: Int64
    /// Events above it that are settled too, in ascending order.
    ///
    /// A range may hold positions of other logs' events, and of none.
    package var later: [ClosedRange<Int64>]

    package init(lowWater: Int64 = 0, later: [ClosedRange<Int64>] = []) {
        self.lowWater = lowWater
        self.later = later
    }
}
