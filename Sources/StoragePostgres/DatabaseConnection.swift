internal import CPostgres
internal import Glibc
internal import Storage
import Support

/// One connection to the database, in libpq's pipeline mode.
///
/// Statements are sent one after another, and their results come in that order. A transaction
/// that names no beginning lasts until ``end(_:)``. So a read of one statement is one round trip,
/// and one of several statements has one view.
///
/// After an error that sets ``isBroken``, only ``close()`` may be called.
///
/// `@unchecked Sendable`: it passes from thread to thread only through the lock of its owner, and
/// one thread at a time has it.
final class DatabaseConnection: @unchecked Sendable {
    /// The use of the connection.
    enum Kind {
        /// Reads, in views of one read version.
        case reader
        /// Writes, each statement of which sees what was committed before it.
        case writer
        /// Reads at a standby, in views of one read version.
        case standby
        /// Reads of the registry with renewals of the lease, in one transaction.
        case lease
    }

    /// It is made in `init`, freed in `close`, and never handed out.
    private let raw: OpaquePointer
    private let patience: Int
    private let meter: DatabaseMeter
    private let shutdown: Shutdown
    private let primary: Primary
    /// The number of the server at the other end.
    private let number: UInt64
    /// The primary's when the connection was made.
    private let suspicion: UInt64
    /// The time by which an answer has to be there at the latest.
    var latest = Int.max
    /// The number that the next result must show: its statement is ``Statement/noted``.
    ///
    /// So a view is checked in the round trip of its first question.
    var leastMark: StandbyMark.Number? {
        didSet { if leastMark != nil { (isBehind, beginsView) = (false, false) } }
    }
    /// The number that a view of this session showed last.
    private var shownMark: (id: [UInt8], value: Int64)?
    /// Whether the next result is the first of a view that needs no check.
    private var beginsView = false
    /// Whether the view that was checked last showed a lower number.
    private(set) var isBehind = false
    /// Called again and again while an answer takes long.
    var onSlowAnswer: () -> Void = {}
    private(set) var isBroken = false
    /// Whether the database has refused a statement, and so the transaction: it is not committed.
    private(set) var hasRefused = false
    private var isClosed = false
    /// The answers that were not taken yet, in the order in which they come.
    private var expected: [Answer] = []
    /// Whether something was sent since the last wait for an answer.
    private var isNew = false
    /// Whether the database ends the session when a transaction is idle for long.
    ///
    /// It counts the time only after a sync, which ends a transaction that has no explicit begin.
    let isIdleBounded: Bool
    /// Whether each question ends with a sync, in a transaction with an explicit begin.
    var syncsQuestions = false

    private enum Answer {
        /// The result of a statement.
        case result
        /// The result of a statement that is not asked about.
        case ignored
        /// The end of a transaction.
        case end
    }

    /// Connects, and prepares the statements of its kind.
    ///
    /// - Throws: ``StorageError`` with the code `unavailable` if the database is not there,
    ///   `foreign` if it has no table of this program, `lostData` if it has gone back to an earlier
    ///   state.
    ///
    /// - Parameters:
    ///   - comparing: Whether it asks all addresses for the present primary.
    ///   - left: About how long it may take, in milliseconds.
    init(
        _ kind: Kind, _ database: PostgresDatabase, comparing: Bool = false,
        withinMilliseconds left: Int = .max
    ) throws(StorageError) {
        // Before it is made: what happens meanwhile may be about it.
        suspicion = database.primary.suspicion
        (raw, number) = try database.connect(
            for: kind == .lease ? .lease : .other, comparing: comparing, withinMilliseconds: left)
        primary = database.primary
        meter = database.meter
        shutdown = database.options.shutdown
        meter.connected()
        isIdleBounded = kind == .writer && database.options.idleMilliseconds > 0
        patience =
            kind == .lease
            ? LeaseLimits.reliedMilliseconds : database.options.patienceMilliseconds
        do throws(StorageError) {
            try PostgresSession.run(
                SessionSettings.sql(
                    on: raw, patience, of: kind, idle: database.options.idleMilliseconds),
                on: raw, patience, shutdown)
            PQenterPipelineMode(raw)
            // Nothing may block while it sends: `next` sends what is left.
            PQsetnonblocking(raw, 1)
            let statements =
                switch kind {
                case .reader: Statement.ofReaders
                case .standby: Statement.ofStandbys
                case .writer where isIdleBounded: Statement.ofBoundedWriters
                case .writer: Statement.ofWriters
                case .lease: Statement.ofLeases
                }
            for statement in statements {
                guard PQsendPrepare(raw, statement.rawValue, statement.sql, 0, nil) == 1 else {
                    throw broken()
                }
                expected.append(.result)
            }
            sync()
            for _ in statements { _ = try result() }
        } catch {
            close()
            throw error
        }
    }

