import Glibc
import Synchronization

/// Standard error, without a buffer: a message is seen at once.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    /// Whether the last line of the terminal is a bar, which the next message replaces.
    private static let hasBar = Mutex(false)

    static func print(_ text: PlainText, terminator: String = "\n") {
        clearBar()
        // If the reader is gone, the message has no one to go to.
        _ = Bytes.write(text.description + terminator, to: STDERR_FILENO)
    }

    /// Shows a bar in the place of the one before; only on a terminal.
    static func show(bar: PlainText) {
        hasBar.withLock { $0 = true }
        _ = Bytes.write("\r\u{1B}[K" + bar.description, to: STDERR_FILENO)
    }

    /// Takes the bar away, so that nothing is written into it.
    static func clearBar() {
        let isThere = hasBar.withLock { hasBar in
            defer { hasBar = false }
            return hasBar
        }
        if isThere { _ = Bytes.write("\r\u{1B}[K", to: STDERR_FILENO) }
    }
}
