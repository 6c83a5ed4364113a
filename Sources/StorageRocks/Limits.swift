/// The sizes that this room fixes; ``RocksOptions`` has those that an operator may choose.
package enum Limits {
    /// Keys handed to the engine in one call.
    ///
    /// A longer list is read in several calls, so that the buffers of a transaction and the blocks
    /// that it pins stay bounded.
    package static let keysPerRead = 1024

    /// Address space for the records that one transaction decodes; the system gives pages when
    /// touched.
    package static let transactionArenaBytes = 64 << 20

    /// The room in which a write transaction encodes one record at a time; it grows with a longer
    /// record.
    package static let scratchBytes = 4 << 10

    /// Read transactions that are kept for reuse.
    ///
    /// More may be open at once; the surplus is freed when they are done.
    package static let idleReaders = 64

    /// Rows that the writer has at hand because it read them lately; a power of two.
    package static let recentRows = 32_768
    /// The most bytes of such a row, with its key: room for a user record, and 16 MiB for all.
    package static let recentRowBytes = 512

    /// The levels of files that the engine has unless it is configured otherwise.
    static let levels = 7

    /// Keys and values written by one transaction.
    ///
    /// The reserve of ``RocksOptions`` does not cover a batch larger than a few write buffers, and
    /// the engine holds a whole batch in memory.
    package static let batchBytes = 128 << 20

    /// How old the mark of the last synced commit may be while there are commits.
    ///
    /// If the end of a log is lost, changes younger than this are not noticed. Each mark is a sync
    /// of its own: one of a thousand or so under load.
    package static let markMilliseconds = 1000

    /// States that a mark holds, so that a loss can be counted; they fit into a page.
    package static let markPoints = 64

    /// Logs that a mark names; the engine has one for each write buffer that is not a file yet.
    package static let markLogs = 64

    /// How often the engine is asked whether its own threads have failed, because it does not
    /// report that.
    ///
    /// Until then commits may wait for ever. The question costs some microseconds.
    package static let failureCheckMilliseconds: Int32 = 1_000

    /// How long an answer of the file system about its free space serves the commits.
    package static let freeSpaceMilliseconds: UInt64 = 100
    /// The free space above the reserve from which on it does: more than a device takes in that
    /// time.
    package static let freeSpaceMargin: UInt64 = 1 << 30

    /// The shortest recovery that is reported.
    package static let shortestRecoveryMilliseconds: Int64 = 1_000

    /// How often a recovery reports its progress: so often that it does not seem to hang.
    package static let recoveryNoteMilliseconds: Int64 = 5_000

    /// How often the progress of a recovery is read.
    package static let recoveryPollMilliseconds: Int32 = 100

    /// The bytes of files that are read ahead in one piece.
    ///
    /// A device takes two or three milliseconds for them, and little less time for half of them.
    static let readaheadPieceBytes = 1 << 20
    /// How far the thread that reads ahead stands back for others when processors are scarce.
    static let readaheadNiceness: Int32 = 10

    /// The part of the reserve for the log file that is being written and for the engine's own log.
    package static let reserveFloorBytes: UInt64 = 64 << 20

    /// Files of rows that are open at one time while rows are only read.
    package static let restingFiles = 64
}