    deinit {
        close()
    }

    /// A connection outside the pipeline mode.
    ///
    /// - Parameter target: The one server that it leads to; without words, any of the address.
    static func connect(
        _ options: PostgresOptions, to target: DatabaseServer = DatabaseServer(),
        seconds: Int? = nil
    ) throws(StorageError) -> OpaquePointer {
        let start = milliseconds()
        guard !options.shutdown.isHopeless else {
            throw StorageError(.unavailable, "the process ends, and the database does not answer")
        }
        // `expand_dbname`: the address stands in for the database's name.
        let raw = withWords(of: options, to: target, seconds) { PQconnectdbParams($0, $1, 1) }
        guard let raw else { throw StorageError(.failed, "no memory for a connection") }
        guard PQstatus(raw) == CONNECTION_OK else {
            let failure = DatabaseError(connection: raw)
            PQfinish(raw)
            _ = options.shutdown.left(since: start, options.patienceMilliseconds)
            throw StorageError(.unavailable, "the database is not there: \(failure.words)")
        }
        // libpq would write the database's notices to standard error.
        PQsetNoticeReceiver(raw, { _, _ in }, nil)
        return raw
    }

    /// Gives `body` libpq's keywords for the connection, and their values.
    static func withWords<Result>(
        of options: PostgresOptions, to target: DatabaseServer = DatabaseServer(),
        _ seconds: Int? = nil,
        _ body: (
            UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>
        ) -> Result
    ) -> Result {
        // The address comes after the defaults, so it decides, but for the server; the password
        // comes last.
        var words: [(String, String)] = [
            ("fallback_application_name", "relationd"),
            ("target_session_attrs", "read-write"),
            ("connect_timeout", "\(seconds ?? options.connectSeconds)"),
            ("keepalives_idle", "\(Limits.keepaliveIdleSeconds)"),
            ("keepalives_interval", "\(Limits.keepaliveIntervalSeconds)"),
            ("keepalives_count", "\(Limits.keepaliveCount)"),
            ("tcp_user_timeout", "\(options.patienceMilliseconds)"),
            ("dbname", options.address),
        ]
        words += target.words.map { ($0.key, $0.value) }
        if options.takesStandbys { words.append(("target_session_attrs", "any")) }
        if let password = options.password { words.append(("password", password)) }
        return withTexts(words.map(\.0)) { keys in
            withTexts(words.map(\.1)) { values in body(keys, values) }
        }
    }

    private static func withTexts<Result>(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        // Each text lives until it is freed below, and the list ends with a null.
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return (copies.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer {
            body($0.baseAddress!)
        }
    }

    /// Whether the connection works, as far as is known here: the database may have ended it while
    /// it was idle.
    var isAlive: Bool {
        guard !isBroken, isOfPrimary, suspicion == primary.suspicion else { return false }
        // The end of a session comes after a message that says why, which alone would look like the
        // answers to the end of the last transaction.
        let hangUps = Self.hangUp | Int16(POLLHUP) | Int16(POLLERR)
        var socket = pollfd(fd: PQsocket(raw), events: Int16(POLLIN) | Self.hangUp, revents: 0)
        guard poll(&socket, 1, 0) > 0 else { return true }
        if socket.revents & hangUps != 0 || PQconsumeInput(raw) != 1 { isBroken = true }
        return !isBroken
    }

    /// `POLLRDHUP` of Linux, which Glibc's module hides: the other end sends no more.
    private static let hangUp: Int16 = 0x2000

    /// Whether the server at the other end is the present primary.
    var isOfPrimary: Bool { number == primary.number }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        isBroken = true
        PQfinish(raw)
    }

    // MARK: Out

