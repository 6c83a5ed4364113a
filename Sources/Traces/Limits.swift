/// The bounds of the export of spans.
package enum TraceLimits {
    /// Calls whose spans wait for the collector; the spans of further ones are dropped.
    ///
    /// They take some four megabytes.
    package static let waitingCalls = 8_192

    /// Calls whose spans one message has: with all their parts it stays below a megabyte.
    package static let callsPerBatch = 256

    /// How long the first span of a message waits for others.
    package static let batchMilliseconds = 500

    /// How often a message is sent whose failure may pass.
    package static let attempts = 5

    /// The wait before the second attempt; each further one is twice as long.
    package static let backoffMilliseconds = 1_000

    /// How long a stop waits for the collector to take what is left.
    package static let closeMilliseconds = 2_000

    /// The seconds between two lines that say that spans are lost.
    package static let secondsBetweenLines: UInt64 = 60

    /// The longest file of headers.
    package static let headerFileBytes = 16_384
}
