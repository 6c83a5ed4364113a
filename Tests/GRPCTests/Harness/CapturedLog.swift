import Logging
import Synchronization

/// A log in memory: the lines that its logger was given.
final class CapturedLog: Sendable {
    private let captured = Mutex<[String]>([])

    /// Each line: its level, its message, and its metadata in the order of the names.
    var lines: [String] { captured.withLock { $0 } }

    var logger: Logger {
        Logger(label: "test") { _ in Handler(log: self) }
    }

    private struct Handler: LogHandler {
        let log: CapturedLog
        var metadata: Logger.Metadata = [:]
        var metadataProvider: Logger.MetadataProvider?
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let pairs = (event.metadata ?? [:]).sorted { $0.key < $1.key }
            let words = ["\(event.level)", "\(event.message)"]
            let line = (words + pairs.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
            log.captured.withLock { $0.append(line) }
        }
    }
}
