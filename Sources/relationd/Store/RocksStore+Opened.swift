import Logging
import RelationCalls
import RelationCore
import Storage
import StorageRocks

extension RocksStore {
    /// The store in `folder`.
    ///
    /// When this returns, rows record a loss that was accepted, and the apps have another history
    /// if the store went back.
    ///
    /// - Parameter logger: Gets the notices of the opening, and the progress of a recovery.
    /// - Throws: ``FatalError``, which says what to do.
    static func opened(
        _ folder: String, _ options: RocksOptions, _ logger: Logger
    ) throws -> RocksStore {
        guard let store = try openedIfFree(folder, options, logger) else {
            throw FatalError("the data folder \(folder) is in use by another server")
        }
        return store
    }

    /// The store in `folder`, as ``opened(_:_:_:)`` gives it; nil if another process has it open.
    static func openedIfFree(
        _ folder: String, _ options: RocksOptions, _ logger: Logger
    ) throws -> RocksStore? {
        var options = options
        options.onRecovery = { logger.notice("\($0.text(folder))") }
        options.formatSteps = Formats.steps
        options.onUpgrade = { logger.notice("\($0.text("the data folder \(folder)"))") }
        do throws(StorageError) {
            let store = try RocksStore(folder: folder, options)
            for notice in store.notices { logger.warning("the data folder \(folder): \(notice)") }
            if let loss = store.loss {
                try Losses.store(loss, in: store)
                try Identity.beginHistory(in: store, at: ServiceClock.system.now())
                store.forgetLoss()
            }
            if let backup = store.restored {
                try Identity.beginHistory(in: store, at: ServiceClock.system.now())
                try store.forgetRestore()
                logger.notice(
                    """
                    the data folder \(folder) was restored from the backup \(backup): streams of \
                    changes that clients resume begin with the present state
                    """)
            }
            return store
        } catch  where error.code == .locked {
            return nil
        } catch {
            throw FatalError(refusal(of: folder, error))
        }
    }

    private static func refusal(of folder: String, _ error: StorageError) -> String {
        switch error.code {
        case .lostWrites:
            """
            the data folder \(folder) has lost writes: \(error.message). Nothing was changed. Put \
            back the files that are missing, or go on without them, once, with: \
            relationd serve --data \(folder) --accept-loss
            """
        case .exposed:
            """
            the data folder \(folder) is open to others: \(error.message). Run the server as the \
            user who owns all of it, or take their rights away with: chmod -R go= \(folder)
            """
        case .corrupted:
            """
            the data folder \(folder) is damaged, and cannot be opened: \(error.message). Put back \
            the files that are missing or broken, or the whole folder from a copy
            """
        default: error.message
        }
    }

    /// Writes all rows to files, so that the next start has no log to read back.
    ///
    /// - Throws: ``FatalError``. Nothing is lost then, because the log is still there.
    func writeOut() throws {
        do throws(StorageError) {
            try flush()
        } catch {
            throw FatalError("the next start reads the log back: \(error.message)")
        }
    }
}

extension UpgradeNote {
    func text(_ location: String) -> String {
        switch self {
        case .savesFirst(let format):
            "\(location) has format \(format): a backup is made before its upgrade"
        case .saved(let name):
            """
            the backup \(name) is there; to go back, restore it with the version before: relationd \
            restore
            """
        case .reached(let format, let parts): "on the way to format \(format): \(parts) parts"
        case .ended(let format): "\(location) has format \(format) now"
        }
    }
}

extension RecoveryNote {
    fileprivate func text(_ folder: String) -> String {
        switch self {
        case .began(let bytes): "reading back \(Self.size(bytes)) of the log of \(folder)"
        case .reached(let bytes, let all): "read back \(Self.size(bytes)) of \(Self.size(all))"
        case .ended(let bytes, let milliseconds):
            "read back \(Self.size(bytes)) in \(milliseconds) ms"
        }
    }

    private static func size(_ bytes: Int64) -> String {
        bytes < 10 << 20 ? "\(bytes) bytes" : "\(bytes >> 20) MiB"
    }
}
