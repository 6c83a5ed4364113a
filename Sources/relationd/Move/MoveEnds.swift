import RelationCore
import RelationRuntime
import Storage
import StoragePostgres

/// The two databases of a move.
struct MoveEnds {
    let source: PostgresOptions
    let target: PostgresOptions
    let route: AppMover.Route
    /// The directory that says where the app lives; nil if the database of `--store` has none.
    let directory: AppDirectory?

    /// - Parameters:
    ///   - home: The database of `--store`: that of the directory, or the one that has the app.
    ///   - to: The name of a database in the directory, or the URL of one where there is no
    ///     directory.
    /// - Throws: ``FatalError``, which says what to do.
    init(app: UInt32, home: PostgresOptions, to: String) throws {
        do throws(StorageError) {
            try self.init(app, home, to)
        } catch {
            throw FatalError("app \(app) cannot move to \(to): \(error.message)")
        }
    }

    private init(_ app: UInt32, _ home: PostgresOptions, _ to: String) throws(StorageError) {
        var home = home
        home.standbys = []
        home.idleMilliseconds = MoveLimits.idleMilliseconds
        let directory = AppDirectory(home)
        guard try directory.isThere() else {
            guard case .database? = StoreKind(to) else {
                throw StorageError(
                    .foreign,
                    "the database of --store has no directory, so --to takes the URL of a "
                        + "database, without a password")
            }
            var options = home
            options.address = to
            try Self.check(home, options)
            (self.source, self.target, self.directory) = (home, options, nil)
            route = AppMover.Route(app: app, source: home.address, target: to)
            return
        }
        let other = try directory.options(of: to)
        var place = try directory.place(of: app).database
        if place == to {
            // The move may have ended between the directory and the source.
            guard let origin = try Self.origin(of: app, in: other) else {
                throw StorageError(.foreign, "it lives there already")
            }
            place = origin
        }
        source = try directory.options(of: place)
        (target, self.directory) = (other, directory)
        route = AppMover.Route(app: app, source: place, target: to)
    }

    /// Checks that neither database is of a fleet, whose directory would not hear of the move.
    static func check(
        _ home: PostgresOptions, _ target: PostgresOptions
    ) throws(StorageError) {
        if let name = try AppDirectory.membership(of: home) {
            throw StorageError(
                .foreign,
                "the database of --store is registered in a directory as \(name): --store takes "
                    + "the home of that directory, and --to a name")
        }
        do throws(StorageError) {
            if let name = try AppDirectory.membership(of: target) {
                throw StorageError(
                    .foreign, "that database is registered in the directory of another as \(name)")
            }
            guard try !AppDirectory(target).isThere() else {
                throw StorageError(.foreign, "that database has a directory of its own")
            }
        } catch {
            // A move is cancelled without a target that is away; all others end when it is opened.
            guard error.code == .unavailable else { throw error }
        }
    }

    /// The database from which an app has come; nil if it has come from none.
    private static func origin(
        of app: UInt32, in options: PostgresOptions
    ) throws(StorageError) -> String? {
        let store = try PostgresStore(options)
        defer { store.close() }
        let found = try store.read { (transaction) throws(StorageError) in
            try MovedApps.record(of: app, in: transaction)
        }
        return found?.state == .arrived ? found?.other : nil
    }

    /// Notes in the directory that the move begins.
    func begin() throws(StorageError) {
        guard let directory, try directory.place(of: route.app).database != route.target else {
            return
        }
        try directory.beginMove(of: route.app, to: route.target)
    }

    /// Notes in the directory that the app lives in the target.
    ///
    /// - Throws: ``StorageError`` with the code `locked` if it is not on its way there any more: a
    ///   mover that was stopped may wake when the app has moved on.
    func settle() throws(StorageError) {
        guard let directory else { return }
        let place = try directory.place(of: route.app)
        guard place.database != route.target || place.movingTo != nil else { return }
        guard place.movingTo == route.target else {
            throw StorageError(
                .locked, "the directory says that app \(route.app) is not on its way there")
        }
        try directory.settle(route.app, in: route.target)
    }

    /// Notes in the directory that the app does not move, if its database knows of no move.
    func clear(_ store: PostgresStore) throws(StorageError) {
        guard let directory else { return }
        let found = try store.read { (transaction) throws(StorageError) in
            try MovedApps.record(of: route.app, in: transaction)
        }
        switch found?.state {
        case .leaving, .closed, .left: return
        case .arriving, .arrived, nil: try directory.clearMove(of: route.app)
        }
    }
}
