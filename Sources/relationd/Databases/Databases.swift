import ArgumentParser
import Logging
import RelationCore
import Storage
import StoragePostgres

/// The commands about the databases of a fleet.
struct Databases: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let servers of one database serve further ones: add, list or remove them.",
        discussion: """
            The database of --store is the home: it has the directory, which says in which \
            database each app lives, and the operators' keys. An address has no password: libpq \
            finds it in the file that PGPASSFILE names, or by a service. See docs/databases.md.
            """,
        subcommands: [Add.self, List.self, Remove.self])

    func run() throws {
        throw MissingCommand()
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Register a database, in which new apps may be placed from then on.",
            discussion: """
                Makes the tables of a store in it if there are none. The first database makes the \
                directory: no server may run then, this once. Later ones are served within a \
                second. To add one again changes nothing.
                """)

        @OptionGroup var home: DatabaseFlags
        @Argument(help: "Its name: 1 to 32 of a-z, 0-9 and hyphens, beginning with a letter.")
        var name: String
        @Argument(help: "Its address, such as postgresql://host:5432/relation, without a password.")
        var address: String

        func validate() throws {
            guard DirectoryDatabase.isName(name) else {
                throw ValidationError(
                    "NAME takes 1 to \(DirectoryLimits.nameBytes) of a-z, 0-9 and hyphens, "
                        + "beginning with a letter; home is the database of --store")
            }
            guard case .database = StoreKind(address) else {
                throw ValidationError("ADDRESS takes the URL of a database without a password")
            }
        }

        func run() throws {
            let (directory, logger) = try home.directory()
            let member = directory.options(at: address)
            do throws(StorageError) {
                try check(directory)
                if try Schema.make(member, format: PostgresStore.format) {
                    logger.notice("made the tables of a store in \(address)")
                }
                try StoreUpgrade(member, Formats.steps) {
                    logger.notice("\($0.text("the store \(address)"))")
                }.run()
                if try !directory.isThere() { try make(directory) }
                let known = try directory.databases()
                if !known.contains(DirectoryDatabase(name: name, address: address)) {
                    try checkEmpty(member)
                }
                try directory.join(member, as: name)
                try directory.add(name, at: address)
            } catch {
                throw FatalError("the database \(name) is not registered: \(error.message)")
            }
            print("the database \(name) is registered: servers open it within a second")
        }

        private func check(_ directory: AppDirectory) throws(StorageError) {
            guard address != directory.options.address else {
                throw StorageError(.foreign, "it is the database of --store")
            }
            if let name = try AppDirectory.membership(of: directory.options) {
                throw StorageError(
                    .foreign, "the database of --store is registered elsewhere as \(name)")
            }
        }

        /// Makes the directory, before which no server looks for one.
        private func make(_ directory: AppDirectory) throws(StorageError) {
            let servers = try Schema.servers(directory.options)
            guard servers == 0 else {
                throw StorageError(
                    .locked,
                    "\(servers) servers run without a directory; stop them first, this once")
            }
            let store = try PostgresStore(directory.options)
            defer { store.close() }
            let (last, apps) = try store.read { (transaction) throws(StorageError) in
                (
                    try AppRules.highestNumber(in: transaction),
                    try AppRules.list(after: 0, limit: .max, in: transaction).map(\.id)
                        + MovedApps.away(in: transaction)
                )
            }
            try directory.make(after: last, apps: apps)
        }

        /// Apps of its own may have the numbers of others.
        private func checkEmpty(_ member: PostgresOptions) throws(StorageError) {
            let store = try PostgresStore(member)
            defer { store.close() }
            let count = try store.read { (transaction) throws(StorageError) in
                try AppRules.count(in: transaction)
            }
            guard count == 0 else {
                throw StorageError(
                    .foreign, "it has \(count) apps of its own; a new database is needed")
            }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the databases, with their apps and rows.")

        @OptionGroup var home: DatabaseFlags

        func run() throws {
            let (directory, _) = try home.directory()
            var rows = [["NAME", "APPS", "ROWS", "ADDRESS"]]
            do throws(StorageError) {
                let address = directory.options.address
                let first = DirectoryDatabase(name: DirectoryDatabase.home, address: address)
                let others = try directory.isThere() ? directory.databases() : []
                for database in [first] + others { rows.append(line(database, directory)) }
            } catch {
                throw FatalError("the directory cannot be read: \(error.message)")
            }
            print(Self.table(rows), terminator: "")
        }

        private func line(_ database: DirectoryDatabase, _ directory: AppDirectory) -> [String] {
            var options = directory.options
            if database.name != DirectoryDatabase.home {
                options = directory.options(at: database.address)
            }
            options.connectSeconds = Limits.listedDatabaseSeconds
            do throws(StorageError) {
                let store = try PostgresStore(options)
                defer { store.close() }
                let apps = try store.read { (transaction) throws(StorageError) in
                    try AppRules.count(in: transaction)
                }
                let rows = try AppDirectory.rows(options)
                return [database.name, "\(apps)", "\(rows)", database.address]
            } catch {
                return [database.name, "away", "-", "\(database.address) (\(error.message))"]
            }
        }

        private static func table(_ rows: [[String]]) -> String {
            let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
            return rows.map { row in
                row.enumerated().map { column, text in
                    guard column < widths.count else { return text }
                    return text + String(repeating: " ", count: widths[column] - text.count)
                }.joined(separator: "  ") + "\n"
            }.joined()
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a database without apps out of the directory.",
            discussion: """
                It is refused while an app lives in the database, while the rows of a deleted app \
                are still there, or while one is being moved. The database keeps its tables.
                """)

        @OptionGroup var home: DatabaseFlags
        @Argument(help: "The name of the database.")
        var name: String

        func run() throws {
            let (directory, _) = try home.directory()
            do throws(StorageError) {
                guard name != DirectoryDatabase.home else {
                    throw StorageError(.foreign, "home has the directory")
                }
                let member = try directory.options(of: name)
                let store = try PostgresStore(member)
                defer { store.close() }
                let count = try store.read { (transaction) throws(StorageError) in
                    try AppRules.count(in: transaction)
                }
                guard count == 0 else {
                    throw StorageError(
                        .locked, "\(count) apps live there, or have rows that are still removed")
                }
                try directory.remove(name, isEmpty: true)
                try AppDirectory.leave(member)
            } catch {
                throw FatalError("the database \(name) is not removed: \(error.message)")
            }
            print("the database \(name) is removed: servers close it within a second")
        }
    }
}
