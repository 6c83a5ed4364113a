internal import CPostgres
internal import Glibc
package import Storage

/// A connection for single statements of text.
///
/// `@unchecked Sendable`: it has one owner, which lends it to one thread at a time.
package struct PostgresSession: ~Copyable, @unchecked Sendable {
    private let raw: OpaquePointer
    private let patience: Int
    private let shutdown: Shutdown
    /// The number of the primary at the other end; 0 if the session has not asked.
    let primary: UInt64

    /// - Parameter patience: How long a statement is waited for, in milliseconds; nil for as long
    ///   as the options say.
    package init(
        _ options: PostgresOptions, patience: Int? = nil
    ) throws(StorageError) {
        let raw = try DatabaseConnection.connect(options)
        try self.init(raw, of: 0, options, patience: patience ?? options.patienceMilliseconds)
    }

    /// A session with the present primary.
    init(_ database: PostgresDatabase, patience: Int) throws(StorageError) {
        let (raw, primary) = try database.connect(for: .other, withinMilliseconds: patience)
        try self.init(raw, of: primary, database.options, patience: patience)
    }

    private init(
        _ raw: OpaquePointer, of primary: UInt64, _ options: PostgresOptions, patience: Int
    ) throws(StorageError) {
        do throws(StorageError) {
            try Self.run(
                SessionSettings.sql(on: raw, patience, idle: options.idleMilliseconds), on: raw,
                patience, options.shutdown)
        } catch {
            PQfinish(raw)
            throw error
        }
        self.raw = raw
        self.primary = primary
        self.patience = patience
        shutdown = options.shutdown
    }

    deinit {
        PQfinish(raw)
    }

    /// The first column of the rows of the last statement.
    @discardableResult
    package func run(_ sql: String) throws(StorageError) -> [String] {
        try Self.run(sql, on: raw, patience, shutdown)
    }

    /// The number of the process that serves the session, as the connection got it.
    var reportedProcess: Int32 { PQbackendPID(raw) }

    /// Runs statements on a connection that is in no pipeline.
    ///
    /// It does not wait for ever, as libpq's own way does: a connection may fall silent.
    @discardableResult
    static func run(
        _ sql: String, on raw: OpaquePointer, _ patience: Int, _ shutdown: Shutdown = Shutdown()
    ) throws(StorageError) -> [String] {
        guard PQsendQuery(raw, sql) == 1 else { throw DatabaseError(connection: raw).error }
        let start = DatabaseConnection.milliseconds()
        var found: [String] = []
        var failure: StorageError?
        while true {
            try wait(for: raw, since: start, patience, shutdown)
            guard let result = PQgetResult(raw) else { break }
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK: found = []
            case PGRES_TUPLES_OK:
                found = (0..<PQntuples(result)).map { row in
                    // The text lives as long as the result, which is cleared later.
                    PQgetvalue(result, row, 0).map { String(cString: $0) } ?? ""
                }
            default: failure = DatabaseError(result).error
            }
        }
        if let failure { throw failure }
        return found
    }

    /// Waits until the next result is there.
    private static func wait(
        for raw: OpaquePointer, since start: Int, _ patience: Int, _ shutdown: Shutdown
    ) throws(StorageError) {
        while PQisBusy(raw) != 0 {
            let left = shutdown.left(since: start, patience)
            var socket = pollfd(fd: PQsocket(raw), events: Int16(POLLIN), revents: 0)
            guard left > 0 else {
                throw StorageError(
                    .unavailable, "the database did not answer within \(patience) ms")
            }
            let pause = min(left, Limits.endingCheckMilliseconds)
            guard poll(&socket, 1, Int32(pause)) > 0 else { continue }
            guard PQconsumeInput(raw) == 1 else { throw DatabaseError(connection: raw).error }
        }
    }

    /// Begins a transaction, and waits until it has the lock of the whole store.
    ///
    /// It waits for a short time, again and again. In between the transactions that wait for it go
    /// on, and it ends those of processes without a lease.
    func beginAlone() throws(StorageError) {
        var pauses = Pauses(patience, shutdown)
        while true {
            do throws(StorageError) {
                try run(
                    """
                    BEGIN; SET LOCAL lock_timeout = \(Limits.aloneMilliseconds); \
                    SELECT pg_advisory_xact_lock(\(Lock.store)); SET LOCAL lock_timeout = 0
                    """)
                return
            } catch {
                guard error.code == .unavailable, pauses.pause() else { throw error }
                try run("ROLLBACK")
                // A store that is just being made has no leases.
                _ = try? Fence.check(
                    by: self, pause: DatabaseConnection.sleep(milliseconds:))
            }
        }
    }

    /// Waits for notices of the channels that the session listens to, and returns their texts.
    func notices(milliseconds: Int) throws(StorageError) -> [String] {
        let texts = takeNotices()
        guard texts.isEmpty else { return texts }
        var socket = pollfd(fd: PQsocket(raw), events: Int16(POLLIN), revents: 0)
        guard poll(&socket, 1, Int32(clamping: milliseconds)) > 0 else { return [] }
        guard PQconsumeInput(raw) == 1 else { throw DatabaseError(connection: raw).error }
        return takeNotices()
    }

    private func takeNotices() -> [String] {
        var texts: [String] = []
        while let notice = PQnotifies(raw) {
            // The text is a part of the notice, which is freed here.
            texts.append(String(cString: notice.pointee.extra))
            PQfreemem(notice)
        }
        return texts
    }
}
