package import Storage
import Support

/// The changes of an app that moves to another database, noted by triggers.
///
/// Two triggers of the table of rows concern the rows of the one app; those of other apps cost a
/// comparison. They are there for the time of the move only. Their notes are as durable as the
/// changes themselves.
package final class PostgresMoveLog: MoveLog {
    private let options: PostgresOptions
    private let target: PostgresOptions
    private let app: UInt32
    /// The ends of the names of this mover's sessions, in both databases.
    private let sessions: String
    private let mostWaiting: Int
    /// Rounds in a row that left changes behind.
    private var fullRounds = 0
    /// Whether the list was given up: what a mover applies then is not all.
    private var isGivenUp = false
    /// Nil until it is needed, and after a failure.
    private var session: PostgresSession?

    /// - Parameters:
    ///   - options: How the database is reached that the app leaves.
    ///   - target: How that is reached to which it goes.
    ///   - sessions: The names of the sessions of the mover's stores.
    ///   - mostWaiting: Changes that may wait; a list as long as that is given up.
    package init(
        _ options: PostgresOptions, target: PostgresOptions, app: UInt32, sessions: [String],
        mostWaiting: Int = Limits.waitingChanges
    ) {
        (self.options, self.target, self.app) = (options, target, app)
        self.mostWaiting = mostWaiting
        self.sessions = sessions.joined(separator: " ")
    }

    // MARK: The mover

    package func take(force: Bool) throws(StorageError) {
        try make()
        let age = "extract(epoch FROM clock_timestamp() - beat) * 1000"
        let found = try run(
            """
            SELECT CASE WHEN sessions = '\(sessions)' THEN '' ELSE sessions END || '|' \
            || (\(age))::bigint FROM relation_move WHERE app = \(app)
            """)
        let parts = found.first?.split(separator: "|", omittingEmptySubsequences: false) ?? []
        let earlier = parts.first.map(String.init) ?? ""
        if parts.count == 2, !earlier.isEmpty, !force,
            Int(parts[1]) ?? 0 < MoveLogLimits.silenceMilliseconds
        {
            throw StorageError(
                .locked,
                "another mover of app \(app) was there \(parts[1]) ms ago; wait until it ended, "
                    + "or take over with --take-over")
        }
        let taken = try run(
            """
            INSERT INTO relation_move AS m (app, sessions, beat) \
            VALUES (\(app), '\(sessions)', clock_timestamp()) ON CONFLICT (app) DO UPDATE \
            SET sessions = excluded.sessions, beat = excluded.beat \
            WHERE m.sessions IN ('\(earlier)', '\(sessions)') RETURNING app
            """)
        guard !taken.isEmpty else { throw Self.replaced }
        guard !earlier.isEmpty else { return }
        // It may hold locks: it was stopped in the middle of a transaction, say.
        let end = Self.endSessions(earlier.split(separator: " ").map(String.init))
        try run(end)
        _ = try? PostgresSession(target).run(end)
    }

    private static func endSessions(_ names: [String]) -> String {
        let list = names.filter { $0.allSatisfy(\.isHexDigit) }.map { "'\($0)'" }
        return """
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
            WHERE right(application_name, 16) IN (\(list.joined(separator: ", "))) \
            AND datname = current_database() AND usename = current_user
            """
    }

    package func beat() throws(StorageError) {
        let found = try run(
            """
            UPDATE relation_move SET beat = clock_timestamp() \
            WHERE app = \(app) AND sessions = '\(sessions)' RETURNING app
            """)
        guard !found.isEmpty else { throw Self.replaced }
    }

    package func leave() throws(StorageError) {
        try run("DELETE FROM relation_move WHERE app = \(app) AND sessions = '\(sessions)'")
    }

    private static let replaced = StorageError(
        .locked, "another mover has taken over the move, or has ended it")

    // MARK: Changes

    package func changes(limit: Int) throws(StorageError) -> [MoveChange] {
        guard !isGivenUp else { throw tooMany }
        let rows = try run(
            """
            SELECT n || ' ' || encode(p, 'hex') || ' ' || encode(k, 'hex') \
            FROM relation_move_change WHERE app = \(app) ORDER BY n LIMIT \(limit)
            """)
        fullRounds = rows.count == limit ? fullRounds + 1 : 0
        if fullRounds == Limits.fullRoundsPerCount { try checkWaiting() }
        var changes: [MoveChange] = []
        changes.reserveCapacity(rows.count)
        for row in rows {
            let parts = row.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 3, let number = Int64(parts[0]),
                let partition = [UInt8](hexadecimal: parts[1]),
                let suffix = [UInt8](hexadecimal: parts[2])
            else { throw StorageError(.corrupted, "a change of a move cannot be read") }
            let key = Key(bytes: partition + suffix, partitionCount: partition.count)
            changes.append(MoveChange(number: number, key: key))
        }
        return changes
    }

    /// Gives the list up if it has become too long: the next mover copies anew.
    private func checkWaiting() throws(StorageError) {
        fullRounds = 0
        let found = try run(
            """
            SELECT count(*) FROM (SELECT FROM relation_move_change \
            WHERE app = \(app) LIMIT \(mostWaiting)) AS waiting
            """)
        guard found == ["\(mostWaiting)"] else { return }
        isGivenUp = true
        try end()
        throw tooMany
    }

    private var tooMany: StorageError {
        StorageError(
            .unavailable,
            "app \(app) changes faster than its changes are applied: \(mostWaiting) wait, and "
                + "are given up; try at a quieter time")
    }

    package func forget(_ numbers: [Int64]) throws(StorageError) {
        guard !numbers.isEmpty else { return }
        let list = numbers.map { "\($0)" }.joined(separator: ",")
        try run(
            """
            DELETE FROM relation_move_change \
            WHERE app = \(app) AND n = ANY ('{\(list)}'::bigint[])
            """
        )
    }

    package func begin() throws(StorageError) -> Bool {
        try make()
        let known = try triggers()
        if known.count == 2, known.allSatisfy(\.isOn) { return true }
        let missing = [true, false].filter { new in
            !known.contains { $0.name == name(ofNew: new) }
        }
        var statements = known.filter { !$0.isOn }.map {
            "ALTER TABLE relation_kv ENABLE TRIGGER \($0.name)"
        }
        statements += missing.map(making)
        // Before the triggers are there: when they are, each change counts.
        try forgetAll()
        try holdingTable(statements)
        return false
    }

    package func end() throws(StorageError) {
        let known = try triggers()
        let on = known.filter(\.isOn)
        if !on.isEmpty {
            try holdingTable(on.map { "ALTER TABLE relation_kv DISABLE TRIGGER \($0.name)" })
        }
        // To drop one keeps readers out too, and waits for those that read for long. So that is
        // tried for a moment only: a trigger that is off costs next to nothing.
        for _ in 0..<Limits.triggerDrops where !known.isEmpty {
            let drops = known.map { "DROP TRIGGER IF EXISTS \($0.name) ON relation_kv" }
            let wait = "SET LOCAL lock_timeout = \(Limits.dropMilliseconds)"
            let isDropped = (try? run((isMover + [wait] + drops).joined(separator: "; "))) != nil
            if isDropped { break }
            DatabaseConnection.sleep(milliseconds: Limits.tablePauseMilliseconds)
        }
        try forgetAll()
    }

    private func forgetAll() throws(StorageError) {
        let forgetting = """
            DELETE FROM relation_move_change WHERE app = \(app) AND n IN (SELECT n \
            FROM relation_move_change WHERE app = \(app) ORDER BY n \
            LIMIT \(Limits.rowsPerStatement)) RETURNING 1
            """
        try beat()
        var removed: [String] = []
        repeat {
            removed = try run((isMover + [forgetting]).joined(separator: "; "))
        } while !removed.isEmpty
    }

    /// Statements that end their transaction unless this is still the mover, and keep others from
    /// taking over before it ends.
    private var isMover: [String] {
        let mine = "app = \(app) AND sessions = '\(sessions)'"
        return [
            "UPDATE relation_move SET beat = clock_timestamp() WHERE \(mine)",
            "SELECT 1 / count(*) FROM relation_move WHERE \(mine)",
        ]
    }

    // MARK: Tables and triggers

    /// Makes the tables and the function of all moves, if they are not there.
    private func make() throws(StorageError) {
        let lock = Lock.number(of: "relation_move".utf8)
        let schema = try run(
            """
            SELECT quote_ident(n.nspname) FROM pg_class c JOIN pg_namespace n \
            ON n.oid = c.relnamespace WHERE c.oid = to_regclass('relation_kv')
            """)
        guard let schema = schema.first else {
            throw StorageError(.foreign, "the database has no tables of this program")
        }
        let isThere = try run(
            """
            SELECT to_regclass('\(schema).relation_move_change') IS NOT NULL AND EXISTS \
            (SELECT FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace \
            WHERE p.proname = 'relation_move_note' AND quote_ident(n.nspname) = '\(schema)')
            """)
        guard isThere != ["t"] else { return }
        let noting = "INSERT INTO \(schema).relation_move_change (app, p, k)"
        let body = """
            IF TG_OP = 'DELETE' THEN \(noting) VALUES (TG_ARGV[0]::bigint, OLD.p, OLD.k); \
            ELSE \(noting) VALUES (TG_ARGV[0]::bigint, NEW.p, NEW.k); END IF; RETURN NULL;
            """
        // The function has the rights of its owner, so that a server needs none for its table.
        try run(
            [
                "SELECT pg_advisory_xact_lock(\(lock))",
                """
                CREATE TABLE IF NOT EXISTS \(schema).relation_move (app bigint PRIMARY KEY, \
                sessions text NOT NULL, beat timestamptz NOT NULL)
                """,
                """
                CREATE TABLE IF NOT EXISTS \(schema).relation_move_change (app bigint NOT NULL, \
                n bigint GENERATED ALWAYS AS IDENTITY, p bytea NOT NULL, k bytea NOT NULL, \
                PRIMARY KEY (app, n))
                """,
                """
                CREATE OR REPLACE FUNCTION \(schema).relation_move_note() RETURNS trigger \
                LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp \
                AS $$BEGIN \(body) END$$
                """,
            ].joined(separator: "; "))
    }

    private func name(ofNew isNew: Bool) -> String {
        "relation_move_\(app)_\(isNew ? "new" : "old")"
    }

    private func making(ofNew isNew: Bool) -> String {
        var lower: [UInt8] = []
        for shift in stride(from: 24, through: 0, by: -8) {
            lower.append(UInt8(truncatingIfNeeded: app >> UInt32(shift)))
        }
        let bounds = (String(hexadecimal: lower), String(hexadecimal: lower + [0xFF]))
        let row = isNew ? "NEW" : "OLD"
        return """
            CREATE TRIGGER \(name(ofNew: isNew)) AFTER \(isNew ? "INSERT OR UPDATE" : "DELETE") \
            ON relation_kv FOR EACH ROW \
            WHEN (\(row).p >= '\\x\(bounds.0)' AND \(row).p < '\\x\(bounds.1)') \
            EXECUTE FUNCTION relation_move_note('\(app)')
            """
    }

    private func triggers() throws(StorageError) -> [(name: String, isOn: Bool)] {
        let names = [true, false].map { "'\(name(ofNew: $0))'" }.joined(separator: ", ")
        return try run(
            """
            SELECT tgenabled::text || tgname::text FROM pg_trigger \
            WHERE tgrelid = to_regclass('relation_kv') AND tgname IN (\(names))
            """
        ).map { (name: String($0.dropFirst()), isOn: $0.first != "D") }
    }

    /// Runs statements that keep writers out of the table of rows for a moment.
    ///
    /// Writers wait behind one who waits for the table, so it waits for a short time, again and
    /// again. An automatic vacuum gives way to one who waits for longer than a second.
    private func holdingTable(_ statements: [String]) throws(StorageError) {
        var attempt = 0
        while true {
            attempt += 1
            let isLong = attempt % Limits.tableAttemptsPerLongOne == 0
            let wait = isLong ? Limits.longTableMilliseconds : Limits.tableMilliseconds
            do throws(StorageError) {
                let all = isMover + ["SET LOCAL lock_timeout = \(wait)"] + statements
                try run(all.joined(separator: "; "))
                return
            } catch {
                guard error.code == .unavailable, attempt < Limits.tableAttempts else {
                    throw error
                }
                try beat()
                DatabaseConnection.sleep(milliseconds: Limits.tablePauseMilliseconds)
            }
        }
    }

    @discardableResult
    private func run(_ sql: String) throws(StorageError) -> [String] {
        do throws(StorageError) {
            if session == nil { session = try PostgresSession(options) }
            return try session!.run(sql)
        } catch {
            session = nil
            throw error
        }
    }
}
