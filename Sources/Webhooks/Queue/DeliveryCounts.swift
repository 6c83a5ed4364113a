/// How a queue stands, and how its deliveries went so far.
package struct DeliveryCounts: Sendable, Equatable {
    package var takenEvents: UInt64 = 0
    /// Events that were settled before a restart, and not repeated.
    package var skippedEvents: UInt64 = 0
    package var deliveredEvents: UInt64 = 0
    package var givenUpEvents: UInt64 = 0
    package var requests: UInt64 = 0
    package var failedRequests: UInt64 = 0
    package var busyRequests: UInt64 = 0
    package var waitingEvents = 0
    package var waitingBytes = 0
    package var parkedEvents = 0
    package var requestsUnderWay = 0
    package var lowWater: Int64 = 0
    /// When the oldest event that is not settled happened, since 1970; nil if there is none.
    package var oldestMilliseconds: Int64?
    /// Whether the receiver counts as away.
    package var isOutage = false

    package init() {}
}
