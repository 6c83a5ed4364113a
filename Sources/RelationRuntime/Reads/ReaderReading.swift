package import Meters

/// The counts of a pool of readers at one time.
package struct ReaderReading: Sendable {
    package var waiting = 0
    package var threads = 0
    package var submitted: UInt64 = 0
    /// Reads that were refused because too many waited.
    package var refused: UInt64 = 0
    /// Reads whose callers no longer waited when they came up.
    package var dropped: UInt64 = 0
    package var waits = HistogramReading(.latency)
    package var lengths = HistogramReading(.latency)
}
