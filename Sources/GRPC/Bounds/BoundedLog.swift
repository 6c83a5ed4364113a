import Logging
import NIOCore
import Synchronization

/// A log for lines that clients can cause: it writes no more than so many a second.
///
/// A client that offends, is closed, and connects again must not be able to fill a disk.
final class BoundedLog: Sendable {
    fileprivate struct State {
        /// Lines that could be written at ``time``.
        var room = CallLimits.logBurst
        var time: NIODeadline?
        /// Lines left out since the last line that was written.
        var leftOut = 0
    }

    private let logger: Logger
    private let state = Mutex(State())

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Writes a line, or counts it as left out; the next line that is written tells how many were
    /// left out.
    func log(
        _ level: Logger.Level, _ message: Logger.Message, at now: NIODeadline,
        _ metadata: @autoclosure () -> Logger.Metadata
    ) {
        guard logger.logLevel <= level, let leftOut = state.withLock({ $0.take(at: now) }) else {
            return
        }
        var metadata = metadata()
        if leftOut > 0 { metadata["left_out"] = "\(leftOut)" }
        logger.log(level: level, message, metadata: metadata)
    }
}

extension BoundedLog.State {
    /// Takes room for one line.
    ///
    /// - Returns: How many lines were left out before it, or nil if there is no room.
    fileprivate mutating func take(at now: NIODeadline) -> Int? {
        let seconds = max(0, (now - (time ?? now)).nanoseconds / 1_000_000_000)
        if time == nil || seconds > 0 {
            let earned = min(seconds, Int64(CallLimits.logBurst)) * Int64(CallLimits.logPerSecond)
            room = min(CallLimits.logBurst, room + Int(earned))
            time = now
        }
        guard room > 0 else {
            leftOut += 1
            return nil
        }
        room -= 1
        defer { leftOut = 0 }
        return leftOut
    }
}
