internal import Glibc

/// The journal of systemd, which reads standard error of a process that it has started.
///
/// It takes the level of each line from a number in front of it, as sd-daemon(3) says.
package enum Journal {
    /// The levels of syslog.
    package enum Level: Int, Sendable {
        case critical = 2
        case error, warning, notice, info, debug
    }

    /// Whether standard error goes there: `JOURNAL_STREAM` names its device and its number.
    package static let isRead: Bool = {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else {
            return false
        }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }()

    /// The text with its level before each line, if the journal reads it.
    package static func marked(_ text: String, _ level: Level) -> String {
        guard isRead else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "<\(level.rawValue)>\($0)" }.joined(separator: "\n")
    }
}
