/// How many spans have gone where.
package struct SpanCounts: Sendable, Equatable {
    /// The collector has them.
    package var exported: UInt64 = 0
    /// They found no room in the queue.
    package var dropped: UInt64 = 0
    /// The collector could not be reached, or did not want them.
    package var failed: UInt64 = 0
    package var waitingCalls = 0

    package init() {}

    var lost: UInt64 { dropped + failed }
}
