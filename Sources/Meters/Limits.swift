/// The bounds of what is counted.
package enum MeterLimits {
    /// Bytes that a processor fetches together with a changed number: two lines of 64.
    static let lineBytes = 128

    /// The longest value of a label; the rest is cut off.
    ///
    /// Names of methods, threads and files of the engine are shorter.
    package static let labelBytes = 120

    /// The seconds between two readings of a ``MetricHistory``.
    package static let historySeconds = 10

    /// The readings of a ``MetricHistory``: ten minutes, with both their ends.
    package static let historyReadings = 600 / historySeconds + 1

    /// The series that a ``MetricHistory`` keeps: twice as many as a server has.
    package static let historySeries = 1_000
}
