/// What the streams of one scenario showed.
struct StreamFigures {
    var streams = 0
    /// Resident memory of the server that came with the streams.
    var streamBytes = 0
    /// Events that came in a round.
    var events = 0
    /// The server's processor time for one event, that of the write itself left out.
    var eventMicroseconds = 0.0
    /// That time in the time of one such write without any stream.
    var shareOfWrite = 0.0
    /// From the write's answer to an event's coming; zero if the event came first.
    var p50 = Duration.zero
    var p99 = Duration.zero
    /// From a write's answer to the last of its events: the median of all writes.
    var last = Duration.zero
}
