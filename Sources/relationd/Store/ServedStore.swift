import ArgumentParser
import Glibc
import Logging
import RelationAdmission
import RelationCalls
import Storage
import StoragePostgres
import StorageRocks

/// The store that a server has open, in either engine.
struct ServedStore {
    let store: any Store
    /// The error that ends a store for good; nil if the engine has none that it does not survive.
    let failure: StoreFailure?
    /// Makes the next start short.
    private let writing: () throws -> Void

    /// Opens the store that `settings` name.
    ///
    /// - Throws: ``FatalError``, which says what to do.
    static func opened(
        _ settings: Configuration, _ descriptors: Descriptors, _ signals: StopSignals,
        _ logger: Logger
    ) throws -> ServedStore {
        switch settings.store {
        case .folder(let folder):
            let store = try RocksStore.opened(folder, settings.store(descriptors), logger)
            return ServedStore(
                store: store, failure: store.failure, writing: { try store.writeOut() })
        case .database:
            let store = try PostgresStore.opened(settings.database, logger) { signals.hasCome }
            return ServedStore(store: store, failure: nil, writing: {})
        }
    }

    func writeOut() throws { try writing() }

    /// The apps that the store has.
    ///
    /// - Throws: ``FatalError``.
    func apps(in location: StoreKind) throws -> Apps {
        do throws(StorageError) {
            return try Apps(of: store, at: ServiceClock.system.now())
        } catch {
            throw FatalError("the apps of \(location) cannot be read: \(error.message)")
        }
    }
}

extension PostgresStore {
    /// The store in a database, for which it waits if it is not there yet.
    ///
    /// - Parameter stops: Whether the process was asked to stop meanwhile.
    /// - Throws: ``FatalError``, which says what to do; `ExitCode` if it was asked to stop.
    static func opened(
        _ options: PostgresOptions, _ logger: Logger, unless stops: () -> Bool = { false }
    ) throws -> PostgresStore {
        var waited = 0
        while true {
            guard !stops() else {
                logger.info("stopped")
                throw ExitCode.success
            }
            do throws(StorageError) {
                return try PostgresStore(options)
            } catch  where error.code == .unavailable && waited < Limits.databaseSeconds {
                // It is there, and time changes nothing.
                if let refusal = ConnectionRefusal.words(options) {
                    throw FatalError(
                        "the database \(options.address) refuses the connection: \(refusal)")
                }
                if waited % Limits.databaseNoteSeconds == 0 {
                    logger.warning("waiting for the database: \(error.message)")
                }
                sleep(1)
                waited += 1
            } catch {
                throw FatalError("the store \(options.address) cannot be opened: \(error.message)")
            }
        }
    }
}
