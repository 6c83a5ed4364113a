import Glibc
import Synchronization
import TextFiles

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

/// A small file of one line.
enum LineFile {
    /// The line; nil if there is no such file.
    static func read(_ path: String) throws -> String? {
        guard access(path, F_OK) == 0 || errno != ENOENT else { return nil }
        do throws(InputFileError) {
            let text = try SmallFile.text(of: path, atMost: Limits.lineFileBytes)
            let line = text.utf8.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            return String(Substring(line))
        } catch {
            throw Failure(error)
        }
    }

    /// Replaces the line.
    ///
    /// The file always has either the old line or the new one.
    static func write(_ line: String, to path: String) throws {
        let fresh = path + ".new"
        let file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { throw failure(fresh, "cannot be written") }
        let isWritten = Bytes.write(line + "\n", to: file)
        guard close(file) == 0, isWritten, rename(fresh, path) == 0 else {
            throw failure(path, "cannot be written")
        }
    }

    private static func failure(_ path: String, _ what: PlainText) -> Failure {
        Failure("\(path) \(what): \(String(cString: strerror(errno)))")
    }
}

/// Bytes to a file of the system.
enum Bytes {
    static func write(_ text: String, to file: Int32) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }
}
