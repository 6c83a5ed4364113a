import Glibc
import Synchronization

/// Standard error, without a buffer: a message is seen at once.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    /// Whether the last line of the terminal is a bar, which the next message replaces.
    private static let hasBar = Mutex(false)

    static func print(_ text: String, terminator: String = "\n") {
        clearBar()
        // If the reader is gone, the message has no one to go to.
        _ = Bytes.write(text + terminator, to: STDERR_FILENO)
    }

    /// Shows a bar in the place of the one before; only on a terminal.
    static func show(bar: String) {
        hasBar.withLock { $0 = true }
        _ = Bytes.write("\r\u{1B}[K" + bar, to: STDERR_FILENO)
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
        guard let file = fopen(path, "r") else {
            guard errno == ENOENT else { throw failure(path, "cannot be read") }
            return nil
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&bytes, 1, bytes.count, file)
        let line = bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: line, as: UTF8.self)
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

    private static func failure(_ path: String, _ what: String) -> Failure {
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
