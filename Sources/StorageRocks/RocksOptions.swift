package import Storage

/// The options of the embedded engine that an operator or a test may choose.
///
/// All others are fixed in ``EngineOptions``.
package struct RocksOptions: Sendable {
    /// Memory for blocks read from files.
    ///
    /// It should hold the working set: a read that finds its block there costs a tenth of one that
    /// does not.
    package var blockCacheBytes = 512 << 20

    /// The most bytes of files that are read into the system's memory after an opening.
    ///
    /// Without them each first read of a row after a start of the machine waits for the device.
    package var readaheadBytes = 0

    /// The size at which the newest rows in memory become a file.
    package var writeBufferBytes = 64 << 20

    /// Write buffers that may exist at once: one is filled while the others are written out.
    package var writeBuffers = 3

    /// The size of the first sorted level.
    ///
    /// Larger means fewer rewrites of each row.
    package var levelBaseBytes = 512 << 20

    package var targetFileBytes = 64 << 20

    /// Threads that write buffers out and merge files: one for buffers, the others for merges.
    package var backgroundJobs = 2

    /// The bytes that these threads may write in a second; this leaves the device to the commits.
    package var backgroundBytesPerSecond = 128 << 20

    /// Files of rows that are open at one time; one more replaces another.
    package var openFiles = 1_024

    /// Whether a commit waits until its log record is on the device.
    ///
    /// Without it, a power cut loses commits that were answered. This is for tests only.
    package var sync = true

    /// Whether to open a store that has lost answered writes.
    ///
    /// Otherwise the store stays as it was found.
    package var acceptsLoss = false

    /// The free bytes on the device of the data folder, or nil if they are unknown.
    ///
    /// If the closure is absent, the file system is asked.
    package var freeBytes: (@Sendable () -> UInt64?)?

    /// The steps from older formats to the present one, in their order.
    package var formatSteps: [FormatStep] = []

    /// Gets reports about an upgrade from an older format.
    package var onUpgrade: @Sendable (UpgradeNote) -> Void = { _ in }

    /// The backups of the store; nil if it makes none.
    package var backups: BackupOptions?

    /// Gets reports about an opening that reads the log back, on a thread of its own.
    package var onRecovery: (@Sendable (RecoveryNote) -> Void)?

    package init() {}

    /// Small sizes, so that a test reaches files, levels and merges with little data.
    package static var small: RocksOptions {
        var options = RocksOptions()
        options.blockCacheBytes = 1 << 20
        options.writeBufferBytes = 128 << 10
        options.levelBaseBytes = 512 << 10
        options.targetFileBytes = 128 << 10
        options.sync = false
        return options
    }

    /// The most bytes that one merge of files may take in: eight files of the usual size.
    package var maxCompactionBytes: UInt64 {
        UInt64(targetFileBytes) * 8
    }

    /// The free space below which commits are refused.
    ///
    /// If the engine cannot write a log, service ends, so the disk must never become full. The
    /// reserve has room for every write buffer, for the merges that may be under way, and for a
    /// floor.
    package var reserveBytes: UInt64 {
        let buffer = UInt64(writeBufferBytes)
        let buffers = UInt64(writeBuffers) * buffer + buffer * 11 / 10
        let merge = max(8 * buffer + UInt64(levelBaseBytes) * 3 / 2, maxCompactionBytes)
        return buffers + UInt64(max(1, backgroundJobs - 1)) * merge + Limits.reserveFloorBytes
    }
}
