import RelationCore
import RelationRuntime
import Storage
import StoragePostgres

/// A database that is cleared of what moves of an app have left, with the ways to the others.
struct ClearedDatabase {
    let options: PostgresOptions
    /// The name by which others note it.
    let name: String
    private let app: UInt32
    private let home: PostgresOptions
    private let directory: AppDirectory?

    /// - Parameters:
    ///   - home: The database of `--store`: that of the directory, or another one of the moves.
    ///   - name: The name of the database in the directory, or its URL where there is none.
    /// - Throws: ``FatalError``, which says what to do.
    init(app: UInt32, home: PostgresOptions, to name: String) throws {
        do throws(StorageError) {
            try self.init(app, home, name)
        } catch {
            throw FatalError("\(name) cannot be cleared of app \(app): \(error.message)")
        }
    }

    private init(
        _ app: UInt32, _ given: PostgresOptions, _ name: String
    ) throws(StorageError) {
        var home = given
        home.standbys = []
        home.idleMilliseconds = MoveLimits.idleMilliseconds
        (self.app, self.home, self.name) = (app, home, name)
        let directory = AppDirectory(home)
        guard try directory.isThere() else {
            var options = home
            options.address = name
            try MoveEnds.check(home, options)
            (self.options, self.directory) = (options, nil)
            return
        }
        options = try directory.options(of: name)
        self.directory = directory
    }

    /// The other databases, of which each is opened for one look.
    var others: MoveRemains.Others {
        MoveRemains.Others(
            traces: { (other) throws(StorageError) in
                guard let options = try self.options(of: other) else { return nil }
                let store = try PostgresStore(options)
                defer { store.close() }
                return try store.read { (transaction) throws(StorageError) in
                    try AppTraces(of: self.app, in: transaction)
                }
            },
            places: { () throws(StorageError) in
                guard let directory = self.directory else { return [self.home.address] }
                let place = try directory.place(of: self.app)
                return [place.database] + [place.movingTo].compactMap { $0 }
            })
    }

    /// How another database is reached; nil if the directory has none of that name any more.
    private func options(of other: String) throws(StorageError) -> PostgresOptions? {
        guard let directory else {
            var options = home
            options.address = other
            return options
        }
        let isKnown = try directory.databases().contains { $0.name == other }
        guard isKnown || other == DirectoryDatabase.home else { return nil }
        return try directory.options(of: other)
    }
}
