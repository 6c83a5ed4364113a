/// How a hook is served.
package struct DeliverySettings: Sendable, Equatable {
    /// The ways to go on after an event that is given up.
    package enum GivingUp: String, Sendable {
        /// The event is reported, and those after it are delivered.
        case goPast
        /// Nothing more is delivered until ``DeliveryQueue/resume(now:)``.
        case pause
    }

    /// Events that wait or are under way; the reader of the log stops at that many.
    package var waitingEvents = 10_000
    package var waitingBytes = 16 << 20
    /// Events of one request, and the bytes of their bodies; a longer event goes alone.
    package var batchEvents = 1
    package var batchBytes = 256 << 10
    /// Requests at the same time.
    package var parallelBatches = 8
    /// The pause after the first failed attempt of a user; each further one is twice as long, up to
    /// the longest, and shortened by chance to no less than half.
    package var firstPauseMilliseconds: Int64 = 1_000
    package var longestPauseMilliseconds: Int64 = 3_600_000
    /// The longest time that a receiver's `retry-after` is kept for.
    package var longestRetryAfterMilliseconds: Int64 = 3_600_000
    /// Failed requests in a row after which the receiver counts as away: then one request at a time
    /// tries whether it is back.
    package var failuresOfOutage = 10
    /// The longest pause between two such trials, and the longest time for which a receiver that is
    /// busy is left alone.
    package var longestOutagePauseMilliseconds: Int64 = 60_000
    /// The time for which an event must have existed, and its user must have failed, before it is
    /// given up, and the attempts that the user has had by then at least.
    ///
    /// The time in which the receiver takes nothing does not count.
    package var retriesForMilliseconds: Int64 = 3 * 86_400_000
    package var leastAttempts = 5
    /// The longest time from one failed attempt of a user to the next that counts as one of
    /// failing.
    ///
    /// In a longer one nothing was tried, since the process or its machine slept.
    package var countedGapMilliseconds: Int64 = 7_200_000
    package var givingUp = GivingUp.goPast
    /// Events of users whose deliveries fail, while the receiver takes those of others.
    ///
    /// From that many on, or from half the bytes, events that fail are given up before their time,
    /// so that these users do not stop the others.
    package var parkedEvents = 5_000
    /// The time for which a user must have failed before that.
    package var crowdedAfterMilliseconds: Int64 = 600_000
    /// The longest pause of such a user while so many are parked.
    package var crowdedPauseMilliseconds: Int64 = 30_000
    /// Ranges of acknowledged events above the low-water position that are stored.
    package var laterRanges = 1_000

    package init() {}
}
