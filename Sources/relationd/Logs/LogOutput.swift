import Endings
import Logging
import Synchronization

/// The log on standard error, whose level and form may change while the server runs.
final class LogOutput: Sendable {
    /// The output of the process; the first command that logs sets it up.
    static let standard = LogOutput()

    private let lowest = Atomic(0)
    private let isJSON = Atomic(false)

    /// Begins to log as the settings say.
    ///
    /// Call it once, before anything logs.
    static func begin(_ settings: Configuration) -> Logger {
        standard.apply(settings)
        LoggingSystem.bootstrap { LineHandler(label: $0) }
        return Logger(label: "relationd")
    }

    /// Takes the level and the form of the settings.
    func apply(_ settings: Configuration) {
        level = settings.logLevel
        isJSON.store(settings.text(.logFormat) == "json", ordering: .relaxed)
    }

    /// The lowest level that is written, for all loggers of the process.
    var level: Logger.Level {
        get { Logger.Level.allCases[lowest.load(ordering: .relaxed)] }
        set {
            let number = Logger.Level.allCases.firstIndex(of: newValue) ?? 0
            lowest.store(number, ordering: .relaxed)
        }
    }

    /// Writes a line, whatever its level.
    func write(_ line: LogLine) {
        JournalOutput.print(
            isJSON.load(ordering: .relaxed) ? line.json : line.text, line.level.inJournal)
    }
}

extension Logger.Level {
    /// The level of the same meaning in the journal.
    fileprivate var inJournal: Journal.Level {
        switch self {
        case .trace, .debug: .debug
        case .info: .info
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        case .critical: .critical
        }
    }
}

/// A handler of the log that writes to ``LogOutput``.
struct LineHandler: LogHandler {
    private let label: String
    var metadata = Logger.Metadata()

    init(label: String) {
        self.label = label
    }

    var logLevel: Logger.Level {
        get { LogOutput.standard.level }
        set { LogOutput.standard.level = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var all = metadata
        if let more = event.metadata { all.merge(more) { _, new in new } }
        if let error = event.error { all["error"] = "\(error)" }
        LogOutput.standard.write(
            LogLine(
                level: event.level, label: label, source: event.source,
                message: "\(event.message)", metadata: all))
    }
}
