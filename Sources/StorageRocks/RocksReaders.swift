internal import Storage
internal import Synchronization

/// The read transactions of a store, kept for the next ones, and how many readers it has.
///
/// To make a transaction's buffers takes longer than most reads. Every reader, at the present read
/// version or at one that is kept, takes a transaction from here and gives it back.
final class RocksReaders: Sendable {
    private struct Pool {
        var idle: [RocksReadTransaction] = []
        var openCount = 0
        var isClosed = false
    }

    private let database: RocksDatabase
    private let pool = Mutex(Pool())

    init(_ database: RocksDatabase) {
        self.database = database
    }

    /// How many transactions wait to be used again.
    var idleCount: Int { pool.withLock { $0.idle.count } }

    var isClosed: Bool { pool.withLock { $0.isClosed } }

    /// Accepts no more readers.
    ///
    /// - Returns: Whether it accepted them before.
    func close() -> Bool {
        pool.withLock { pool in
            precondition(pool.openCount == 0, "a store was closed while it was being read")
            pool.idle = []
            defer { pool.isClosed = true }
            return !pool.isClosed
        }
    }

    /// Counts one more reader, until ``exit()``: the database may not close meanwhile.
    func enter() throws(StorageError) {
        try pool.withLock { (pool) throws(StorageError) in
            guard !pool.isClosed else { throw RocksReaders.closed }
            pool.openCount += 1
        }
    }

    func exit() {
        pool.withLock { $0.openCount -= 1 }
    }

    /// A transaction, and counts one more reader until it is given back.
    func acquire() throws(StorageError) -> RocksReadTransaction {
        let reader = try pool.withLock { (pool) throws(StorageError) in
            guard !pool.isClosed else { throw RocksReaders.closed }
            pool.openCount += 1
            return pool.idle.popLast()
        }
        return reader ?? RocksReadTransaction(database)
    }

    func release(_ transaction: RocksReadTransaction) {
        pool.withLock { pool in
            pool.openCount -= 1
            if pool.idle.count < Limits.idleReaders { pool.idle.append(transaction) }
        }
    }

    static var closed: StorageError {
        StorageError(.unavailable, "the store is closed")
    }
}
