package import Meters

/// The counters of a worker's transactions; its thread alone changes them.
struct CommitMeter: Sendable {
    /// The parts of a transaction, in their order.
    enum Part: Int, CaseIterable, Sendable {
        /// Until the engine lets it write.
        case turn
        /// The rows that the operations name are read together.
        case read
        /// The operations run.
        case rules
        /// Memory that answers reads learns of the changes.
        case memory
        /// The engine writes, and waits for the device.
        case sync
        /// The changes are published, and the answers go back to their loops.
        case publish
    }

    private enum Count: Int, CaseIterable {
        case transactions, operations, background, failed, dropped
    }

    private let cells = MeterCells(count: Count.allCases.count + Part.allCases.count)
    private let sizes = MeterHistogram(.batch)
    private let waits = MeterHistogram(.latency)
    private let lengths = MeterHistogram(.latency)

    func committed(_ operations: Int, took nanoseconds: UInt64) {
        cells.add(1, to: Count.transactions.rawValue)
        cells.add(UInt64(clamping: operations), to: Count.operations.rawValue)
        sizes.record(UInt64(clamping: operations))
        lengths.record(nanoseconds)
    }

    func committedInBackground() { cells.add(1, to: Count.background.rawValue) }

    func failed() { cells.add(1, to: Count.failed.rawValue) }

    func dropped(_ count: Int) {
        cells.add(UInt64(clamping: count), to: Count.dropped.rawValue)
    }

    func waited(_ nanoseconds: UInt64) { waits.record(nanoseconds) }

    func spent(_ nanoseconds: UInt64, on part: Part) {
        cells.add(nanoseconds, to: Count.allCases.count + part.rawValue)
    }

    /// Adds its counts to `reading`.
    func read(into reading: inout CommitReading) {
        reading.transactions += cells.value(of: Count.transactions.rawValue)
        reading.operations += cells.value(of: Count.operations.rawValue)
        reading.background += cells.value(of: Count.background.rawValue)
        reading.failed += cells.value(of: Count.failed.rawValue)
        reading.dropped += cells.value(of: Count.dropped.rawValue)
        reading.sizes.add(sizes.reading)
        reading.waits.add(waits.reading)
        reading.lengths.add(lengths.reading)
        for part in Part.allCases {
            reading.parts[part.rawValue].nanoseconds += cells.value(
                of: Count.allCases.count + part.rawValue)
        }
    }
}

/// The counts of the committer at one time, and the work that waits for it.
package struct CommitReading: Sendable {
    package var transactions: UInt64 = 0
    package var operations: UInt64 = 0
    /// Transactions that no caller waited for.
    package var background: UInt64 = 0
    package var failed: UInt64 = 0
    /// Writes whose callers no longer waited when they were taken.
    package var dropped: UInt64 = 0
    /// Writes that were refused because too much waits.
    package var refused: UInt64 = 0
    package var waitingOperations = 0
    /// When the transaction under way began; nil if there is none.
    package var busySince: UInt64?
    package var sizes = HistogramReading(.batch)
    package var waits = HistogramReading(.latency)
    package var lengths = HistogramReading(.latency)
    /// The time that all transactions together took for each part, in nanoseconds.
    package var parts: [(name: String, nanoseconds: UInt64)] =
        CommitMeter.Part.allCases.map { ("\($0)", 0) }

    /// Why the committer hangs; nil if it does not.
    package func hang(at now: UInt64) -> String? {
        underWay(at: now, longerThan: RuntimeLimits.hungCommitSeconds)
    }

    /// Why no call should come that writes; nil if there is no reason.
    package func stall(at now: UInt64) -> String? {
        underWay(at: now, longerThan: RuntimeLimits.stalledCommitSeconds)
    }

    private func underWay(at now: UInt64, longerThan limit: UInt64) -> String? {
        guard let busySince, now > busySince else { return nil }
        let seconds = (now - busySince) / 1_000_000_000
        guard seconds >= limit else { return nil }
        return "a transaction has been under way for \(seconds) seconds"
    }
}
