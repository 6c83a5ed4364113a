/// The results of the streams of one scenario.
struct StreamFigures {
    let scenario: StreamScenario
    var streams = 0
    /// The growth of the server's resident memory with the streams.
    var streamBytes = 0.0
    /// Events that came in a round.
    var events = 0
    /// The server's processor time for one event, without that of the write itself: of the median
    /// round, the least and the most.
    var eventMicroseconds = Rounds([])
    /// Instructions for one event, in user space; nil if they were not counted.
    var instructions: Int?
    /// The part that this time is of one such write without streams.
    var shareOfWrite = 0.0
    /// The time from the write's answer to the event; zero if the event came first.
    var p50 = Duration.zero
    var p99 = Duration.zero
    /// The time from a write's answer to the last of its events: the median of all writes.
    var last = Duration.zero
}
