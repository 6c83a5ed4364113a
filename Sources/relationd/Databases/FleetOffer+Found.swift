import RelationAdmission
import RelationCalls
import RelationCore
import RelationService
import Storage
import StoragePostgres

extension FleetOffer {
    /// The fleet of the database that the settings name; nil if it has no directory, or if the rows
    /// are in a folder.
    ///
    /// - Parameters:
    ///   - home: The apps of that database.
    ///   - settings: The settings that are in force whenever a database is opened.
    /// - Throws: ``FatalError`` if the database is of the fleet of another one, or is away.
    static func found(
        _ home: Apps, _ start: Configuration, _ clock: ServiceClock,
        _ settings: @escaping @Sendable () -> Configuration
    ) throws -> FleetOffer? {
        guard let directory = try directory(start) else { return nil }
        return FleetOffer(
            directory: directory,
            claims: ClaimedApps(loops: start.threads, isOpen: start.isOpen),
            open: { (database) throws(StorageError) in
                let count = directory.lastCount
                let options = directory.options(at: database.address)
                return try PostgresStore(settings().sharing(options, among: count))
            },
            rows: { (database) throws(StorageError) in
                guard let database else { return try AppDirectory.rows(directory.options) }
                return try AppDirectory.rows(directory.options(at: database.address))
            },
            authenticator: { apps in
                let settings = settings()
                settings.beginAudit(of: apps)
                guard !settings.isOpen else { return .open(to: apps) }
                return .guarded(
                    apps, besides: home, loops: settings.threads, limits: settings.rates,
                    bounds: settings.bounds, clock: clock)
            },
            memory: { ReadCache(bytes: settings().keptBytes, isOnlyWriter: false) })
    }

    /// The directory of the database that the settings name; nil if it has none.
    private static func directory(_ start: Configuration) throws -> AppDirectory? {
        guard case .database = start.store else { return nil }
        let directory = AppDirectory(start.database)
        do throws(StorageError) {
            if let name = try AppDirectory.membership(of: start.database) {
                throw StorageError(
                    .foreign,
                    "it is registered as \(name) in the directory of another database; start the "
                        + "server with that one")
            }
            return try directory.isThere() ? directory : nil
        } catch {
            throw FatalError("the store \(start.shownStore) cannot be served: \(error.message)")
        }
    }

    /// Looks for the directory again, once the server has its lease: none is made from then on.
    ///
    /// - Throws: ``FatalError`` if there is one now, and was none before, or the other way round.
    static func check(_ start: Configuration, isFleet: Bool) throws {
        guard try (directory(start) != nil) != isFleet else { return }
        throw FatalError(
            "the store \(start.shownStore) cannot be served: its directory was made or removed "
                + "while the server started; start it again")
    }
}

extension Configuration {
    /// The options of one database of a directory with so many, which divide the connections of
    /// ``Setting/databaseConnections``.
    func sharing(_ options: PostgresOptions, among count: Int) -> PostgresOptions {
        var options = options
        let all = number(.databaseConnections) ?? 0
        let share = max(Limits.leastDatabaseConnections, all / max(1, count))
        // One for the lease, one for notices, one for notes, one for checks.
        let left = share - options.writers - 4
        options.readers = min(options.readers, max(2, left / 4))
        options.snapshots = min(options.snapshots, max(2, left - options.readers))
        return options
    }
}
