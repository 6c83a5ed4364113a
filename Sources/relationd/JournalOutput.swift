import Endings
import Glibc

/// Standard error, without a buffer: a message is seen at once.
enum JournalOutput {
    /// Writes lines, each with its level if the journal of systemd reads them.
    static func print(_ text: String, _ level: Journal.Level) {
        var bytes = Array(Journal.marked(text, level).utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // If the reader is gone, the message has no one to go to.
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
