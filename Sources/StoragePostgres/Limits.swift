/// The sizes and times that this room fixes; ``PostgresOptions`` has those that an operator may
/// choose.
package enum Limits {
    /// Connections for snapshots that stay open while none is kept.
    package static let idleSnapshots = 4

    /// Keys in one statement.
    ///
    /// A longer list is read by several statements of one view.
    package static let keysPerRead = 1024

    /// Rows that the first statement of a scan asks for; the later ones ask for more.
    ///
    /// Many callers stop early, and a row that crosses the network for nothing costs both sides.
    package static let firstRowsPerScan = 256
    package static let rowsPerScan = 2048

    /// Address space for the records that one transaction decodes; the system gives pages when
    /// touched.
    package static let transactionArenaBytes = 64 << 20

    /// Arenas that are kept for later transactions.
    static let idleArenas = 16

    /// The room in which a write transaction encodes one record at a time; it grows with a longer
    /// record.
    package static let scratchBytes = 4 << 10

    /// Keys and values written by one transaction: one message of the protocol holds them.
    package static let batchBytes = 128 << 20

    /// Memory for a statement's parameters that is used again; more is given back.
    static let keptParameterBytes = 1 << 20

    /// Rows changed by one statement.
    package static let rowsPerStatement = 4096

    /// The pause before something is tried again, at most: it is drawn at random below this bound,
    /// which doubles each time up to the longest one.
    package static let firstPauseMilliseconds = 2
    package static let longestPauseMilliseconds = 200

    /// How much longer an answer is waited for than the database works for it.
    static let lateAnswerMilliseconds = 500

    /// How long the row of a writer's last transaction is relied on; it stays for a day.
    static let keptBatchMilliseconds = 12 * 3_600_000
}
