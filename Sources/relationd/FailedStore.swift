import Endings
import Glibc
import Logging
import RelationService
import Storage

/// How the server ends whose store has failed for good: it takes no write any more, and what the
/// engine has on the device is known only when it is opened again, by the next start.
///
/// Service ends as in a stop, but sooner, and the exit status tells whoever supervises the server.
/// The engine is not closed: it would try to write.
enum FailedStore {
    /// What a process says by its exit status that ended for an error of input or output.
    static let exitStatus = EX_IOERR

    /// Tells those who watch the server's health, stops, and ends the process.
    ///
    /// Call it on any thread; it does not wait.
    static func end(_ server: RelationServer, because error: StorageError, _ logger: Logger) {
        server.announceStop()
        LastMoment.end(after: Limits.failedStoreSeconds, status: exitStatus)
        Task {
            try? await Task.sleep(for: .seconds(Limits.failedStoreGraceSeconds))
            server.hurry()
        }
        Task {
            await server.stop()
            exit(logger)
        }
        // Last, since it waits if nobody reads the log.
        logger.critical("the store has failed: service ends", metadata: ["cause": "\(error)"])
    }

    static func exit(_ logger: Logger) -> Never {
        logger.notice("ended; the next start recovers what the store has")
        _exit(exitStatus)
    }
}
