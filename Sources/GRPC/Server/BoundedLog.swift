import Logging
import NIOCore
import Synchronization

/// Lines of the log whose number clients decide: no more than so many a second are written.
///
/// Who offends, is thrown out, and comes again must not be able to fill a disk.
final class BoundedLog: Sendable {
    fileprivate struct State {
        /// Lines that may be written now, and when that was true.
        var room = CallLimits.logBurst
        var time: NIODeadline?
        /// Lines left out since the last one.
        var leftOut = 0
    }

    private let logger: Logger
    private let state = Mutex(State())

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Writes a line, or counts it among those that were left out; the next one tells how many.
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
    /// Takes room for one line; how many were left out before it, or nil if there is no room.
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
