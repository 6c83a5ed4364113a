import Glibc

/// Standard error, unbuffered: what is said there is seen at once.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    static func print(_ text: String, terminator: String = "\n") {
        var bytes = Array((text + terminator).utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            // Nobody listens any more: there is nobody to tell.
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
