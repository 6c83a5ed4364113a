package import Storage
internal import Synchronization

/// The directory of a fleet: the databases that its servers serve, and where each app lives.
///
/// It stands in the database of `--store`, which is the home. An app without a row lives there. A
/// change holds the lock of one row until it is committed, so changes have one order, and each has
/// a version. Servers read what is newer than they know.
///
/// All functions throw ``StorageError``: `unavailable` if the home is not there, `foreign` if it
/// has no directory. Further errors are named at each.
package final class AppDirectory: StoreDirectory {
    package let options: PostgresOptions
    /// For readings, which servers make again and again.
    private let held = Mutex<PostgresSession?>(nil)
    private let count = Atomic<Int>(0)

    /// - Parameter options: How the home is reached.
    package init(_ options: PostgresOptions) {
        self.options = options
    }

    // MARK: Reading

    /// Whether the home has a directory.
    ///
    /// - Throws: Also ``StorageError`` with the code `foreign` if a part of it is gone: its apps
    ///   would seem to be none.
    package func isThere() throws(StorageError) -> Bool {
        try Self.isThere(try PostgresSession(options))
    }

    static func isThere(_ session: borrowing PostgresSession) throws(StorageError) -> Bool {
        let parts = try session.run(
            """
            SELECT EXISTS (SELECT FROM relation_store WHERE name = 'directory') UNION ALL \
            SELECT to_regclass('relation_app_place') IS NOT NULL UNION ALL \
            SELECT to_regclass('relation_database') IS NOT NULL
            """)
        guard Set(parts).count == 1 else {
            throw StorageError(
                .foreign,
                "the directory is not whole: it has the tables relation_database and "
                    + "relation_app_place, and a row in relation_store")
        }
        return parts.first == "t"
    }

    /// All databases beside home, in the order of their names.
    package func databases() throws(StorageError) -> [DirectoryDatabase] {
        try news(after: .max).databases
    }

    /// The places of all apps that have a row, in the order of their numbers.
    package func places() throws(StorageError) -> [AppPlace] { try news(after: -1).places }

    /// The place of an app; an app without a row lives at home.
    package func place(of app: UInt32) throws(StorageError) -> AppPlace {
        try place(of: app, try PostgresSession(options))
    }

    /// How the database of that name is reached.
    ///
    /// The password is for the home alone: libpq finds those of other databases in the file that
    /// PGPASSFILE names, or by a service.
    ///
    /// - Throws: ``StorageError`` with the code `foreign` if none has the name.
    package func options(of name: String) throws(StorageError) -> PostgresOptions {
        guard name != DirectoryDatabase.home else { return options }
        guard let found = try databases().first(where: { $0.name == name }) else {
            throw Self.unknown(name)
        }
        return options(at: found.address)
    }

    /// The options of the home for another database, which ends by itself.
    package func options(at address: String) -> PostgresOptions {
        var other = options
        (other.address, other.password, other.standbys) = (address, nil, [])
        other.shutdown = Shutdown()
        return other
    }

    package func willClose() { options.shutdown.begin() }

    /// The number of databases beside home, as last read.
    package var lastCount: Int { count.load(ordering: .relaxed) }

    /// The databases, and the places with a version above that one.
    package func news(after version: Int64) throws(StorageError) -> DirectoryNews {
        try held.withLock { (held) throws(StorageError) in
            do throws(StorageError) {
                if held?.reportedProcess == nil {
                    held = try PostgresSession(options, patience: LeaseLimits.reliedMilliseconds)
                }
                let news = try Self.news(after: version, held!)
                count.store(news.databases.count, ordering: .relaxed)
                return news
            } catch {
                held = nil
                throw error
            }
        }
    }

    /// All in one statement, and so in one view.
    static func news(
        after version: Int64, _ session: borrowing PostgresSession
    ) throws(StorageError) -> DirectoryNews {
        let parts = [
            "SELECT 0::bigint, 'v' || value FROM relation_store WHERE name = 'directory'",
            """
            SELECT row_number() OVER (ORDER BY name COLLATE "C"), \
            'd' || name || chr(31) || address FROM relation_database
            """,
            """
            SELECT 1000000 + app, \(placeColumns) FROM relation_app_place \
            WHERE version > \(version)
            """,
        ]
        let rows = try session.run(
            "SELECT t FROM (\(parts.joined(separator: " UNION ALL "))) AS r (n, t) ORDER BY n")
        guard let first = rows.first, first.hasPrefix("v"), let number = Int64(first.dropFirst())
        else { throw StorageError(.foreign, "the directory has no version") }
        var news = DirectoryNews(version: number, databases: [], places: [])
        for row in rows.dropFirst() {
            let parts = Self.parts(row.dropFirst())
            if row.hasPrefix("d"), parts.count == 2 {
                news.databases.append(DirectoryDatabase(name: parts[0], address: parts[1]))
            } else {
                news.places.append(try Self.place(parts))
            }
        }
        return news
    }

    private static let placeColumns = """
        'p' || app || chr(31) || database || chr(31) || coalesce(moving_to, '') || chr(31) \
        || version
        """

    private static func parts(_ text: Substring) -> [String] {
        text.split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init)
    }

    private static func place(_ parts: [String]) throws(StorageError) -> AppPlace {
        guard parts.count == 4, let app = UInt32(parts[0]), let version = Int64(parts[3]) else {
            throw StorageError(.corrupted, "a row of relation_app_place cannot be read")
        }
        return AppPlace(
            app: app, database: parts[1], movingTo: parts[2].isEmpty ? nil : parts[2],
            version: version)
    }

    private func place(
        of app: UInt32, _ session: borrowing PostgresSession
    ) throws(StorageError) -> AppPlace {
        try row("app = \(app)", session) ?? .home(of: app)
    }

    private func row(
        _ condition: String, _ session: borrowing PostgresSession
    ) throws(StorageError) -> AppPlace? {
        let found = try session.run(
            "SELECT \(Self.placeColumns) FROM relation_app_place WHERE \(condition)")
        return try found.first.map { (row) throws(StorageError) in
            try Self.place(Self.parts(row.dropFirst()))
        }
    }

    // MARK: Databases

    /// Registers a database, which has a store already.
    ///
    /// - Throws: Also ``StorageError`` with the code `foreign`: the name or the address is
    ///   registered, the database is the home, or there are ``DirectoryLimits/databases`` already.
    ///   Nothing is changed then. A database that is registered under both is left as it is.
    package func add(_ name: String, at address: String) throws(StorageError) {
        try change { (session, version) throws(StorageError) in
            let known = try Self.news(after: .max, session).databases
            guard !known.contains(DirectoryDatabase(name: name, address: address)) else { return }
            if known.contains(where: { $0.name == name }) {
                throw StorageError(.foreign, "a database of the name \(name) is registered")
            }
            if let other = known.first(where: { $0.address == address }) {
                throw StorageError(.foreign, "that address is registered as \(other.name)")
            }
            guard known.count < DirectoryLimits.databases else {
                throw StorageError(
                    .foreign,
                    "\(DirectoryLimits.databases) databases are registered, and no more may be")
            }
            try session.run(
                "INSERT INTO relation_database VALUES "
                    + "('\(Self.quoted(name))', '\(Self.quoted(address))')")
        }
    }

    /// Removes a database in which no app lives.
    ///
    /// - Parameter isEmpty: Whether the database was seen to have no app. Then rows of apps that
    ///   were deleted there lead home from now on.
    /// - Throws: Also ``StorageError`` with the code `foreign` if no database has the name;
    ///   `locked` if an app is on its way to it or from it, got its place there just now, or lives
    ///   there.
    package func remove(_ name: String, isEmpty: Bool) throws(StorageError) {
        let quoted = Self.quoted(name)
        try change { (session, version) throws(StorageError) in
            let moving = try session.run(
                """
                SELECT app FROM relation_app_place WHERE moving_to = '\(quoted)' \
                OR database = '\(quoted)' AND moving_to IS NOT NULL ORDER BY app LIMIT 1
                """)
            if let app = moving.first {
                throw StorageError(.locked, "the app \(app) is being moved to it or from it")
            }
            // The call that makes an app comes to the database a moment after its place.
            let young = try session.run(
                """
                SELECT app FROM relation_app_place WHERE database = '\(quoted)' AND allotted > \
                clock_timestamp() - interval '\(Limits.youngPlaceSeconds) seconds' \
                ORDER BY app LIMIT 1
                """)
            if let app = young.first {
                throw StorageError(
                    .locked,
                    "the app \(app) got its place there within the last "
                        + "\(Limits.youngPlaceSeconds) seconds; try again after that time")
            }
            if isEmpty {
                try session.run(
                    """
                    UPDATE relation_app_place SET database = '\(DirectoryDatabase.home)', \
                    version = \(version) WHERE database = '\(quoted)'
                    """)
            }
            let living = try session.run(
                "SELECT app FROM relation_app_place WHERE database = '\(quoted)' ORDER BY app")
            if let first = living.first {
                throw StorageError(
                    .locked, "\(living.count) apps live there, the first is \(first)")
            }
            let removed = try session.run(
                "DELETE FROM relation_database WHERE name = '\(quoted)' RETURNING name")
            guard !removed.isEmpty else { throw Self.unknown(name) }
        }
    }

    // MARK: Places

    /// Notes that an app is being moved; it stays where it is until ``settle(_:in:)``.
    ///
    /// To note the same again changes nothing.
    ///
    /// - Throws: Also ``StorageError`` with the code `foreign`: no database has the name, or the
    ///   app lives there already; `locked`: it is being moved elsewhere.
    package func beginMove(of app: UInt32, to name: String) throws(StorageError) {
        try change { (session, version) throws(StorageError) in
            try Self.check(name, session)
            let place = try place(of: app, session)
            if let target = place.movingTo {
                guard target == name else {
                    throw StorageError(.locked, "the app \(app) is being moved to \(target)")
                }
                return
            }
            guard place.database != name else {
                throw StorageError(.foreign, "the app \(app) lives in \(name) already")
            }
            try write(app, in: place.database, movingTo: name, version, session)
        }
    }

    /// Notes that an app is not moved; it stays where it is.
    package func clearMove(of app: UInt32) throws(StorageError) {
        try change { (session, version) throws(StorageError) in
            let place = try place(of: app, session)
            guard place.movingTo != nil else { return }
            try write(app, in: place.database, movingTo: nil, version, session)
        }
    }

    /// Notes that an app lives in a database, and is not being moved.
    ///
    /// - Throws: Also ``StorageError`` with the code `foreign` if no database has the name.
    package func settle(_ app: UInt32, in name: String) throws(StorageError) {
        try change { (session, version) throws(StorageError) in
            try Self.check(name, session)
            let place = try place(of: app, session)
            guard place.database != name || place.movingTo != nil else { return }
            try write(app, in: name, movingTo: nil, version, session)
        }
    }

    private func write(
        _ app: UInt32, in name: String, movingTo target: String?, _ version: Int64,
        _ session: borrowing PostgresSession
    ) throws(StorageError) {
        let target = target.map { "'\(Self.quoted($0))'" } ?? "NULL"
        try session.run(
            """
            INSERT INTO relation_app_place (app, database, moving_to, version) \
            VALUES (\(app), '\(Self.quoted(name))', \(target), \(version)) \
            ON CONFLICT (app) DO UPDATE SET database = excluded.database, \
            moving_to = excluded.moving_to, version = excluded.version
            """)
    }

    // MARK: Numbers

    /// See ``StoreDirectory/allot(_:for:in:)``.
    ///
    /// - Throws: Also ``StorageError`` with the code `foreign` if no database has the name.
    package func allot(
        _ asked: UInt32?, for request: String?, in name: String
    ) throws(StorageError) -> AppPlace {
        try change { (session, version) throws(StorageError) in
            try Self.check(name, session)
            try session.run(
                """
                UPDATE relation_app_place SET request = NULL, allotted = NULL \
                WHERE allotted < now() - interval '\(Limits.allotmentDays) days'
                """)
            if let known = try known(asked, for: request, session) { return known }
            let app: UInt32
            if let asked { app = asked } else { app = try nextNumber(session) }
            let request = request.map { "'\(Self.quoted($0))'" } ?? "NULL"
            try session.run(
                """
                INSERT INTO relation_app_place (app, database, version, request, allotted) \
                VALUES (\(app), '\(Self.quoted(name))', \(version), \(request), \
                clock_timestamp())
                """)
            return AppPlace(app: app, database: name, version: version)
        }
    }

    /// See ``StoreDirectory/known(_:for:)``.
    package func known(
        _ asked: UInt32?, for request: String?
    ) throws(StorageError) -> AppPlace? {
        try known(asked, for: request, try PostgresSession(options))
    }

    private func known(
        _ asked: UInt32?, for request: String?, _ session: borrowing PostgresSession
    ) throws(StorageError) -> AppPlace? {
        if let request {
            let condition = "request = '\(Self.quoted(request))'"
            if let known = try row(condition, session) { return known }
        }
        guard let asked else { return nil }
        return try row("app = \(asked)", session)
    }

    /// The next number without a row; after the highest comes 1.
    private func nextNumber(
        _ session: borrowing PostgresSession
    ) throws(StorageError) -> UInt32 {
        let found = try session.run("SELECT value FROM relation_store WHERE name = 'last_app'")
        guard var number = found.first.flatMap({ UInt32($0) }) else {
            throw StorageError(.foreign, "the directory counts no numbers of apps")
        }
        repeat {
            number = number == .max ? 1 : number + 1
        } while try row("app = \(number)", session) != nil
        try session.run(
            "UPDATE relation_store SET value = '\(number)' WHERE name = 'last_app'")
        return number
    }

    // MARK: Changes

    /// Runs `body` in a transaction that no other change of the directory runs beside.
    private func change<Result>(
        _ body: (borrowing PostgresSession, Int64) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let session = try PostgresSession(options)
        guard try Self.isThere(session) else {
            throw StorageError(
                .foreign, "the database has no directory; `relationd databases add` makes one")
        }
        let found = try session.run(
            """
            BEGIN; UPDATE relation_store SET value = (value::bigint + 1)::text \
            WHERE name = 'directory' RETURNING value
            """)
        guard let version = found.first.flatMap({ Int64($0) }) else {
            throw StorageError(.foreign, "the directory has no version")
        }
        // The transaction of a session that is dropped ends without effect.
        let result = try body(session, version)
        try session.run("NOTIFY \(PostgresPeers.channel), '\(PeerSignal.directory.rawValue)'")
        try session.run("COMMIT")
        return result
    }

    private static func check(
        _ name: String, _ session: borrowing PostgresSession
    ) throws(StorageError) {
        guard name != DirectoryDatabase.home else { return }
        let found = try session.run(
            "SELECT name FROM relation_database WHERE name = '\(quoted(name))'")
        guard !found.isEmpty else { throw unknown(name) }
    }

    private static func unknown(_ name: String) -> StorageError {
        StorageError(.foreign, "no database has the name \(name)")
    }

    /// The text between the quotes of a literal.
    static func quoted(_ text: String) -> String { text.replacing("'", with: "''") }
}
