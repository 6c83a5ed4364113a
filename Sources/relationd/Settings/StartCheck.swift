import GRPC
import Glibc
import Storage
import StoragePostgres
import StorageRocks

/// Looks at all that a start needs beside its settings, and changes nothing.
///
/// Another server may run meanwhile, with these settings: what it holds is not an error.
struct StartCheck {
    private(set) var errors: [String] = []

    init(_ settings: Configuration) {
        check { _ = try settings.tls() }
        check { _ = try settings.hookTLS() }
        check { _ = try settings.collector() }
        check { _ = try Descriptors(limit: Descriptors.raise(), threads: settings.threads) }
        check { try settings.listen.checkAddress() }
        if let adminAddress = settings.adminAddress {
            check { try adminAddress.checkAddress() }
            if adminAddress.isSame(as: settings.listen) {
                errors.append("listen and metrics-listen are one address: \(adminAddress)")
            }
        }
        check { try Self.checkStore(of: settings) }
        if let folder = settings.text(.backupFolder) { check { try Self.checkFolder(folder) } }
    }

    private mutating func check(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            errors.append((error as? StorageError)?.message ?? "\(error)")
        }
    }

    private static func checkStore(of settings: Configuration) throws {
        switch settings.store {
        case .folder(let path): try RocksStore.check(folder: path)
        case .database:
            let database = settings.database
            if let refusal = ConnectionRefusal.words(database) {
                throw FatalError(
                    "the database \(database.address) refuses the connection: \(refusal)")
            }
            let state: Schema.State
            do throws(StorageError) {
                state = try Schema.state(database)
            } catch {
                throw FatalError("the store \(database.address) cannot be opened: \(error.message)")
            }
            guard state != .none else {
                throw FatalError(
                    "the store \(database.address) has no tables: make them with relationd init "
                        + settings.storeFlag)
            }
        }
    }

    /// The folder of backups is made when the first one is, if what is above it allows it.
    private static func checkFolder(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else {
                throw FatalError("backup-folder \(path): \(String(cString: strerror(errno)))")
            }
            return
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw FatalError("backup-folder \(path) is a file")
        }
        guard access(path, W_OK | X_OK) == 0 else {
            throw FatalError("backup-folder \(path): \(String(cString: strerror(errno)))")
        }
    }
}
