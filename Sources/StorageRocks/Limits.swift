/// The sizes that this room fixes; what an operator may choose is in ``RocksOptions``.
package enum Limits {
    /// Keys handed to the engine in one call.
    ///
    /// A longer list is read in several, so that the buffers of a transaction and the blocks that
    /// it pins stay bounded.
    package static let keysPerRead = 1024

    /// Address space for the records that one transaction decodes; pages are taken when touched.
    package static let transactionArenaBytes = 64 << 20

    /// Read transactions kept for reuse.
    ///
    /// More may be open at once; the surplus is freed when done.
    package static let idleReaders = 64

    /// Memory taken at a time for the rows that a write transaction holds.
    package static let slabChunkBytes = 256 << 10

    /// Places in a write transaction's hash table that survive its end; a bigger one is freed,
    /// since clearing it would cost every small transaction after it.
    package static let overlayPlacesKept = 8192

    /// Keys and values written by one transaction.
    ///
    /// The reserve of ``RocksOptions`` does not cover a batch beyond a few write buffers, and the
    /// engine holds a batch in memory whole.
    package static let batchBytes = 128 << 20

    /// How old the mark of the last synced commit may be while there are commits.
    ///
    /// What is lost of the end of a log, and is younger, goes unnoticed. Each mark is a sync of its
    /// own: one in a thousand or so under load.
    package static let markMilliseconds = 1000

    /// States that a mark holds, so that what is lost can be counted: a page has room for these.
    package static let markPoints = 64

    /// Logs that a mark names; the engine has one for each write buffer that is not a file yet.
    package static let markLogs = 64

    /// How often the engine is asked whether its own threads have failed, which it tells nobody.
    ///
    /// Until then commits may wait for what never comes; the question costs some microseconds.
    package static let faultCheckMilliseconds: Int32 = 1_000

    /// A recovery that takes less is told of to nobody.
    package static let recoveryMomentMilliseconds: Int64 = 1_000

    /// How often a recovery tells how far it is: so often that nobody takes it for hung.
    package static let recoveryNoteMilliseconds: Int64 = 5_000

    /// How often a recovery is looked at.
    package static let recoveryLookMilliseconds: Int32 = 100

    /// Part of the reserve that covers the log file being written and the engine's own log.
    package static let reserveFloorBytes: UInt64 = 64 << 20
}
