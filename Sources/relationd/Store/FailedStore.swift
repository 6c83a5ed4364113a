import Endings
import Glibc
import Logging
import RelationRuntime
import RelationService
import Storage

/// Ends a server whose store has failed for good.
///
/// Such a store accepts no writes any more. The next start opens the store again; only then is it
/// known what the engine has on the device. Service ends as in a stop, but sooner, and the exit
/// status informs the supervisor of the server. The engine is not closed, because it would try to
/// write.
enum FailedStore {
    /// The exit status of a process that ended because of an error of input or output.
    static let exitStatus = EX_IOERR

    /// Notifies clients that watch the server's health, stops, and ends the process.
    ///
    /// Call it on any thread; it does not wait.
    static func end(
        _ server: RelationServer, because error: StorageError, _ health: ProcessHealth,
        _ calls: CallLog, _ logger: Logger
    ) {
        health.fails(error.message)
        server.announceStop()
        ExitDeadline.end(after: Limits.failedStoreSeconds, status: exitStatus)
        Task {
            try? await Task.sleep(for: .seconds(Limits.failedStoreGraceSeconds))
            server.cancelRunningCalls()
        }
        let (reported, report) = AsyncStream<Never>.makeStream()
        Task {
            await server.stop()
            calls.close()
            // A server without connections stops at once, and the log must still say why.
            for await _ in reported {}
            logger.notice("ended; the next start recovers what the store has")
            _exit(exitStatus)
        }
        // These come last, because they wait if the supervisor or the log is not read.
        health.reportFailure()
        logger.critical("the store has failed: service ends", metadata: ["cause": "\(error)"])
        report.finish()
    }

    /// Waits until the process ends, as ``end(_:because:_:_:_:)`` makes it do.
    static func awaitExit() async {
        while true { try? await Task.sleep(for: .seconds(Limits.failedStoreSeconds)) }
    }
}
