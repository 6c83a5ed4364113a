package import Logging
package import NIOCore
import RPC
import Synchronization

/// A log for lines that clients can cause: it writes no more than so many a second.
///
/// A client that violates the protocol, is closed, and connects again must not be able to fill a
/// disk.
package final class BoundedLog: Sendable {
    private let logger: Logger
    private let room = Mutex(LineRoom())

    package init(_ logger: Logger) {
        self.logger = logger
    }

    /// Writes a line, or counts it as left out; the next line that is written says how many were
    /// left out.
    package func log(
        _ level: Logger.Level, _ message: Logger.Message, at now: NIODeadline,
        _ metadata: @autoclosure () -> Logger.Metadata
    ) {
        guard logger.logLevel <= level,
            let leftOut = room.withLock({ $0.consume(at: now.uptimeNanoseconds) })
        else { return }
        var metadata = metadata()
        if leftOut > 0 { metadata["left_out"] = "\(leftOut)" }
        logger.log(level: level, message, metadata: metadata)
    }

    /// Says how many lines were left out, if no line has reported it for some time.
    ///
    /// - Returns: Whether there are still lines that none has reported.
    package func summarize(at now: NIODeadline) -> Bool {
        let (leftOut, owes) = room.withLock { room in
            (room.summary(at: now.uptimeNanoseconds), room.owes)
        }
        if leftOut > 0 {
            logger.notice("lines were left out", metadata: ["left_out": "\(leftOut)"])
        }
        return owes
    }
}
