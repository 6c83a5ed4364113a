package import Meters

/// The counts of the hub of the streams of changes at one time.
package struct WatchCounts: Sendable {
    /// Streams that are open, with those that wait to read.
    package var streams = 0
    package var streamBound = 0
    /// Events of commits that wait for the hub.
    package var waitingEvents = 0
    package var waitingEventBound = 0
    /// Events that were taken from the committer.
    package var events: UInt64 = 0
    /// How often the hub dropped events because too many waited; all streams then read them.
    package var overflows: UInt64 = 0
    /// How often a stream fell behind, and read from the store what it had missed.
    package var behind: UInt64 = 0
    /// How often a stream started over with the present state, because its token was too old.
    package var resyncs: UInt64 = 0
    /// How often a stream ended because its reader does not have its consumer any more.
    package var fenced: UInt64 = 0
    /// From a commit until its events are on their way to the loops.
    package var lags = HistogramReading(.latency)
}
