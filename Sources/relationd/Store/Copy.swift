import ArgumentParser
import Glibc
import Logging
import Storage
import StoragePostgres
import StorageRocks

struct Copy: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy all data from a folder or a database into another one.",
        discussion: """
            Both are written as rocks:FOLDER or as the URL of a database. No server may have \
            either open. The target must be new or empty; an attempt that broke is restarted with \
            the same command. At the end each row of the copy is read back and compared. The \
            source stays as it is. A password for a database stands in RELATIOND_STORE_PASSWORD, \
            or in the file that PGPASSFILE names.
            """)

    @Option(help: ArgumentHelp("The store that is copied.", valueName: "store"))
    var from: String

    @Option(help: ArgumentHelp("The store that is made.", valueName: "store"))
    var to: String

    func validate() throws {
        for (name, text) in [("--from", from), ("--to", to)] where StoreKind(text) == nil {
            throw ValidationError(
                "\(name) takes rocks:FOLDER, or the URL of a database without a password")
        }
        guard from != to else { throw ValidationError("--from and --to name one store") }
    }

    func run() throws {
        let settings = try ConfigurationSources(flags: []).readOrExit(.nothing)
        FileModes.close()
        let logger = LogOutput.begin(settings)
        guard let from = StoreKind(from), let to = StoreKind(to) else { return }
        let password = settings.database.password
        let target = try CopyTarget(to, password, logger)
        do throws(StorageError) {
            try from.reading(password) { (source) throws(StorageError) in
                let snapshot = try source.snapshot()
                defer { snapshot.close() }
                let copy = StoreCopy(source: snapshot, target: target.store)
                let copying = ProgressLine("copying rows")
                let rows = try copy.run { copying.show($0) }
                copying.end()
                let comparing = ProgressLine("comparing rows", of: rows)
                try copy.compare { comparing.show($0) }
                comparing.end()
                try target.finish()
                print("copied \(rows) rows from \(from) into \(to), and compared them")
            }
        } catch {
            target.abandon()
            throw FatalError("nothing was copied: \(error.message)")
        }
    }
}

extension StoreKind {
    /// Reads the store, which no server may have open.
    fileprivate func reading(
        _ password: String?, _ body: (any Store) throws(StorageError) -> Void
    ) throws(StorageError) {
        switch self {
        case .folder(let folder):
            do throws(StorageError) {
                try RestingRows.reading(dataFolder: folder) { (rows) throws(StorageError) in
                    try body(rows)
                }
            } catch  where error.code == .locked {
                throw StorageError(.locked, "\(self) is in use by a server; stop it first")
            }
        case .database(let address):
            let options = PostgresOptions(address: address, password: password)
            let store = try PostgresStore(options)
            defer { store.close() }
            let servers = try Schema.servers(options)
            guard servers == 0 else {
                throw StorageError(.locked, "\(servers) servers have \(self) open; stop them first")
            }
            try body(store)
        }
    }
}

/// A store that is being made, which no server opens before it is whole.
private struct CopyTarget {
    let store: any Store
    private let location: StoreKind
    private let database: PostgresOptions?
    /// Where a folder is until it is whole; nil for a database.
    private let unfinished: String?

    init(_ location: StoreKind, _ password: String?, _ logger: Logger) throws {
        self.location = location
        switch location {
        case .folder(let folder):
            // An empty folder may be there; the whole copy replaces it at the end.
            guard rmdir(folder) == 0 || errno == ENOENT else {
                let why =
                    errno == ENOTEMPTY || errno == EEXIST
                    ? "is there, and not empty"
                    : "cannot be replaced: \(String(cString: strerror(errno)))"
                throw FatalError("nothing was copied: the folder \(folder) \(why)")
            }
            let unfinished = "\(folder).copying"
            FreshFolder.remove(unfinished)
            store = try RocksStore.opened(unfinished, try .ofCommands(), logger)
            (self.unfinished, database) = (unfinished, nil)
        case .database(let address):
            let options = PostgresOptions(address: address, password: password)
            do throws(StorageError) {
                try Schema.beginCopy(options, format: PostgresStore.format)
                store = try PostgresStore(options, for: .copying)
            } catch {
                throw FatalError("nothing was copied: \(location): \(error.message)")
            }
            (unfinished, database) = (nil, options)
        }
    }

    func finish() throws(StorageError) {
        if let database { try Schema.endCopy(database) }
        if let rocks = store as? RocksStore { try rocks.flush() }
        store.close()
        guard case .folder(let folder) = location, let unfinished else { return }
        guard rename(unfinished, folder) == 0 else {
            throw StorageError(
                .failed, "the copy stays in \(unfinished): \(String(cString: strerror(errno)))")
        }
    }

    /// Leaves nothing that a server would open.
    func abandon() {
        store.close()
        if let unfinished { FreshFolder.remove(unfinished) }
    }
}

extension RocksOptions {
    /// The options of a command that has a store for itself.
    static func ofCommands() throws -> RocksOptions {
        var options = RocksOptions()
        options.openFiles = try Descriptors(limit: Descriptors.raise(), threads: 0).engineFiles
        return options
    }
}
