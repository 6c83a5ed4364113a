import Glibc

/// Standard output, without a buffer, for results that come over time: a reader may wait for each
/// line.
enum StandardOutput {
    /// Writes a line.
    ///
    /// - Returns: Whether the output is still read.
    /// - Throws: ``Failure`` if it cannot be written for another reason, such as a full disk.
    static func print(_ text: PlainText, terminator: String = "\n") throws -> Bool {
        StandardError.clearBar()
        if Bytes.write(text.description + terminator, to: STDOUT_FILENO) { return true }
        // The reader of the pipe has seen enough. Other programs end quietly too.
        if errno == EPIPE { return false }
        throw Failure(
            "the output cannot be written: \(String(cString: strerror(errno)))", .outputLost)
    }

    /// Writes lines that are all there: through a pager if a terminal does not show them at once.
    static func show(_ text: PlainText) throws {
        if isatty(STDOUT_FILENO) == 1, let rows = Terminal.size?.rows,
            text.description.utf8.lazy.filter({ $0 == UInt8(ascii: "\n") }).count >= rows,
            Pager.show(text)
        {
            return
        }
        _ = try print(text, terminator: "")
    }
}