    /// Sends a statement; its result is taken later by ``result()``.
    func send(
        _ statement: Statement, _ parameters: borrowing Parameters = Parameters()
    ) throws(StorageError) {
        guard !isBroken else { throw broken() }
        hasRefused = false
        let sent = parameters.bytes.withUnsafeBytes { bytes in
            var values: [UnsafePointer<CChar>?] = []
            var lengths: [Int32] = []
            var first = Parameters.start
            for end in parameters.ends {
                // There is a byte before all values, so the memory has an address.
                let start = bytes.baseAddress! + first
                values.append(start.assumingMemoryBound(to: CChar.self))
                lengths.append(Int32(end - first))
                first = end
            }
            let formats = [Int32](repeating: 1, count: values.count)
            return PQsendQueryPrepared(
                raw, statement.rawValue, Int32(values.count), values, lengths, formats, 1)
        }
        guard sent == 1 else { throw broken() }
        expected.append(.result)
        isNew = true
    }

    /// Ends the transaction that the statements since the last end make, without waiting.
    func sync() {
        guard PQpipelineSync(raw) == 1 else {
            isBroken = true
            return
        }
        expected.append(.end)
        isNew = true
    }

    // MARK: In

    /// The result of the next statement that has none yet.
    ///
    /// - Throws: ``StorageError`` as the database says; the statements after it up to the next end
    ///   were not run.
    func result() throws(StorageError) -> StatementResult {
        if leastMark != nil { try checkMark() }
        try receiveEnds()
        precondition(!expected.isEmpty, "no statement waits for a result")
        expected.removeFirst()
        countWait()
        guard let found = try next() else { throw broken() }
        let status = PQresultStatus(found)
        guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
            defer { PQclear(found) }
            if status == PGRES_PIPELINE_ABORTED {
                try receiveNull()
                throw StorageError(.unavailable, "an earlier statement failed")
            }
            throw try refusal(found)
        }
        let result = StatementResult(found)
        try receiveNull()
        try checkPrimary()
        if beginsView { hasViewOfStandby() }
        return result
    }

    /// Checks the number of a view, unless a result was taken since ``leastMark`` was set.
    ///
    /// From then on the read has longer for the rest.
    ///
    /// - Throws: ``StorageError`` with the code `unavailable` if the view shows a lower number, or
    ///   as the database says.
    func checkMark() throws(StorageError) {
        guard let least = leastMark else { return }
        leastMark = nil
        let rows = try result()
        isBehind = rows.count != 1 || rows.number(0, 0) < least.value
        guard !isBehind else {
            throw StorageError(.unavailable, "the standby is behind the primary")
        }
        shownMark = (least.id, rows.number(0, 0))
        hasViewOfStandby()
    }

    /// Begins a view that shows `mark`, if that is known without a question.
    ///
    /// A standby keeps all that it has applied, as long as its process and so this session last. So
    /// a view of a session that has shown a number shows it too, and numbers only grow.
    ///
    /// - Returns: Whether it is known.
    func beginsView(showing mark: StandbyMark.Number) -> Bool {
        guard let shownMark, shownMark.id == mark.id, shownMark.value >= mark.value else {
            return false
        }
        leastMark = nil
        isBehind = false
        beginsView = true
        return true
    }

    private func hasViewOfStandby() {
        beginsView = false
        latest = Self.milliseconds() + Limits.standbyViewMilliseconds
    }

    /// Waits until the transaction that ``sync()`` ends is committed, after the results of its
    /// statements.
    ///
    /// - Throws: ``StorageError`` as the database says, if it refuses the commit.
    func receiveEnd() throws(StorageError) {
        precondition(expected == [.end], "a statement of the transaction waits for its result")
        countWait()
        let found = try following()
        defer { PQclear(found) }
        // After a refusal the end is still to come.
        guard PQresultStatus(found) == PGRES_PIPELINE_SYNC else { throw try refusal(found) }
        expected.removeFirst()
        // A former primary may confirm a commit that the present one does not have.
        try checkPrimary()
    }

    private func checkPrimary() throws(StorageError) {
        guard !isOfPrimary else { return }
        isBroken = true
        throw StorageError(.unavailable, "another server has become the primary")
    }

    private func countWait() {
        guard isNew else { return }
        // A transaction's end makes the database send its answers by itself.
        if !expected.contains(.end) {
            if syncsQuestions { sync() } else { PQsendFlushRequest(raw) }
        }
        meter.waited()
        isNew = false
    }

    /// The error of a result that is a failure.
    private func refusal(_ result: OpaquePointer) throws(StorageError) -> StorageError {
        let failure = DatabaseError(result)
        if failure.isOfStatement { hasRefused = true }
        if failure.endsConnection { isBroken = true } else { try receiveNull() }
        return failure.error
    }

    /// Ends the transaction, of which nothing is kept, without waiting.
    ///
    /// The answers to that are taken before the next result, or now if a statement had failed. A
    /// connection that has broken is closed: the database may still wait for a lock on it, and
    /// would keep the lock as long as the session lasts.
    func end(_ last: Statement? = nil) {
        defer { if isBroken { close() } }
        guard !isBroken else { return }
        // The end of a transaction that was committed may not have been taken yet.
        let isFailed = expected.contains(.result)
        if isFailed {
            // The statements after the one that failed were left out by the database.
            sync()
            skip()
        }
        do throws(StorageError) {
            if let last {
                try send(last)
                expected[expected.count - 1] = .ignored
            }
        } catch {
            return
        }
        if last != nil || !isFailed { sync() }
        // Bytes that do not go out now go before the next statement.
        if !isBroken { PQflush(raw) }
    }

    /// Leaves out the results of all statements up to the last end that was sent.
    ///
    /// Afterwards no transaction is open.
    func skip() {
        while !isBroken, !expected.isEmpty {
            do throws(StorageError) {
                PQclear(try following())
                expected.removeFirst()
            } catch {
                isBroken = true
            }
        }
    }

    /// Takes the answers to the end of an earlier transaction, which come before the next result.
    private func receiveEnds() throws(StorageError) {
        while let last = expected.first, last != .result {
            let found = try following()
            let isEnd = PQresultStatus(found) == PGRES_PIPELINE_SYNC
            PQclear(found)
            guard isEnd == (last == .end) else {
                isBroken = true
                // It was not asked about, and another connection can do what comes now.
                throw StorageError(.unavailable, "the end of an earlier transaction was refused")
            }
            expected.removeFirst()
        }
    }

    /// The next result, after the null that libpq gives at the end of those of a statement.
    private func following() throws(StorageError) -> OpaquePointer {
        if let found = try next() { return found }
        if let found = try next() { return found }
        throw broken()
    }

    private func receiveNull() throws(StorageError) {
        guard let more = try next() else { return }
        PQclear(more)
        isBroken = true
        throw StorageError(.failed, "libpq gave two results for one statement")
    }

    /// The next result of libpq, or nil at the end of those of one statement.
    ///
    /// - Throws: ``StorageError`` with the code `unavailable` if it does not come in time, or the
    ///   connection ends.
    private func next() throws(StorageError) -> OpaquePointer? {
        guard !isBroken else { throw broken() }
        // The database gives up a statement after the same time, and says so a little later.
        let start = Self.milliseconds()
        let patience = min(self.patience, latest - start) + Limits.lateAnswerMilliseconds
        while true {
            let rest = PQflush(raw)
            guard rest >= 0 else { throw broken() }
            if rest == 0, PQisBusy(raw) == 0 { return PQgetResult(raw) }
            var socket = pollfd(
                fd: PQsocket(raw), events: Int16(POLLIN) | (rest == 1 ? Int16(POLLOUT) : 0),
                revents: 0)
            let left = shutdown.left(since: start, patience)
            guard left > 0 else {
                isBroken = true
                throw StorageError(
                    .unavailable, "the database did not answer within \(patience) ms")
            }
            let ready = poll(&socket, 1, Int32(min(left, Limits.slowAnswerMilliseconds)))
            if ready < 0, errno != EINTR { throw broken() }
            if ready == 0 { try closeIfSilent() }
            guard socket.revents == 0 || PQconsumeInput(raw) == 1 else { throw broken() }
        }
    }

    /// Gives the connection up if it seems to be silent for good.
    private func closeIfSilent() throws(StorageError) {
        try checkPrimary()
        guard suspicion == primary.suspicion else {
            isBroken = true
            throw StorageError(
                .unavailable, "the database does not answer on a connection from before a fault")
        }
        onSlowAnswer()
    }

    private func broken() -> StorageError {
        let words = isClosed ? "it is closed" : DatabaseError(connection: raw).words
        isBroken = true
        return StorageError(.unavailable, "the connection to the database ended: \(words)")
    }

    static func sleep(milliseconds: Int) {
        usleep(UInt32(clamping: milliseconds * 1_000))
    }

    /// A clock in milliseconds that never goes back.
    static func milliseconds() -> Int { Int(SystemClock.monotonic.milliseconds) }
}
