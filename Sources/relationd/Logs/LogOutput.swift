import Logging
import Synchronization

/// The log on standard error, with a level that may change while the server runs.
final class LogOutput: Sendable {
    private let lowest: Atomic<Int>

    private init(_ level: Logger.Level) {
        lowest = Atomic(Self.number(level))
    }

    /// The output of the process; the first command that logs sets its level.
    static let standard = LogOutput(.info)

    /// Begins to log as the settings say.
    ///
    /// Call it once, before anything logs.
    static func begin(_ settings: Configuration) -> Logger {
        standard.level = settings.logLevel
        LoggingSystem.bootstrap { LevelledHandler(StreamLogHandler.standardError(label: $0)) }
        return Logger(label: "relationd")
    }

    /// The lowest level that is written, for all loggers of the process.
    var level: Logger.Level {
        get { Logger.Level.allCases[lowest.load(ordering: .relaxed)] }
        set { lowest.store(Self.number(newValue), ordering: .relaxed) }
    }

    private static func number(_ level: Logger.Level) -> Int {
        Logger.Level.allCases.firstIndex(of: level) ?? 0
    }
}

/// A handler of the log whose level is that of ``LogOutput``.
struct LevelledHandler: LogHandler {
    private var lines: StreamLogHandler

    init(_ lines: StreamLogHandler) {
        self.lines = lines
    }

    var logLevel: Logger.Level {
        get { LogOutput.standard.level }
        set { LogOutput.standard.level = newValue }
    }

    var metadata: Logger.Metadata {
        get { lines.metadata }
        set { lines.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { lines[metadataKey: key] }
        set { lines[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) { lines.log(event: event) }
}
